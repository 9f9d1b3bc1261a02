// SPDX-License-Identifier: Apache-2.0
// JSON numbers: exact where a machine number can be, never silently wrong.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::json {

// An integer spelled as one (no fraction, no exponent) is kept exactly; anything else is a double.
struct Number {
  bool integral = true;
  std::int64_t integer = 0;
  double real = 0;  // the value as a double, also when integral

  [[nodiscard]] static Number of(std::int64_t value) {
    return {true, value, static_cast<double>(value)};
  }
  [[nodiscard]] static Number of(double value) { return {false, 0, value}; }
  // The whole number this is, also when it was spelled 3.0 or 3e0.
  [[nodiscard]] std::optional<std::int64_t> whole() const;

  friend bool operator==(const Number&, const Number&) = default;
};

enum class NumberFault : std::uint8_t {
  none,
  spelling,  // not a JSON number
  range,     // an integer beyond int64, or a double that overflows
};

struct ParsedNumber {
  Number value;
  NumberFault fault = NumberFault::none;
};

// Reads the whole of `text`. "-0" is the integer 0.
[[nodiscard]] ParsedNumber parse_number(std::string_view text);

// Whether `text` is spelled as JSON spells a number, whatever its size.
[[nodiscard]] bool is_number(std::string_view text);

}  // namespace dragoman::json
