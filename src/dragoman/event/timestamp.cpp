// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/event/json.hpp"

namespace dragoman {
namespace {

using ascii::is_digit;

// Whether `text` is spelled like `pattern`, in which 0 stands for any digit.
bool is_like(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

void append_timestamp(std::string& out, Timestamp ts) {
  // By the calendar, not by time_t: the standard clock counts nanoseconds and ends in 2262.
  const auto midnight = std::chrono::floor<std::chrono::days>(ts);
  const std::chrono::year_month_day day{midnight};
  const std::chrono::hh_mm_ss time{ts - midnight};
  out += fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  constexpr std::string_view kSeconds = "0000-00-00T00:00:00";
  const std::string_view rest = text.size() < kSeconds.size() ? "" : text.substr(kSeconds.size());
  if (rest.empty() || !is_like(text.substr(0, kSeconds.size()), kSeconds)) return std::nullopt;
  // The fraction is optional; what is finer than a millisecond is dropped.
  std::string_view fraction = rest.substr(0, rest.size() - 1);
  if (rest.back() != 'Z' || fraction == ".") return std::nullopt;
  if (!fraction.empty()) {
    if (fraction[0] != '.' || fraction.find_first_not_of("0123456789", 1) != fraction.npos)
      return std::nullopt;
    fraction.remove_prefix(1);
  }
  std::string milliseconds(fraction.substr(0, 3));
  milliseconds.resize(3, '0');

  const auto part = [text](std::size_t at, std::size_t length) {
    return number(text.substr(at, length));
  };
  const std::chrono::year_month_day day{std::chrono::year{part(0, 4)},
                                        std::chrono::month{static_cast<unsigned>(part(5, 2))},
                                        std::chrono::day{static_cast<unsigned>(part(8, 2))}};
  if (!day.ok() || part(11, 2) > 23 || part(14, 2) > 59 || part(17, 2) > 60) return std::nullopt;
  return std::chrono::sys_days{day} + std::chrono::hours{part(11, 2)} +
         std::chrono::minutes{part(14, 2)} + std::chrono::seconds{part(17, 2)} +
         std::chrono::milliseconds{number(milliseconds)};
}

}  // namespace dragoman
