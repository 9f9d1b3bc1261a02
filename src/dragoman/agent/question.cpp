// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/question.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/agent/request.hpp"

namespace dragoman::agent {
namespace {

AnswerRules rules_of(const Asked& asked) {
  AnswerRules rules;
  rules.labels.reserve(asked.options.size());
  for (const Choice& choice : asked.options) {
    rules.labels.emplace_back(choice.label);
    rules.grants.push_back(choice.grants);
  }
  if (asked.source == QuestionSource::permission && !rules.permission()) {
    const auto grants = grants_of_old(rules.labels);
    if (!grants.empty()) rules.grants.assign(grants.begin(), grants.end());
  }
  rules.multi_select = asked.multi_select;
  rules.free_text = asked.free_text;
  return rules;
}

}  // namespace

std::string_view request_id_in(std::span<const Extra> extra) {
  std::string_view id;
  for (const Extra& field : extra) {
    if (field.key == "request_id") id = field.value.json;
  }
  return id;
}

Asked keep_question(const Question& question, std::span<const Extra> extra) {
  Asked asked{std::string(question.id),
              question.kind,
              question.source,
              std::string(question.header),
              std::string(question.text),
              {},
              question.multi_select,
              question.free_text,
              {question.context.begin(), question.context.end()},
              question.blocking,
              question.secret.value_or(false),
              {}};
  for (const Option& option : question.options) {
    asked.options.push_back(
        {std::string(option.label), std::string(option.description), option.grants});
  }
  asked.wants = KeptWants(question.wants);
  asked.request_id = request_id_in(extra);
  return asked;
}

void with_payload(const Asked& asked, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use, std::optional<Grant> decision) {
  std::vector<Option> options;
  options.reserve(asked.options.size());
  for (const Choice& choice : asked.options) {
    options.push_back(
        {choice.label,
         choice.description.empty() ? std::string_view() : std::string_view(choice.description),
         choice.grants});
  }
  const std::vector<std::string_view> context(asked.context.begin(), asked.context.end());
  Question question;
  question.id = asked.id;
  question.kind = asked.kind;
  question.source = asked.source;
  question.state = state;
  if (!asked.header.empty()) question.header = asked.header;
  question.text = asked.text;
  question.options = options;
  question.multi_select = asked.multi_select;
  question.free_text = asked.free_text;
  question.context = context;
  question.blocking = asked.blocking;
  if (asked.secret) question.secret = true;
  question.wants = asked.wants.get();
  question.decision = decision;
  if (state == QuestionState::answered) question.answer = asked.secret ? kHidden : answer;
  use(question);
}

Result<Answer> read_answer(const Asked& asked, std::string_view typed) {
  return dragoman::read_answer(rules_of(asked), typed);
}

Result<Answer> literal_answer(const Asked& asked, std::string_view text) {
  return dragoman::literal_answer(rules_of(asked), text);
}

Result<Answer> chosen_answer(const Asked& asked, std::vector<std::size_t> options,
                             std::string_view reason) {
  return dragoman::chosen_answer(rules_of(asked), std::move(options), reason);
}

std::string answer_words(const Asked& asked, const Answer& answer) {
  return dragoman::answer_words(rules_of(asked), answer);
}

std::optional<Grant> decision_of(const Asked& asked, const Answer& answer) {
  return dragoman::decision_of(rules_of(asked), answer);
}

bool decides(const Asked& asked) { return rules_of(asked).permission(); }

std::string what_would_do(const Asked& asked) { return dragoman::what_would_do(rules_of(asked)); }

std::string answers_as_prompt(std::span<const Answered> answers) {
  if (answers.size() == 1) return answer_words(answers[0].asked, answers[0].answer);
  std::string out;
  for (const Answered& answered : answers) {
    const Asked& asked = answered.asked;
    if (!out.empty()) out.push_back('\n');
    out += fmt::format("{}: {}", asked.header.empty() ? asked.text : asked.header,
                       answer_words(asked, answered.answer));
  }
  return out;
}

bool any_secret(std::span<const Answered> answers) {
  return std::ranges::any_of(answers, [](const Answered& one) { return one.asked.secret; });
}

}  // namespace dragoman::agent
