// SPDX-License-Identifier: Apache-2.0
// What a line of simple Markdown begins (show/simple_markdown.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::show {

enum class LineSort : std::uint8_t {
  blank,
  words,    // a paragraph begins or goes on
  heading,  // level, content
  bullet,   // sign, content
  number,   // number, sign: . or ), content
  fence,    // sign, length, content: what stands behind it
  rule,
  other,  // anything that is not simple
};

struct SimpleLine {
  LineSort sort = LineSort::other;
  char sign = '\0';
  int level = 0;
  std::int64_t number = 0;
  std::size_t length = 0;
  std::string_view content;
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;    // without its newline
  std::size_t next = 0;   // where the next line begins
};

[[nodiscard]] SimpleLine simple_line_at(std::string_view text, std::size_t at);

// A line inside fenced code.
enum class FenceSort : std::uint8_t {
  code,
  closes,
  unclear,  // closes or not, depending on blanks
};
struct FenceLine {
  FenceSort sort = FenceSort::code;
  std::size_t next = 0;
};
[[nodiscard]] FenceLine fence_line_at(std::string_view text, std::size_t at, char sign,
                                      std::size_t length);

}  // namespace dragoman::show
