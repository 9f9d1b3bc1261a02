// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dragoman::show {

// Appends an agent's Markdown as Markdown of ours: parsed and written anew, so that every fence,
// quote and list is closed, raw HTML is text, links are safe and nobody is mentioned. Headings
// stand two levels lower, below those of the page. Ends with an empty line.
void append_markdown_text(std::string& out, std::string_view text);

// Appends `text` with `prefix` before each line.
void append_prefixed(std::string& out, std::string_view text, std::string_view prefix);

}  // namespace dragoman::show
