// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

// What the library is compared with inside one process. Each returns what it
// found, so that no compiler can leave the work out.
namespace dragoman::bench {

// simdjson reads up to this many bytes behind the end of what it is given.
inline constexpr std::size_t kPadding = 64;

// Looks for a byte that is not there: the speed of reading memory.
std::size_t scan_with_memchr(std::string_view input);

// Counts newlines, one memchr per line: the least a line reader can do.
std::size_t count_lines(std::string_view input);

// WXCODE markers: a SIMD search for `<` and `W` at their distance, then
// simdjson for each payload. `input` must be followed by kPadding readable
// bytes; the same holds below.
std::size_t read_markers_with_simdjson(std::string_view input);

// The same with what a reader owes those who listen: each marker's fields in a struct, the text
// between markers as views, known to be UTF-8, and the line that either begins in. It still knows
// no fence, no quotation and no broken payload, and wants all of the input at once.
std::size_t tell_markers_with_simdjson(std::string_view input);

// JSON lines: simdjson on demand, nothing but `type` of each line.
std::size_t read_types_with_simdjson(std::string_view input);

}  // namespace dragoman::bench
