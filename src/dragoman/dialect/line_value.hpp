// SPDX-License-Identifier: Apache-2.0
// Values that have to stand on one line of text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

// Without blanks, tabs and line ends at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// One line: each run of white space that holds a line end becomes one blank, the ends are trimmed,
// what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string on_one_line(std::string_view text);

// How many bytes of white space `text` starts with, in the widest sense that any of the documents'
// parsers gives the word: what str.strip() of Python and trim() of JavaScript take away.
[[nodiscard]] std::size_t leading_space(std::string_view text);

// At most `code_points` code points, the last one an ellipsis when something was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t code_points);

}  // namespace dragoman
