// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/format.hpp"

#include <array>
#include <cstddef>

#include "dragoman/base/ascii.hpp"
#include "dragoman/schema/pattern.hpp"

namespace dragoman::schema {
namespace {

using ascii::is_digit;

bool is_hex(char c) { return ascii::hex_value(c) >= 0; }

// Reads a fixed-width text from front to back; after the first mismatch nothing matches any more.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  int number(std::size_t width) {
    if (rest_.size() < width) return mismatch();
    int value = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!is_digit(c)) return mismatch();
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return value;
  }
  bool one_of(std::string_view choices) {
    const bool found = !rest_.empty() && choices.find(rest_[0]) != std::string_view::npos;
    if (found) rest_.remove_prefix(1);
    return found;
  }
  void expect(std::string_view choices) {
    if (!one_of(choices)) mismatch();
  }
  void digits() {
    if (rest_.empty() || !is_digit(rest_[0])) mismatch();
    while (!rest_.empty() && is_digit(rest_[0])) rest_.remove_prefix(1);
  }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

 private:
  int mismatch() {
    good_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool good_ = true;
};

bool is_date(int year, int month, int day) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int last = month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
  return day <= last;
}

bool is_date_time(std::string_view text) {
  Fields in(text);
  const int year = in.number(4);
  in.expect("-");
  const int month = in.number(2);
  in.expect("-");
  const int day = in.number(2);
  in.expect("Tt");
  const int hour = in.number(2);
  in.expect(":");
  const int minute = in.number(2);
  in.expect(":");
  const int second = in.number(2);
  if (in.one_of(".")) in.digits();
  int offset = 0;  // minutes east of UTC
  if (!in.one_of("Zz")) {
    const bool west = in.one_of("-");
    if (!west) in.expect("+");
    const int hours = in.number(2);
    in.expect(":");
    const int minutes = in.number(2);
    if (hours > 23 || minutes > 59) return false;
    offset = (west ? -1 : 1) * (hours * 60 + minutes);
  }
  if (!in.done() || hour > 23 || minute > 59 || second > 60) return false;
  // A leap second is the last one of a UTC day.
  const int utc_minute = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
  return is_date(year, month, day) && (second < 60 || utc_minute == 1439);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  if (format == "date-time") return is_date_time(text);
  if (format == "uuid") return is_uuid(text);
  if (format == "regex") {
    const auto pattern = Pattern::compile(text);
    return pattern || pattern.error().code == ErrorCode::unsupported;
  }
  return true;
}

}  // namespace dragoman::schema
