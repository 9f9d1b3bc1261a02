// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_names.hpp"

#include <charconv>
#include <chrono>

#include "dragoman/base/ascii.hpp"

namespace dragoman {

namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

bool is_plain(char c) { return ascii::is_alnum(c) || c == '-' || c == '_' || c == '/'; }

int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  if (at + count > text.size()) return 0;
  std::from_chars(text.data() + at, text.data() + at + count, value);
  return value;
}

}  // namespace

std::string to_token(std::string_view name) {
  std::string token;
  token.reserve(name.size());
  for (const char c : name) {
    if (is_plain(c)) {
      token.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    token.push_back('=');
    token.push_back(kHex[byte >> 4U]);
    token.push_back(kHex[byte & 15U]);
  }
  return token.empty() ? "=" : token;  // a token is never empty
}

std::string from_token(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '=') {
      name.push_back(token[i]);
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= token.size()) break;
    std::from_chars(token.data() + i + 1, token.data() + i + 3, byte, 16);
    name.push_back(static_cast<char>(byte));
    i += 2;
  }
  return name;
}

std::int64_t milliseconds_of(std::string_view timestamp) {
  namespace time = std::chrono;
  if (timestamp.size() < 20 || timestamp[10] != 'T') return 0;
  const time::year_month_day date{time::year(digits(timestamp, 0, 4)),
                                  time::month(static_cast<unsigned>(digits(timestamp, 5, 2))),
                                  time::day(static_cast<unsigned>(digits(timestamp, 8, 2)))};
  if (!date.ok()) return 0;
  auto since = time::duration_cast<time::milliseconds>(time::sys_days(date).time_since_epoch());
  since += time::hours(digits(timestamp, 11, 2)) + time::minutes(digits(timestamp, 14, 2)) +
           time::seconds(digits(timestamp, 17, 2));
  if (timestamp[19] == '.') {
    // The server leaves zeros at the end out.
    std::int64_t scale = 100;
    for (std::size_t i = 20; i < timestamp.size() && scale > 0; ++i, scale /= 10) {
      if (timestamp[i] < '0' || timestamp[i] > '9') break;
      since += time::milliseconds((timestamp[i] - '0') * scale);
    }
  }
  return since.count();
}

}  // namespace dragoman
