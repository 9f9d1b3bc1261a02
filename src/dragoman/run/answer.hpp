// SPDX-License-Identifier: Apache-2.0
// What counts as an answer to a question, wherever it was typed: one grammar for the terminal, for
// programs and for the questions that wait in the log.
//
// What is typed means, the first that fits:
//   2        the option of that number; "1,3" several, where several may be chosen
//   y        of a permission: yes, ok, allow; n, no, deny; session, always where that is offered
//   Cookie   the option with that label
//   n        of a question that has the labels Yes and No; y likewise
//   no: why  of a permission: n, no or deny, a comma or a colon, and the reason
//   words    free text where it is allowed; of a permission never, so that no word is a denial by
//            mistake
// Letters may be large or small. What fits nowhere is refused, with what would do.
//
// No answer has control characters in it but tabs and line ends: arrow keys are not words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/kept_question.hpp"

namespace dragoman {

// What the user chose or wrote.
struct Answer {
  std::vector<std::size_t> options = {};  // from 1, in the order of the question, each once
  std::string text = {};  // where no option was chosen; beside the one that denies: the reason

  friend bool operator==(const Answer&, const Answer&) = default;
};

// An answer as a person or a program gave it, perhaps before the question is known. One of the
// four forms is there, or options and text together. read_reply() makes the Answer of it, once:
// from there on it is passed on as `meant`.
struct Reply {
  std::string id = {};                    // empty: of the question that is asked first
  std::optional<std::string> typed = {};  // as a person types it: the grammar above
  std::optional<std::vector<std::size_t>> options = {};  // by number
  // Taken literally; beside an option that denies, the reason.
  std::optional<std::string> text = {};
  std::optional<Answer> meant = {};

  friend bool operator==(const Reply&, const Reply&) = default;
};
[[nodiscard]] Result<Answer> read_reply(const KeptQuestion& question, const Reply& reply);

// What was typed, by the grammar above.
[[nodiscard]] Result<Answer> read_answer(const KeptQuestion& question, std::string_view typed);
// The words as they are, never taken for a number or label. To a permission they are the reason of
// a denial; words that would allow it are refused, since one of the two must be a mistake.
[[nodiscard]] Result<Answer> literal_answer(const KeptQuestion& question, std::string_view text);
// Numbers that a program sends, with the reason where the option denies.
[[nodiscard]] Result<Answer> chosen_answer(const KeptQuestion& question,
                                           std::vector<std::size_t> options,
                                           std::string_view reason = {});

// The answer as a model reads it: the label, several joined by ", ", or the text.
[[nodiscard]] std::string answer_words(const KeptQuestion& question, const Answer& answer);

// What the answer to a permission grants; absent for any other question.
[[nodiscard]] std::optional<Grant> decision_of(const KeptQuestion& question, const Answer& answer);

// "y, n, 1 to 3, or "no: " and the reason": for a prompt and for errors.
[[nodiscard]] std::string what_would_do(const KeptQuestion& question);

}  // namespace dragoman
