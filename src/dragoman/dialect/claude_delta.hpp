// SPDX-License-Identifier: Apache-2.0
// The line that a stream with partial messages is mostly made of: a few more words of a text.
#pragma once

#include <cstddef>
#include <string_view>

#include "dragoman/dialect/claude_line.hpp"

namespace dragoman {

// Reads the text delta at the start of `text`, spelled exactly as Claude Code writes it, into a
// line that was cleared: what read_claude_line would make of it. Returns how long the line is,
// without its newline; 0 when it is another line, is cut off or deserves a finding, and then the
// contents of `line` mean nothing.
[[nodiscard]] std::size_t read_plain_delta(std::string_view text, ClaudeLine& line);

}  // namespace dragoman
