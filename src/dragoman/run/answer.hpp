// SPDX-License-Identifier: Apache-2.0
// What counts as an answer to a question, wherever it was typed: one grammar for the terminal, for
// programs and for the questions that wait in the log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman {

// What a question allows. Without labels any text will do.
struct AnswerRules {
  std::vector<std::string_view> labels;
  bool multi_select = false;
  bool free_text = false;
};

// What somebody chose or wrote.
struct Answer {
  std::vector<std::size_t> options;  // from 1, in the order of the question, each once
  std::string text;                  // where no option was chosen; for a denial, the reason

  friend bool operator==(const Answer&, const Answer&) = default;
};

// "2" is an option number, "1,3" several where several may be chosen, anything else a label or,
// where that is allowed, free text. The error says what is wrong with it and what would do.
[[nodiscard]] Result<Answer> read_answer(const AnswerRules& rules, std::string_view typed);
// The words as they are, never taken for a number or label.
[[nodiscard]] Result<Answer> literal_answer(const AnswerRules& rules, std::string_view text);
// Numbers that a program sends.
[[nodiscard]] Result<Answer> chosen_answer(const AnswerRules& rules,
                                           std::vector<std::size_t> options);

// The answer as a model reads it: the label, several joined by ", ", or the text.
[[nodiscard]] std::string answer_words(const AnswerRules& rules, const Answer& answer);

}  // namespace dragoman
