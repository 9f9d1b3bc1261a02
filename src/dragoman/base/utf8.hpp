// SPDX-License-Identifier: Apache-2.0
// UTF-8 as agents really send it: mostly right, sometimes cut, sometimes not UTF-8 at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::utf8 {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
  char32_t value = 0;
  std::uint8_t length = 0;  // bytes taken; of an invalid sequence its maximal subpart, at least 1
  bool valid = false;
};

// The code point at the start of `text`, which must not be empty.
[[nodiscard]] CodePoint first(std::string_view text);

[[nodiscard]] bool valid(std::string_view text);

// How many bytes at the end are the beginning of a sequence that more bytes could complete (0–3).
// A chunk is cut there, so that nobody sees half a character.
[[nodiscard]] std::size_t incomplete_tail(std::string_view text);

void append(std::string& out, char32_t code_point);

// Appends `text` with U+FFFD for each maximal subpart of an invalid sequence.
void append_repaired(std::string& out, std::string_view text);

[[nodiscard]] std::size_t count(
    std::string_view text);  // code points; an invalid subpart counts one

// The longest prefix of at most `code_points` code points.
[[nodiscard]] std::string_view prefix(std::string_view text, std::size_t code_points);

// The longest prefix or suffix of at most `bytes` bytes that does not cut a code point.
[[nodiscard]] std::string_view head(std::string_view text, std::size_t bytes);
[[nodiscard]] std::string_view tail(std::string_view text, std::size_t bytes);

}  // namespace dragoman::utf8
