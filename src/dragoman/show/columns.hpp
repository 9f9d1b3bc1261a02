// SPDX-License-Identifier: Apache-2.0
// How many columns text takes on a terminal. Text is valid UTF-8 without control characters, as
// show/neutral.hpp leaves it; a line end takes none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::show {

// What a person sees as one character: a letter with its marks, an emoji with all its parts.
struct Grapheme {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};

// The grapheme at the start of `text`, which must not be empty.
[[nodiscard]] Grapheme first_grapheme(std::string_view text);

[[nodiscard]] std::size_t columns(std::string_view text);

[[nodiscard]] bool is_ascii(std::string_view text);

// The longest prefix of whole graphemes in at most `limit` columns.
[[nodiscard]] std::string_view fit(std::string_view text, std::size_t limit);

// Appends `text` in at most `limit` columns, the last one '…' when it was cut.
void append_elided(std::string& out, std::string_view text, std::size_t limit);

// Whether any of it is written from right to left.
[[nodiscard]] bool has_right_to_left(std::string_view text);

}  // namespace dragoman::show
