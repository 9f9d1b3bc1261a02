// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/question_record.hpp"

#include "dragoman/event/names.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/run/answer.hpp"

namespace dragoman::ask {

namespace {

AnswerRules rules_of(const QuestionRecord& question) {
  return {
      {question.labels.begin(), question.labels.end()}, question.multi_select, question.free_text};
}

}  // namespace

QuestionRecord keep_question(std::string_view task_id, const Question& question) {
  QuestionRecord record;
  record.task_id = task_id;
  record.id = question.id;
  record.kind = name(question.kind);
  record.source = name(question.source);
  record.header = question.header;
  record.text = question.text;
  for (const Option& option : question.options) {
    record.labels.emplace_back(option.label);
    record.descriptions.emplace_back(option.description);
  }
  record.multi_select = question.multi_select;
  record.free_text = question.free_text;
  for (const auto& line : question.context) record.context.emplace_back(line);
  record.blocking = question.blocking;
  record.secret = question.secret.value_or(false);
  return record;
}

Result<GivenAnswer> read_answer(const QuestionRecord& question, std::string_view typed,
                                Literal literal) {
  const AnswerRules rules = rules_of(question);
  DRAGOMAN_TRY(const Answer answer, literal == Literal::yes ? literal_answer(rules, typed)
                                                            : dragoman::read_answer(rules, typed));
  return GivenAnswer{{answer.options.begin(), answer.options.end()}, answer_words(rules, answer)};
}

std::string shown_answer(const QuestionRecord& question) {
  static const auto kRules = redact::make_rules();
  return question.secret ? std::string() : redact::redacted(question.answer, kRules);
}

void put_question(json::Writer& w, const QuestionRecord& question) {
  w.begin_object();
  w.name("id").string(question.id);
  if (!question.task_id.empty()) w.name("task_id").string(question.task_id);
  w.name("kind").string(question.kind);
  w.name("source").string(question.source);
  w.name("state").string(question.state);
  if (!question.header.empty()) w.name("header").string(question.header);
  w.name("text").string(question.text);
  w.name("options").begin_array();
  for (std::size_t i = 0; i < question.labels.size(); ++i) {
    w.begin_object().name("label").string(question.labels[i]);
    if (i < question.descriptions.size() && !question.descriptions[i].empty())
      w.name("description").string(question.descriptions[i]);
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
  const std::string answer = shown_answer(question);
  if (!answer.empty()) w.name("answer").string(answer);
  w.end_object();
}

}  // namespace dragoman::ask
