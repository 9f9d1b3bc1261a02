// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_events.hpp"

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/json/number.hpp"

namespace dragoman {
namespace {

// Whether the text is the number that a few digits spell, as nearly all counts are written.
bool plain_digits(std::string_view text, std::int64_t& value) {
  constexpr std::size_t kMost = 18;  // fewer than an integer can hold
  if (text.empty() || text.size() > kMost || (text[0] == '0' && text.size() > 1)) return false;
  value = 0;
  for (const char c : text) {
    if (!ascii::is_digit(c)) return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

}  // namespace

std::optional<Number> NumberReader::number(const json::Value& value) {
  if (!value.is(json::Kind::number)) return std::nullopt;
  const json::ParsedNumber parsed = json::parse_number(value.raw);
  if (parsed.fault == json::NumberFault::none) return parsed.value;
  // In full: nobody else keeps it.
  const bool range = parsed.fault == json::NumberFault::range;
  events_.finding("number_range", Level::warning,
                  fmt::format("{} is {}", value.raw, range ? "out of range" : "no JSON number"));
  return std::nullopt;
}

std::optional<std::int64_t> NumberReader::integer(const json::Value& value) {
  if (std::int64_t digits = 0; plain_digits(value.raw, digits)) return digits;
  const std::optional<Number> read = number(value);
  return read.has_value() ? read->whole() : std::nullopt;
}

std::optional<double> NumberReader::real(const json::Value& value) {
  const std::optional<Number> read = number(value);
  return read.has_value() ? std::optional<double>(read->real) : std::nullopt;
}

bool NumberReader::is_negative(double number, const json::Value& value) {
  if (number >= 0) return false;
  events_.finding("number_range", Level::warning,
                  fmt::format("{} counts less than nothing and was left out", value.raw));
  return true;
}

std::optional<std::int64_t> NumberReader::count(const json::Value& value) {
  const std::optional<std::int64_t> read = integer(value);
  if (!read.has_value() || is_negative(static_cast<double>(*read), value)) return std::nullopt;
  return read;
}

std::optional<Number> NumberReader::amount(const json::Value& value) {
  const std::optional<Number> read = number(value);
  if (!read.has_value() || is_negative(read->real, value)) return std::nullopt;
  return read;
}

}  // namespace dragoman
