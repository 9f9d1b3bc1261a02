// SPDX-License-Identifier: Apache-2.0
// Bracket markers as they are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

struct BracketMarker {
  std::string lines;  // the marker line and its block, each line with its newline
  // Text that follows must not be taken for more of the block: it comes after so many blank lines.
  int blank_lines = 0;
  // The last lines of a question's block, unless the text that follows says them: see
  // question_context.hpp.
  std::vector<std::string> context;
};

// Absent: no bracket marker says this. An Error: one does, but not with these values.
[[nodiscard]] Result<std::optional<BracketMarker>> bracket_marker(const Event& event);

}  // namespace dragoman
