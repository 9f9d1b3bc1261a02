// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_context.hpp"

#include <algorithm>

#include "dragoman/dialect/line_value.hpp"

namespace dragoman {

bool QuestionContext::keeps(std::string_view line) {
  const bool blank = trimmed(line).empty();
  // One blank line, a paragraph, and another blank line that ends it. One line more than there are
  // is enough to know that it is another paragraph.
  const bool fits = blank == kept_.empty() && kept_.size() < lines_.size() + 2;
  if (fits) kept_.emplace_back(line);
  return fits;
}

std::size_t QuestionContext::repeated() const {
  if (kept_.size() < 2 || kept_.size() - 1 > lines_.size()) return 0;
  const std::size_t count = kept_.size() - 1;
  // A line that was changed to stay context is not the same as the text, and stays in the block.
  const bool same = std::equal(
      kept_.begin() + 1, kept_.end(), lines_.end() - static_cast<std::ptrdiff_t>(count),
      [](const std::string& said, const std::string& line) { return trimmed(said) == line; });
  return same ? count : 0;
}

}  // namespace dragoman
