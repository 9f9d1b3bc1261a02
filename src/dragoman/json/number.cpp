// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/number.hpp"

#include <charconv>
#include <cmath>

namespace dragoman::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
      // from_chars calls an underflow a range error too; a number too small to tell from zero is
      // zero.
      const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                        text.substr(text[0] == '-' ? 1 : 0, 2) == "0.";
      return tiny ? ParsedNumber{Number::of(0.0), NumberFault::none}
                  : ParsedNumber{{}, NumberFault::range};
    }
  }
  return {{}, NumberFault::spelling};
}

}  // namespace dragoman::json
