// SPDX-License-Identifier: Apache-2.0
// What went wrong and where, read from messages that programs print for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct SourceLocation {
  std::string file;
  std::int64_t line = 0;
  std::optional<std::int64_t> column;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct ErrorText {
  static constexpr std::size_t kKeptLocations = 5;

  std::string type;     // TypeError; empty: not said
  std::string message;  // empty: no error in it
  std::vector<SourceLocation> locations;
  friend bool operator==(const ErrorText&, const ErrorText&) = default;
};

[[nodiscard]] ErrorText read_error_text(std::string_view text);

// The last line that is not blank, at most 1000 code points of it.
[[nodiscard]] std::string last_line(std::string_view text);

}  // namespace dragoman
