// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/decimal.hpp"

#include <algorithm>

namespace dragoman::schema {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;

std::int64_t parse_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') continue;  // the sign
    value = std::min(value * 10 + (c - '0'), kMaxExponent);
  }
  return negative ? -value : value;
}

// Order of |a| and |b|, both not zero.
std::strong_ordering compare_size(const Decimal& a, const Decimal& b) {
  const auto magnitude = [](const Decimal& d) {
    return d.exponent + static_cast<std::int64_t>(d.digits.size());
  };
  if (const auto order = magnitude(a) <=> magnitude(b); order != 0) return order;
  return a.digits.compare(b.digits) <=> 0;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::uint64_t power_of_ten(std::int64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  std::uint64_t square = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = times(result, square, modulus);
    square = times(square, square, modulus);
  }
  return result;
}

}  // namespace

Decimal Decimal::parse(std::string_view text) {
  Decimal result;
  result.negative = text.starts_with('-');
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    result.exponent = parse_exponent(text.substr(e + 1));
    text = text.substr(0, e);
  }
  bool fraction = false;
  for (const char c : text) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    if (!result.digits.empty() || c != '0') result.digits.push_back(c);
    if (fraction) --result.exponent;
  }
  while (result.digits.ends_with('0')) {
    result.digits.pop_back();
    ++result.exponent;
  }
  if (result.digits.empty()) return {};  // -0, 0e5
  return result;
}

std::optional<std::int64_t> Decimal::whole() const {
  if (!is_integer() || exponent > 18 || digits.size() + static_cast<std::size_t>(exponent) > 18) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  for (std::int64_t i = 0; i < exponent; ++i) value *= 10;
  return negative ? -value : value;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& d) { return d.digits.empty() ? 0 : (d.negative ? -1 : 1); };
  if (const auto order = sign(a) <=> sign(b); order != 0 || a.digits.empty()) return order;
  return a.negative ? compare_size(b, a) : compare_size(a, b);
}

bool is_multiple(const Decimal& value, const Decimal& divisor) {
  if (value.digits.empty()) return true;
  // Without its trailing zeros the value is no multiple of ten, so a larger power of ten in the
  // divisor never divides it.
  if (value.exponent < divisor.exponent) return false;
  std::uint64_t modulus = 0;
  for (const char c : divisor.digits) modulus = modulus * 10 + static_cast<std::uint64_t>(c - '0');
  std::uint64_t rest = 0;
  for (const char c : value.digits) {
    rest = (times(rest, 10, modulus) + static_cast<std::uint64_t>(c - '0')) % modulus;
  }
  return times(rest, power_of_ten(value.exponent - divisor.exponent, modulus), modulus) == 0;
}

}  // namespace dragoman::schema
