// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/text_head.hpp"

#include <algorithm>

#include "dragoman/base/utf8.hpp"

namespace dragoman::show {
namespace {

// How many bytes of the spelling the character at the start of `text` takes.
std::size_t unit(std::string_view text, bool escaped) {
  if (!escaped || text[0] != '\\' || text.size() < 2) return 1;
  return text[1] == 'u' && text.size() >= 6 ? json::unicode_escape(text).length : 2;
}

// 0: no line end here; else how long its spelling is.
std::size_t newline_at(std::string_view text, bool escaped) {
  if (text[0] == '\n') return 1;
  return escaped && text.size() >= 2 && text[0] == '\\' && text[1] == 'n' ? 2 : 0;
}

std::size_t blank_at(std::string_view text, bool escaped) {
  const char c = text[0];
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return 1;
  if (!escaped || c != '\\' || text.size() < 2) return 0;
  return text[1] == 'n' || text[1] == 't' || text[1] == 'r' ? 2 : 0;
}

std::string_view without_blanks(std::string_view text, bool escaped) {
  while (!text.empty()) {
    const std::size_t blank = blank_at(text, escaped);
    if (blank == 0) break;
    text.remove_prefix(blank);
  }
  return text;
}

}  // namespace

json::Text cut(json::Text text, std::size_t bytes) {
  if (text.bytes.size() <= bytes) return text;
  if (!text.escaped) return {utf8::head(text.bytes, bytes), false};
  std::size_t at = 0;
  while (at < bytes) {
    const std::size_t next = at + unit(text.bytes.substr(at), true);
    if (next > bytes) break;
    at = next;
  }
  return {utf8::head(text.bytes, at), true};
}

bool append_first_line(std::string& out, json::Text text, std::size_t bytes) {
  const std::string_view rest = without_blanks(text.bytes, text.escaped);
  std::size_t at = 0;
  std::size_t newline = 0;
  while (at < rest.size() && at < bytes) {
    newline = newline_at(rest.substr(at), text.escaped);
    if (newline != 0) break;
    at += unit(rest.substr(at), text.escaped);
  }
  at = std::min(at, rest.size());
  const std::string_view line = newline != 0 ? rest.substr(0, at) : utf8::head(rest, at);
  json::decode_to(out, {line, text.escaped});
  return !without_blanks(rest.substr(line.size()), text.escaped).empty();
}

}  // namespace dragoman::show
