// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace dragoman {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array kUnits = {
    Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1},
};
constexpr double kMost = 10.0 * 365 * 86'400'000;

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const Error wrong{
      ErrorCode::validation,
      fmt::format("'{}' is not a length of time: write a number with ms, s, m, h or d, as in 90s",
                  text)};
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || !std::isfinite(number) || number < 0 || std::signbit(number))
    return wrong;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double scale = unit.empty() ? 1000 : 0;
  for (const Unit& known : kUnits) {
    if (unit == known.name) scale = static_cast<double>(known.milliseconds);
  }
  if (scale == 0 || number * scale > kMost) return wrong;
  return std::chrono::milliseconds(std::llround(number * scale));
}

std::string age_words(std::int64_t milliseconds) {
  constexpr std::int64_t kLeast = 1000;
  for (const Unit& unit : kUnits) {
    if (unit.milliseconds >= kLeast && milliseconds >= unit.milliseconds)
      return fmt::format("{}{}", milliseconds / unit.milliseconds, unit.name);
  }
  return "now";
}

}  // namespace dragoman
