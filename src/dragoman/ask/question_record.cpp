// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/question_record.hpp"

#include <algorithm>

#include "dragoman/event/names.hpp"
#include "dragoman/redact/filter.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::ask {

namespace {

std::optional<Grant> grant_named(std::string_view name) {
  Grant grant{};
  if (!set_from_name(grant, name)) return std::nullopt;
  return grant;
}

// The number of the label that is the answer itself; 0: the answer is in other words.
std::size_t label_answered(const QuestionRecord& question) {
  const auto label = std::ranges::find(question.labels, question.answer);
  return label == question.labels.end()
             ? 0
             : static_cast<std::size_t>(label - question.labels.begin()) + 1;
}

}  // namespace

AnswerRules rules_of(const QuestionRecord& question) {
  AnswerRules rules{{question.labels.begin(), question.labels.end()},
                    {},
                    question.multi_select,
                    question.free_text};
  for (const std::string& grant : question.grants) rules.grants.push_back(grant_named(grant));
  if (question.source == name(QuestionSource::permission) && rules.grants.empty()) {
    const auto grants = grants_of_old(rules.labels);
    rules.grants.assign(grants.begin(), grants.end());
  }
  return rules;
}

Answer answer_of(const QuestionRecord& question) {
  Answer answer;
  answer.options.assign(question.chosen.begin(), question.chosen.end());
  const bool says_why = question.decision == name(Grant::deny) && label_answered(question) == 0;
  if (answer.options.empty() || says_why) answer.text = question.answer;
  return answer;
}

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
    if (option.grants) record.grants.resize(record.labels.size());
    if (option.grants) record.grants.back() = name(*option.grants);
  }
  if (!record.grants.empty()) record.grants.resize(record.labels.size());
  record.multi_select = question.multi_select;
  record.free_text = question.free_text;
  for (const auto& line : question.context) record.context.emplace_back(line);
  record.blocking = question.blocking;
  record.secret = question.secret.value_or(false);
  record.wants = KeptWants(question.wants);
  return record;
}

Result<GivenAnswer> read_answer(const QuestionRecord& question, std::string_view typed,
                                Literal literal) {
  const AnswerRules rules = rules_of(question);
  DRAGOMAN_TRY(const Answer answer, literal == Literal::yes ? literal_answer(rules, typed)
                                                            : dragoman::read_answer(rules, typed));
  const auto decision = decision_of(rules, answer);
  return GivenAnswer{{answer.options.begin(), answer.options.end()},
                     answer_words(rules, answer),
                     std::string(decision ? name(*decision) : std::string_view())};
}

std::string shown_answer(const QuestionRecord& question) {
  static const auto kRules = redact::make_rules();
  return question.secret ? std::string() : redact::redacted(question.answer, kRules);
}

std::optional<RecordedDecision> decision_in(const QuestionRecord& question) {
  const auto grant = grant_named(question.decision);
  if (!grant) return std::nullopt;
  const bool says_why = *grant == Grant::deny && label_answered(question) == 0;
  return RecordedDecision{*grant, says_why ? shown_answer(question) : std::string()};
}

std::string settled_words(const QuestionRecord& question) {
  if (question.secret) return "(secret)";
  const auto decision = decision_in(question);
  if (!decision) return shown_answer(question);
  return words_for(Decision{decision->grant, decision->reason});
}

std::string asked_words(const QuestionRecord& question) {
  return text_with_command(question.text, question.wants.get());
}

void put_question(json::Writer& w, const QuestionRecord& question) {
  const AnswerRules rules = rules_of(question);
  w.begin_object();
  w.name("id").string(question.id);
  if (!question.task_id.empty())
    w.name("run").string(question.task_id).name("task_id").string(task_id_of(question.task_id));
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
    if (i < rules.grants.size() && rules.grants[i]) w.name("grants").string(name(*rules.grants[i]));
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
  if (!question.decision.empty()) w.name("decision").string(question.decision);
  const std::string answer = shown_answer(question);
  if (!answer.empty()) w.name("answer").string(answer);
  w.end_object();
}

}  // namespace dragoman::ask
