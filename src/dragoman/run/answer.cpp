// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/answer.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kLongestAnswer = 1 << 20;

Error refused(std::string why) { return {ErrorCode::validation, std::move(why), "bad_value"}; }

bool takes_text(const AnswerRules& rules) { return rules.free_text || rules.labels.empty(); }

std::string what_would_do(const AnswerRules& rules) {
  std::string out = rules.labels.empty() ? "" : fmt::format("1 to {}", rules.labels.size());
  if (rules.multi_select && !out.empty()) out += ", several with commas between";
  if (takes_text(rules)) out += out.empty() ? "some text" : ", or text of your own";
  return out;
}

// "1, 3" as numbers; empty when it is anything else.
std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = ascii::trimmed(text.substr(0, comma));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || end != word.data() + word.size()) return {};
    // Too many digits, or a sign, is still a number, and out of range.
    const bool counts = error == std::errc() && number >= 0;
    out.push_back(counts ? static_cast<std::size_t>(number) : SIZE_MAX);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::size_t option_named(const AnswerRules& rules, std::string_view label) {
  const auto exact = std::ranges::find(rules.labels, label);
  if (exact != rules.labels.end())
    return static_cast<std::size_t>(exact - rules.labels.begin()) + 1;
  for (std::size_t i = 0; i < rules.labels.size(); ++i) {
    if (ascii::same_letters(rules.labels[i], label)) return i + 1;
  }
  return 0;
}

}  // namespace

Result<Answer> chosen_answer(const AnswerRules& rules, std::vector<std::size_t> options) {
  std::ranges::sort(options);
  options.erase(std::unique(options.begin(), options.end()), options.end());
  if (options.empty()) return refused("an answer is empty");
  if (options.size() > 1 && !rules.multi_select) {
    return refused(fmt::format("only one can be chosen; answer with {}", what_would_do(rules)));
  }
  for (const std::size_t number : options) {
    if (number >= 1 && number <= rules.labels.size()) continue;
    const std::string which = number == SIZE_MAX ? "such option" : fmt::format("option {}", number);
    return refused(fmt::format("there is no {}; answer with {}", which, what_would_do(rules)));
  }
  return Answer{std::move(options), {}};
}

Result<Answer> literal_answer(const AnswerRules& rules, std::string_view text) {
  if (text.size() > kLongestAnswer) return refused("an answer has at most 1 MiB");
  if (text.find('\0') != std::string_view::npos) return refused("an answer has no NUL in it");
  if (ascii::trimmed(text).empty()) {
    return refused(fmt::format("an answer is empty; answer with {}", what_would_do(rules)));
  }
  if (!takes_text(rules)) {
    return refused(
        fmt::format("that is not one of the options; answer with {}", what_would_do(rules)));
  }
  return Answer{{}, std::string(text)};
}

Result<Answer> read_answer(const AnswerRules& rules, std::string_view typed) {
  const std::string_view words = ascii::trimmed(typed);
  if (!rules.labels.empty()) {
    if (auto numbers = numbers_in(words); !numbers.empty()) {
      return chosen_answer(rules, std::move(numbers));
    }
    if (const std::size_t number = option_named(rules, words); number != 0) {
      return Answer{{number}, {}};
    }
  }
  return literal_answer(rules, words);
}

std::string answer_words(const AnswerRules& rules, const Answer& answer) {
  if (answer.options.empty()) return answer.text;
  std::string out;
  for (const std::size_t number : answer.options) {
    if (!out.empty()) out += ", ";
    out += rules.labels[number - 1];
  }
  return out;
}

}  // namespace dragoman
