// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::show {

// Numbers that a page hands out once: headings must not skip a level, tables need names of their
// own for those who cannot see them.
struct HtmlOutline {
  int heading = 2;  // of the last heading on the way here
  std::uint64_t tables = 0;
};

// Appends Markdown as HTML: nothing but our own tags, and none without content where a reader of
// the page would stumble over it (empty headings, links without a name).
void append_html_markdown(std::string& out, std::string_view text, HtmlOutline& outline);

}  // namespace dragoman::show
