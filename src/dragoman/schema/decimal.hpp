// SPDX-License-Identifier: Apache-2.0
// JSON numbers compared as what they say, not as what a double makes of them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::schema {

// digits × 10^exponent, without leading and trailing zeros, so that equal numbers are equal values:
// 1, 1.0 and 10e-1 are all {+, "1", 0}. Exponents beyond ±10^15 are held there.
struct Decimal {
  bool negative = false;
  std::string digits;  // empty: zero
  std::int64_t exponent = 0;

  // `text` is a number as JSON spells it.
  [[nodiscard]] static Decimal parse(std::string_view text);

  [[nodiscard]] bool is_integer() const { return exponent >= 0; }
  // The value where it is a whole number of at most 18 digits.
  [[nodiscard]] std::optional<std::int64_t> whole() const;

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
};

// A divisor has at most so many significant digits: its arithmetic is done in 128 bits.
inline constexpr std::size_t kMaxDivisorDigits = 18;

// Whether `value` is an integer times `divisor`, exactly. The divisor is not zero.
[[nodiscard]] bool is_multiple(const Decimal& value, const Decimal& divisor);

}  // namespace dragoman::schema
