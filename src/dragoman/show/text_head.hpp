// SPDX-License-Identifier: Apache-2.0
// The beginning of a text that may be megabytes long and still escaped, without decoding the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dragoman/json/text.hpp"

namespace dragoman::show {

// `text` cut to at most `bytes` of its spelling, never inside an escape.
[[nodiscard]] json::Text cut(json::Text text, std::size_t bytes);

// Appends the first line that has more than blanks in it, decoded and without its newline: at most
// `bytes` of its spelling. True when the text goes on after it, other than with blanks.
bool append_first_line(std::string& out, json::Text text, std::size_t bytes);

}  // namespace dragoman::show
