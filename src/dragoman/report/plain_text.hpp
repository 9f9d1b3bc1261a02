// SPDX-License-Identifier: Apache-2.0
// Small tools for reading what programs print for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

// Without terminal escape sequences and other control characters; newlines and tabs stay.
[[nodiscard]] std::string strip_ansi(std::string_view text);

[[nodiscard]] std::string_view without_blanks(std::string_view text);

// A number at the start of `text`, which is moved behind it. None above 10^9: sums stay in range
// whatever a program prints.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);
// Whether `text` begins with `prefix`, and is then moved behind it.
[[nodiscard]] bool take(std::string_view& text, std::string_view prefix);

// Calls `use` for each line, without its end.
template <typename Use>
void for_each_line(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    use(line);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace dragoman
