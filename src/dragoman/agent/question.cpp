// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/question.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace dragoman::agent {
namespace {

constexpr std::size_t kLongestAnswer = 1 << 20;

Error refused(std::string why) { return {ErrorCode::validation, std::move(why)}; }

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string what_would_do(const Asked& asked) {
  std::string out = asked.options.empty() ? "" : fmt::format("1 to {}", asked.options.size());
  if (asked.multi_select && !out.empty()) out += ", several with commas between";
  if (asked.free_text) out += out.empty() ? "some text" : ", or text of your own";
  return out;
}

// "1, 3" as numbers; empty when it is anything else.
std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = trimmed(text.substr(0, comma));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || end != word.data() + word.size()) return {};
    // Too many digits for a number is still a number, and out of range.
    out.push_back(error == std::errc() ? number : SIZE_MAX);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::size_t option_named(const Asked& asked, std::string_view label) {
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    if (asked.options[i].label == label) return i + 1;
  }
  const auto same_letters = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  };
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    const std::string& known = asked.options[i].label;
    if (std::equal(known.begin(), known.end(), label.begin(), label.end(), same_letters)) {
      return i + 1;
    }
  }
  return 0;
}

}  // namespace

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
    asked.options.push_back({std::string(option.label), std::string(option.description)});
  }
  for (const Extra& field : extra) {
    if (field.key == "request_id") asked.request_id = field.value.json;
  }
  return asked;
}

void with_payload(const Asked& asked, QuestionState state, std::string_view answer,
                  const std::function<void(const Question&)>& use) {
  std::vector<Option> options;
  options.reserve(asked.options.size());
  for (const Choice& choice : asked.options) {
    options.push_back({choice.label, choice.description.empty()
                                         ? std::string_view()
                                         : std::string_view(choice.description)});
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
  if (state == QuestionState::answered) question.answer = asked.secret ? "[hidden]" : answer;
  use(question);
}

Result<Answer> chosen_answer(const Asked& asked, std::vector<std::size_t> options) {
  std::sort(options.begin(), options.end());
  options.erase(std::unique(options.begin(), options.end()), options.end());
  if (options.empty()) return refused("an answer is empty");
  if (options.size() > 1 && !asked.multi_select) {
    return refused(fmt::format("only one can be chosen; answer with {}", what_would_do(asked)));
  }
  for (const std::size_t number : options) {
    if (number < 1 || number > asked.options.size()) {
      return refused(
          number == SIZE_MAX
              ? fmt::format("there is no such option; answer with {}", what_would_do(asked))
              : fmt::format("there is no option {}; answer with {}", number, what_would_do(asked)));
    }
  }
  return Answer{std::move(options), {}};
}

Result<Answer> literal_answer(const Asked& asked, std::string_view text) {
  if (text.size() > kLongestAnswer) return refused("an answer has at most 1 MiB");
  if (trimmed(text).empty()) {
    return refused(fmt::format("an answer is empty; answer with {}", what_would_do(asked)));
  }
  if (!asked.free_text) {
    return refused(
        fmt::format("that is not one of the options; answer with {}", what_would_do(asked)));
  }
  return Answer{{}, std::string(text)};
}

Result<Answer> read_answer(const Asked& asked, std::string_view typed) {
  const std::string_view words = trimmed(typed);
  if (!asked.options.empty()) {
    if (auto numbers = numbers_in(words); !numbers.empty()) {
      return chosen_answer(asked, std::move(numbers));
    }
    if (const std::size_t number = option_named(asked, words); number != 0) {
      return Answer{{number}, {}};
    }
  }
  return literal_answer(asked, words);
}

std::string answer_words(const Asked& asked, const Answer& answer) {
  if (answer.options.empty()) return answer.text;
  std::string out;
  for (const std::size_t number : answer.options) {
    if (!out.empty()) out += ", ";
    out += asked.options[number - 1].label;
  }
  return out;
}

}  // namespace dragoman::agent
