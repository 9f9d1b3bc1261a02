// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dragoman/base/ascii.hpp"

namespace dragoman::json {
namespace {

using ascii::is_digit;

std::size_t digits(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

enum class Spelling { bad, integer, real };

Spelling spelling_of(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t whole = digits(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return Spelling::bad;
  at += whole;
  Spelling spelling = Spelling::integer;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    if (fraction == 0) return Spelling::bad;
    at += 1 + fraction;
    spelling = Spelling::real;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits(text, at);
    if (exponent == 0) return Spelling::bad;
    at += exponent;
    spelling = Spelling::real;
  }
  return at == text.size() ? spelling : Spelling::bad;
}

// Of a real number that from_chars calls out of range, which it does for both ends: whether it is
// too large. The power of ten of its first digit that is not zero tells; the edges are 300 powers
// away from where the two could be mixed up.
bool is_huge(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  std::int64_t exponent = 0;
  if (e != text.npos) {
    const std::string_view digits_of = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
    const char* const end = digits_of.data() + digits_of.size();
    if (std::from_chars(digits_of.data(), end, exponent).ec != std::errc{})
      return digits_of[0] != '-';
  }
  return point - first + exponent > 0;
}

}  // namespace

std::optional<std::int64_t> Number::whole() const {
  if (integral) return integer;
  constexpr double kLimit = 9007199254740992.0;  // beyond 2^53 a double no longer names one integer
  if (std::trunc(real) != real || std::fabs(real) > kLimit) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

bool is_number(std::string_view text) { return spelling_of(text) != Spelling::bad; }

ParsedNumber parse_number(std::string_view text) {
  const char* const end = text.data() + text.size();
  switch (spelling_of(text)) {
    case Spelling::bad:
      return {{}, NumberFault::spelling};
    case Spelling::integer: {
      std::int64_t value = 0;
      const auto [stop, code] = std::from_chars(text.data(), end, value);
      if (code != std::errc{} || stop != end) return {{}, NumberFault::range};
      return {Number::of(value), NumberFault::none};
    }
    case Spelling::real: {
      double value = 0;
      const auto [stop, code] = std::from_chars(text.data(), end, value);
      if (code == std::errc{} && stop == end) return {Number::of(value), NumberFault::none};
      // A number too small to tell from zero is zero.
      return is_huge(text) ? ParsedNumber{{}, NumberFault::range}
                           : ParsedNumber{Number::of(0.0), NumberFault::none};
    }
  }
  return {{}, NumberFault::spelling};
}

}  // namespace dragoman::json
