// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/spoken_questions.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/program_note.hpp"
#include "dragoman/event/update.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMost = 256;
constexpr std::size_t kLongest = 4096;  // bytes of each text

std::string kept(std::string_view text) { return std::string(utf8::head(text, kLongest)); }

}  // namespace

std::string_view answer_in(std::string_view words) {
  const std::size_t start = words.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || is_program_note(words)) return {};
  return utf8::head(words.substr(start), kLongest);
}

void SpokenQuestions::on_event(const Event& event) {
  if (event.origin.channel == Channel::assistant_text && !event.partial) {
    const auto* const asked = event.as<Question>();
    if (asked != nullptr && asked->state == QuestionState::open) {
      remember({std::string(asked->id), asked->kind, asked->source, kept(asked->header),
                kept(asked->text), event.origin});
    } else if (const auto* const blocked = event.as<Blocked>()) {
      remember({block_ids_.next(QuestionSource::marker, blocked->reason),
                QuestionKind::blocked,
                QuestionSource::marker,
                {},
                kept(blocked->reason),
                event.origin});
    }
  }
  out_->on_event(event);
}

void SpokenQuestions::remember(Waiting asked) {
  asked.at.parent = {};  // not ours to keep
  std::erase_if(waiting_, [&asked](const Waiting& known) {
    return known.id == asked.id || has_grown(known.at, asked.at);
  });
  if (waiting_.size() == kMost) waiting_.erase(waiting_.begin());
  waiting_.push_back(std::move(asked));
}

void SpokenQuestions::answer_in_words(std::string_view answer, LineEvents& events) {
  for (const Waiting& asked : std::exchange(waiting_, {})) {
    Question question;
    question.id = asked.id;
    question.kind = asked.kind;
    question.source = asked.source;
    question.state = QuestionState::answered;
    if (!asked.header.empty()) question.header = asked.header;
    question.text = asked.text;
    question.answer = answer;
    events.emit(question, Channel::control);
  }
}

}  // namespace dragoman
