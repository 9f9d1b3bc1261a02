// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// An agent's words as one line that git and a terminal can take: runs of blanks and hidden
// characters (base/hidden.hpp) become one blank, what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace dragoman
