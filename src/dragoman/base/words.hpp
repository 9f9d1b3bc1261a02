// SPDX-License-Identifier: Apache-2.0
// Small parts of sentences for people.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace dragoman {

// "1 tool", "3 tools"
[[nodiscard]] std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "a, b or c"
[[nodiscard]] std::string listed(const std::vector<std::string_view>& words);

// A word of a shell's command line that a person may copy, in quotes where it needs them.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace dragoman
