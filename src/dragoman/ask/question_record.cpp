// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/question_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/event/names.hpp"

namespace dragoman::ask {

namespace {

constexpr std::size_t kLongestAnswer = 1024 * 1024;

Error refuse(std::string message) { return {ErrorCode::validation, std::move(message)}; }

// "1,3": absent when it is anything but numbers and commas.
std::vector<std::int64_t> numbers_in(std::string_view typed) {
  std::vector<std::int64_t> numbers;
  std::int64_t number = -1;
  for (const char c : typed) {
    if (c >= '0' && c <= '9') {
      if (number > 100'000) return {};
      number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
    } else if (c == ',' && number >= 0) {
      numbers.push_back(number);
      number = -1;
    } else if (c != ' ') {
      return {};
    }
  }
  if (number < 0) return {};
  numbers.push_back(number);
  return numbers;
}

std::string what_would_do(const QuestionRecord& question) {
  std::string text;
  for (std::size_t i = 0; i < question.labels.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", i + 1, question.labels[i]);
  if (question.free_text || question.labels.empty())
    text += text.empty() ? "any text" : ", or any text";
  return text;
}

Result<GivenAnswer> choose(const QuestionRecord& question, std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto count = static_cast<std::int64_t>(question.labels.size());
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > count) {
      return refuse(
          fmt::format("there is no option {}: give one of {}", number, what_would_do(question)));
    }
  }
  if (numbers.size() > 1 && !question.multi_select)
    return refuse("only one option may be chosen: give one of " + what_would_do(question));
  GivenAnswer answer;
  for (const std::int64_t number : numbers) {
    if (!answer.words.empty()) answer.words += ", ";
    answer.words += question.labels[static_cast<std::size_t>(number - 1)];
  }
  answer.chosen = std::move(numbers);
  return answer;
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
  if (typed.empty())
    return refuse("an answer is not empty: give one of " + what_would_do(question));
  if (typed.size() > kLongestAnswer) return refuse("an answer has at most 1 MiB");
  if (typed.find('\0') != std::string_view::npos) return refuse("an answer has no NUL in it");
  const bool any_text = question.free_text || question.labels.empty();
  if (literal == Literal::no && !question.labels.empty()) {
    if (auto numbers = numbers_in(typed); !numbers.empty()) return choose(question, numbers);
    for (std::size_t i = 0; i < question.labels.size(); ++i) {
      if (question.labels[i] == typed) return choose(question, {static_cast<std::int64_t>(i + 1)});
    }
  }
  if (!any_text) return refuse("not one of the options: give one of " + what_would_do(question));
  return GivenAnswer{{}, std::string(typed)};
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
  if (!question.answer.empty() && !question.secret) w.name("answer").string(question.answer);
  w.end_object();
}

}  // namespace dragoman::ask
