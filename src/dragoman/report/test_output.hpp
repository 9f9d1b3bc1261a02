// SPDX-License-Identifier: Apache-2.0
// The results of tests, read from what their frameworks print.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct TestOutcome {
  static constexpr std::size_t kKeptNames = 50;

  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::vector<std::string> failed_tests;
  friend bool operator==(const TestOutcome&, const TestOutcome&) = default;
};

enum class TextBounds : std::uint8_t {
  one_command,  // the output of one command: its summaries are added
  unknown,  // anything may be in it: the last summary counts, unless the framework prints several
};

// Absent when no framework's summary is found. Colours are ignored.
[[nodiscard]] std::optional<TestOutcome> read_test_output(std::string_view text, TextBounds bounds);

}  // namespace dragoman
