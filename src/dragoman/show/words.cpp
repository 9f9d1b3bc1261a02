// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dragoman::show {

std::string duration_words(double milliseconds) {
  if (!(milliseconds > 0)) return "0 ms";
  if (milliseconds < 999.5) return fmt::format("{:.0f} ms", milliseconds);
  const double seconds = milliseconds / 1000;
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  constexpr double kLongest = 1e9;
  const auto whole = static_cast<std::int64_t>(std::min(std::round(seconds), kLongest));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string duration_words(std::optional<double> milliseconds) {
  return milliseconds.has_value() ? duration_words(*milliseconds) : std::string();
}

std::string count_words(std::int64_t count) {
  if (count >= 10'000'000) return fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
  std::string digits = std::to_string(count);
  const std::size_t start = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string size_words(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{} KB", (bytes + 500) / 1000);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string number_words(double value) {
  if (!std::isfinite(value)) return "?";
  return fmt::format("{:.12g}", value);
}

std::string call_of(const NextAction& action) {
  const bool whole = action.command.empty() || action.command.starts_with('/');
  std::string call = whole ? "" : "/wxcode:";
  call.append(action.command);
  if (!action.args.empty()) call.append(" ").append(action.args);
  return call;
}

std::string spaced(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace dragoman::show
