// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_events.hpp"

#include "dragoman/json/number.hpp"

namespace dragoman {

std::optional<Number> NumberReader::number(const json::Value& value) {
  if (!value.is(json::Kind::number)) return std::nullopt;
  const json::ParsedNumber parsed = json::parse_number(value.raw);
  if (parsed.fault == json::NumberFault::none) return parsed.value;
  events_.finding("number_range", Level::warning, value.raw);
  return std::nullopt;
}

std::optional<std::int64_t> NumberReader::integer(const json::Value& value) {
  const std::optional<Number> read = number(value);
  return read.has_value() ? read->whole() : std::nullopt;
}

std::optional<double> NumberReader::real(const json::Value& value) {
  const std::optional<Number> read = number(value);
  return read.has_value() ? std::optional<double>(read->real) : std::nullopt;
}

}  // namespace dragoman
