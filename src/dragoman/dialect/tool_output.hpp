// SPDX-License-Identifier: Apache-2.0
// The text of a tool's result that is a list of parts.
#pragma once

#include "dragoman/base/arena.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {

struct ToolOutput {
  json::Text text;       // of all text parts, joined by newlines; absent when there is none
  bool all_text = true;  // false: there is more than the text says
};

// `parts` is an array of {"type":"text","text":…} and others. The text stays escaped.
[[nodiscard]] ToolOutput output_of_parts(std::string_view parts, Arena& arena);

}  // namespace dragoman
