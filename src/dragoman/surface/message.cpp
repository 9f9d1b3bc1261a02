// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/message.hpp"

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/surface/flat.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kRefDigits = 12;
constexpr std::size_t kAnswerShown = 200;  // characters of an answer in a message

}  // namespace

std::string_view name(Topic topic) {
  switch (topic) {
    case Topic::question:
      return "question";
    case Topic::blocked:
      return "block";
    case Topic::failure:
      return "failure";
    case Topic::completion:
      return "completion";
    case Topic::progress:
      return "progress";
  }
  return "";
}

std::string question_ref(const ask::QuestionRecord& question) {
  return fmt::format(
      "q{}", sha256_hex(fmt::format("{}\n{}", question.key(), question.asked_at), kRefDigits));
}

std::string task_ref(std::string_view task_id) {
  return fmt::format("t{}", sha256_hex(task_id, kRefDigits));
}

std::string shortened(std::string_view text, std::size_t most) {
  // An invisible character takes up to eight to be shown.
  const std::string_view kept = utf8::prefix(text, most);
  std::string shown;
  show::append_terminal(shown, kept);
  std::string out(utf8::prefix(shown, most));
  const std::size_t missing = utf8::count(text) - utf8::count(kept);
  if (missing > 0 || out.size() < shown.size()) {
    const std::string note =
        missing > 0 ? fmt::format(" … ({} more characters)", missing) : std::string(" …");
    const std::size_t room = most > note.size() ? most - note.size() : 0;
    out = std::string(utf8::prefix(out, room)) + note;
  }
  return out;
}

std::string one_line_of(std::string_view text, std::size_t most) {
  std::string shown;
  show::append_terminal(shown, utf8::prefix(text, most), show::Breaks::join);
  if (utf8::count(shown) <= most && utf8::count(text) <= most) return shown;
  return std::string(utf8::prefix(shown, most > 0 ? most - 1 : 0)) + "…";
}

std::string outcome_of(const ask::QuestionRecord& question) {
  if (question.is_open()) return "";
  if (question.state != QuestionState::answered) return std::string(name(question.state));
  const std::string by = question.answered_by.empty() ? "somebody" : question.answered_by;
  if (question.secret) return fmt::format("answered by {}", by);
  const auto decision = ask::decision_in(question);
  std::string out = fmt::format("{} by {}", decision ? words_for(decision->grant) : "answered", by);
  const std::string words = decision ? decision->reason : ask::shown_answer(question);
  if (!decision || !words.empty()) out += ": " + one_line_of(words, kAnswerShown);
  return out;
}

Message message_of(const ask::QuestionRecord& question) {
  Message message;
  message.ref = question_ref(question);
  message.topic = question.failure                         ? Topic::failure
                  : question.kind == QuestionKind::blocked ? Topic::blocked
                                                           : Topic::question;
  message.task_id = question.task_id;
  message.title = question.header.empty()
                      ? (message.topic == Topic::blocked ? "Blocked" : "Question")
                      : question.header;
  message.text = ask::asked_words(question);
  message.asked = question;
  message.asked.free_text = question.free_text || question.options.empty();
  message.open = question.is_open();
  message.answered = question.state == QuestionState::answered;
  message.denied = question.decision == Grant::deny;
  message.outcome = outcome_of(question);
  message.since = question.asked_at;
  return message;
}

Message message_of(const task::Task& task) {
  Message message;
  message.ref = task_ref(task.id);
  message.task_id = task.id;
  message.since = task.created_at;
  message.open = !task.terminal();
  message.topic = message.open ? Topic::progress : Topic::completion;
  message.title = one_line_of(task.text, 80);
  if (message.title.empty() && !task.words.empty()) message.title = one_line_of(task.words[0], 80);
  if (!message.open) {
    message.text = task.summary;
    message.outcome =
        task.reason.empty() ? task.state : fmt::format("{} ({})", task.state, task.reason);
    return message;
  }
  message.text = task.state;
  if (const auto progress = Flat::read(task.progress.json)) {
    const std::string& percent = (*progress)["percent"];
    const std::string& activity = (*progress)["current_activity"];
    if (!percent.empty()) message.text += fmt::format(", {} %", percent);
    if (!activity.empty()) message.text += ": " + activity;
  }
  return message;
}

std::string digest(const Message& message) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", message.ref, name(message.topic),
                                message.title, message.open ? "open" : "settled", message.outcome);
  // The words of a question do not change while it is open; those of a run do.
  all += message.text;
  return sha256_hex(all, 16);
}

}  // namespace dragoman::surface
