// SPDX-License-Identifier: Apache-2.0
#include "dragoman/report/plain_text.hpp"

#include <charconv>

namespace dragoman {

namespace {

// The bytes of the escape sequence at the start of `text`.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t at = 2;
  if (text[1] == '[') {
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
    return at < text.size() ? at + 1 : at;
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {
    for (; at < text.size(); ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == '\x1b') return at + 1 < text.size() && text[at + 1] == '\\' ? at + 2 : at;
    }
    return at;
  }
  return at;
}

}  // namespace

std::string strip_ansi(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\x1b') {
      at += escape_length(text.substr(at));
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 ? byte != 0x7F : (c == '\n' || c == '\t')) plain.push_back(c);
    ++at;
  }
  return plain;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || value > kMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace dragoman
