// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/question_record.hpp"

#include <algorithm>

#include "dragoman/event/names.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::ask {

namespace {

std::string redacted(std::string_view words) {
  static const auto kRules = redact::make_rules();
  return redact::redacted(words, kRules);
}

// Whether the text is the reason of a denial, and not the label of the option that denies.
bool says_why(const QuestionRecord& question) {
  return question.decision == Grant::deny &&
         std::ranges::find(question.options, question.answer.text, &Choice::label) ==
             question.options.end();
}

}  // namespace

std::string_view QuestionRecord::kind_word() const { return failure ? kFailure : name(kind); }
std::string_view QuestionRecord::source_word() const { return ours ? kOurs : name(source); }

std::string QuestionRecord::words() const {
  return secret ? answer.text : answer_words(*this, answer);
}

void separate_text(QuestionRecord& question) {
  Answer& answer = question.answer;
  std::erase_if(answer.options, [&](std::size_t number) {
    return number == 0 || number > question.options.size();
  });
  if (!answer.options.empty() && !says_why(question)) answer.text.clear();
}

Result<QuestionRecord> question_in(const LogRecord& record) {
  DRAGOMAN_TRY(auto question, read_fields<QuestionRecord>(record.value));
  separate_text(question);
  question.revision = record.revision;
  return question;
}

std::string shown_text(const QuestionRecord& question) {
  return question.secret ? std::string() : redacted(question.answer.text);
}

std::string shown_answer(const QuestionRecord& question) {
  return question.secret ? std::string() : redacted(answer_words(question, question.answer));
}

std::optional<Decision> decision_in(const QuestionRecord& question) {
  if (!question.decision) return std::nullopt;
  return Decision{*question.decision, says_why(question) ? shown_text(question) : std::string()};
}

std::string settled_words(const QuestionRecord& question) {
  if (question.secret) return "(secret)";
  const auto decision = decision_in(question);
  return decision ? words_for(*decision) : shown_answer(question);
}

std::string asked_words(const QuestionRecord& question) {
  return text_with_command(question.text, question.wants.get());
}

void put_question(json::Writer& w, const QuestionRecord& question) {
  const auto grants = question.grants();
  w.begin_object();
  w.name("id").string(question.id);
  if (!question.task_id.empty())
    w.name("run").string(question.task_id).name("task_id").string(task_id_of(question.task_id));
  w.name("kind").string(question.kind_word());
  w.name("source").string(question.source_word());
  w.name("state").string(name(question.state));
  if (!question.header.empty()) w.name("header").string(question.header);
  w.name("text").string(question.text);
  w.name("options").begin_array();
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const Choice& choice = question.options[i];
    w.begin_object().name("label").string(choice.label);
    if (!choice.description.empty()) w.name("description").string(choice.description);
    if (!grants.empty() && grants[i]) w.name("grants").string(name(*grants[i]));
    w.end_object();
  }
  w.end_array();
  w.name("multi_select").boolean(question.multi_select);
  w.name("free_text").boolean(question.free_text);
  if (!question.context.empty()) {
    w.name("context").begin_array();
    for (const auto& line : question.context) w.string(line);
    w.end_array();
  }
  w.name("blocking").boolean(question.blocking);
  if (question.secret) w.name("secret").boolean(true);
  if (!question.wants.empty()) w.name("wants").raw({question.wants.write()});
  if (question.decision) w.name("decision").string(name(*question.decision));
  const std::string answer = shown_answer(question);
  if (!answer.empty()) w.name("answer").string(answer);
  w.end_object();
}

}  // namespace dragoman::ask
