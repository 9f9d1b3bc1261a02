// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/pending.hpp"

#include <algorithm>

#include "dragoman/dialect/question_payload.hpp"

namespace dragoman::agent {
namespace {

// The request apart: it may be taken away while the question is open.
std::size_t size_of(const Asked& asked) {
  std::size_t size =
      asked.id.size() + asked.header.size() + asked.text.size() + asked.wants.write().size();
  for (const Choice& choice : asked.options)
    size += sizeof choice + choice.label.size() + choice.description.size();
  for (const std::string& line : asked.context) size += sizeof line + line.size();
  return size;
}

}  // namespace

void PendingQuestions::see(const Event& event) {
  if (const auto* const blocked = event.as<Blocked>()) {
    // What the executor says on stderr comes with a failing exit: nothing to answer.
    if (event.origin.stream == Stream::stderr_) return;
    see_block(*blocked, event.origin);
    return;
  }
  const auto* const question = event.as<Question>();
  if (question == nullptr || event.partial) return;
  switch (question->state) {
    case QuestionState::open:
      add(keep_question(*question, event.extra));
      break;
    case QuestionState::unanswered: {
      Asked asked = keep_question(*question, event.extra);
      asked.request_id.clear();  // the call has failed: the agent does not wait
      asked.passed_over = true;
      add(std::move(asked));
      break;
    }
    case QuestionState::answered:
    case QuestionState::withdrawn:
      (void)take(question->id);
      break;
  }
}

// Two blocks that wait are two questions, and a question in the same words is a third. One that was
// printed with pauses comes again each time it has grown.
void PendingQuestions::see_block(const Blocked& blocked, const Origin& origin) {
  const bool grown =
      last_block_ && last_block_->offset == origin.offset && last_block_->length < origin.length;
  std::string id = grown ? last_block_->id : std::string();
  while (id.empty() || (!grown && find(id) != nullptr)) {
    id = block_ids_.next(QuestionSource::marker, blocked.reason);
  }
  last_block_ = Block{id, origin.offset, origin.length};
  Question question = question_of(blocked, id);
  question.id = asked_.of(question);
  add(keep_question(question, {}));
}

void PendingQuestions::add(Asked asked) {
  const auto known = std::find_if(open_.begin(), open_.end(),
                                  [&](const Asked& other) { return other.id == asked.id; });
  const std::size_t size = size_of(asked);
  const std::size_t before = known == open_.end() ? 0 : size_of(*known);
  if (size > kMostBytes - (bytes_ - before)) return;
  if (known != open_.end()) {
    // A second report may bring the request to answer to.
    *known = std::move(asked);
  } else if (open_.size() < kMost) {
    open_.push_back(std::move(asked));
  } else {
    return;
  }
  bytes_ += size - before;
}

const Asked* PendingQuestions::find(std::string_view id) const {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [id](const Asked& asked) { return asked.id == id; });
  return found == open_.end() ? nullptr : &*found;
}

const Asked* PendingQuestions::first_in_conversation() const {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [](const Asked& asked) { return !asked.request_id.empty(); });
  return found == open_.end() ? nullptr : &*found;
}

bool PendingQuestions::waits_for(std::string_view request_id) const {
  return std::any_of(open_.begin(), open_.end(),
                     [&](const Asked& asked) { return asked.request_id == request_id; });
}

void PendingQuestions::conversation_is_over() {
  for (Asked& asked : open_) asked.request_id.clear();
}

std::optional<Asked> PendingQuestions::take(std::string_view id) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [id](const Asked& asked) { return asked.id == id; });
  if (found == open_.end()) return std::nullopt;
  Asked asked = std::move(*found);
  open_.erase(found);
  bytes_ -= size_of(asked);
  asked_.settle(asked.id);
  return asked;
}

}  // namespace dragoman::agent
