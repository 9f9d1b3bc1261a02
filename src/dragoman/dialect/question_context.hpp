// SPDX-License-Identifier: Apache-2.0
// The context of a [QUESTION] that is being written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// A paragraph behind the options is both: readers take it for context, and pass it on as text. So
// the context of a block waits until it is known whether the text goes on with it; then it is
// written once, as that paragraph.
class QuestionContext {
 public:
  explicit QuestionContext(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  // Whether the line may still belong to such a paragraph: it is kept then. Otherwise the context
  // has to be settled first.
  [[nodiscard]] bool keeps(std::string_view line);

  // How many of the last lines the kept text says.
  [[nodiscard]] std::size_t repeated() const;

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }

 private:
  std::vector<std::string> lines_;  // without newlines
  std::vector<std::string> kept_;   // a blank line, then those of the paragraph; with newlines
};

}  // namespace dragoman
