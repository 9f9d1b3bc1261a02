// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/pending.hpp"

#include <algorithm>

#include "dragoman/dialect/question_payload.hpp"

namespace dragoman::agent {
namespace {

// The request apart: it may be taken away while the question is open.
std::size_t size_of(const KeptQuestion& asked) {
  std::size_t size =
      asked.id.size() + asked.header.size() + asked.text.size() + asked.wants.write().size();
  for (const Choice& choice : asked.options)
    size += sizeof choice + choice.label.size() + choice.description.size();
  for (const std::string& line : asked.context) size += sizeof(std::string) + line.size();
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
      add({keep_question(*question), std::string(request_id_in(event.extra))});
      break;
    case QuestionState::unanswered:  // the call has failed: the agent does not wait
      add({keep_question(*question), "", true});
      break;
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
  add({keep_question(question)});
}

void PendingQuestions::add(PendingQuestion question) {
  const auto known = place_of(question.asked.id);
  const std::size_t size = size_of(question.asked);
  const std::size_t before = known == open_.end() ? 0 : size_of(known->asked);
  if (size > kMostBytes - (bytes_ - before)) return;
  if (known != open_.end()) {
    // A second report may bring the request to answer to.
    *known = std::move(question);
  } else if (open_.size() < kMost) {
    open_.push_back(std::move(question));
  } else {
    return;
  }
  bytes_ += size - before;
}

std::vector<PendingQuestion>::iterator PendingQuestions::place_of(std::string_view id) {
  return std::ranges::find_if(open_, [id](const auto& open) { return open.asked.id == id; });
}

const PendingQuestion* PendingQuestions::find(std::string_view id) const {
  const auto found =
      std::ranges::find_if(open_, [id](const auto& open) { return open.asked.id == id; });
  return found == open_.end() ? nullptr : &*found;
}

bool PendingQuestions::waits_for(std::string_view request_id) const {
  return std::ranges::find(open_, request_id, &PendingQuestion::request_id) != open_.end();
}

void PendingQuestions::conversation_is_over() {
  for (PendingQuestion& open : open_) open.request_id.clear();
}

std::optional<PendingQuestion> PendingQuestions::take(std::string_view id) {
  const auto found = place_of(id);
  if (found == open_.end()) return std::nullopt;
  PendingQuestion question = std::move(*found);
  open_.erase(found);
  bytes_ -= size_of(question.asked);
  asked_.settle(question.asked.id);
  return question;
}

}  // namespace dragoman::agent
