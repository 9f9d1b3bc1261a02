// SPDX-License-Identifier: Apache-2.0
// Which characters of an agent must not reach a screen as they are: the one list for every place
// where its words are shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::utf8 {

// What stands around a character: some are needed in one place and a disguise in every other.
struct Around {
  char32_t before = 0;
  char32_t after = 0;
};

// Characters that command a terminal (C0, DEL, C1), change the order of the text around them
// (bidirectional controls), or cannot be seen at all (zero width, fillers, tags). A joiner between
// the parts of an emoji or inside a script that is written with joiners, and one variation selector
// behind a character that can have one, are what they seem and stay.
[[nodiscard]] bool is_hidden(char32_t c, const Around& around);

// How a hidden character is shown: U+2400 and following for C0 and DEL (ESC is U+241B), else its
// number, as in \u{202e}. Nothing is dropped.
void append_shown(std::string& out, char32_t c);

// A short text for one line of a terminal: hidden characters shown, line ends among them, and
// U+FFFD for what is not UTF-8.
[[nodiscard]] std::string with_hidden_shown(std::string_view text);

// The same for text of several lines: their ends, as \n, and tabs stay.
[[nodiscard]] std::string lines_with_hidden_shown(std::string_view text);

}  // namespace dragoman::utf8
