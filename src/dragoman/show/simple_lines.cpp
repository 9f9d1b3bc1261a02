// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/simple_lines.hpp"

#include <algorithm>
#include <array>

#include "dragoman/base/ascii.hpp"

namespace dragoman::show {
namespace {

using ascii::is_alnum;
using ascii::is_digit;

// First characters that begin nothing but words, whatever follows them.
constexpr std::array<bool, 256> word_table() {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) {
    table[c] = c >= 0x80 || is_alnum(static_cast<char>(c));
  }
  for (std::size_t c = '0'; c <= '9'; ++c) table[c] = false;
  for (const char c : std::string_view("\"'(!$%,./;?{}^")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kWords = word_table();

std::size_t run_of(std::string_view line, char sign) {
  return std::min(line.find_first_not_of(sign), line.size());
}

// Words that may stand behind the sign of an item: they begin no block in their turn, and no task.
bool begins_words(std::string_view content);

bool ends_in_blank(std::string_view line) { return !line.empty() && line.back() == ' '; }

LineSort read_heading(std::string_view text, SimpleLine& line) {
  const std::size_t level = run_of(text, '#');
  if (level > 6 || level + 1 >= text.size() || text[level] != ' ') return LineSort::other;
  line.level = static_cast<int>(level);
  line.content = text.substr(level + 1);
  const bool plain = line.content.front() != ' ' && line.content.back() != '#';
  return plain ? LineSort::heading : LineSort::other;
}

LineSort read_number(std::string_view text, SimpleLine& line) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits > kMostDigits) return LineSort::other;
  if (digits == text.size()) return LineSort::words;
  line.sign = text[digits];
  if (line.sign != '.' && line.sign != ')') return LineSort::words;
  if (digits + 1 == text.size()) return LineSort::other;
  if (text[digits + 1] != ' ') return LineSort::words;
  for (std::size_t i = 0; i < digits; ++i) line.number = line.number * 10 + (text[i] - '0');
  line.content = text.substr(digits + 2);
  return begins_words(line.content) ? LineSort::number : LineSort::other;
}

LineSort read_fence(std::string_view text, SimpleLine& line) {
  line.sign = text[0];
  line.length = run_of(text, text[0]);
  line.content = text.substr(line.length);
  // A reader of Markdown undoes escapes and entities there, and trims it.
  if (line.content.find_first_of("`\\&\t") != std::string_view::npos) return LineSort::other;
  return line.content.starts_with(' ') ? LineSort::other : LineSort::fence;
}

// The line begins with * or -.
LineSort read_sign(std::string_view text, SimpleLine& line) {
  line.sign = text[0];
  if (text.size() > 2 && text[1] == ' ') {
    line.content = text.substr(2);
    return begins_words(line.content) ? LineSort::bullet : LineSort::other;
  }
  const std::size_t run = run_of(text, text[0]);
  if (run == text.size()) return run >= 3 ? LineSort::rule : LineSort::other;
  const bool emphasis = text[0] == '*' && run <= 2 && is_alnum(text[run]);
  return emphasis ? LineSort::words : LineSort::other;
}

LineSort read_start(std::string_view text, SimpleLine& line) {
  const char first = text[0];
  if (kWords[static_cast<unsigned char>(first)]) return LineSort::words;
  if (is_digit(first)) return read_number(text, line);
  switch (first) {
    case '#':
      return read_heading(text, line);
    case '`':
    case '~':
      if (run_of(text, first) >= 3) return read_fence(text, line);
      return first == '`' ? LineSort::words : LineSort::other;
    case '*':
    case '-':
    case '+':
      return read_sign(text, line);
    default:
      return LineSort::other;
  }
}

bool begins_words(std::string_view content) {
  SimpleLine line;
  return !content.empty() && read_start(content, line) == LineSort::words;
}

}  // namespace

SimpleLine simple_line_at(std::string_view text, std::size_t at) {
  SimpleLine line;
  line.begin = at;
  line.end = std::min(text.find('\n', at), text.size());
  line.next = std::min(line.end + 1, text.size());
  const std::string_view bytes = text.substr(at, line.end - at);
  if (bytes.empty()) {
    line.sort = LineSort::blank;
  } else if (!ends_in_blank(bytes)) {
    line.sort = read_start(bytes, line);
  }
  return line;
}

FenceLine fence_line_at(std::string_view text, std::size_t at, char sign, std::size_t length) {
  FenceLine line;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  line.next = std::min(end + 1, text.size());
  const std::string_view bytes = text.substr(at, end - at);
  const std::size_t indent = std::min(bytes.find_first_not_of(" \t"), bytes.size());
  if (indent == bytes.size() || bytes[indent] != sign) return line;
  const std::size_t run = run_of(bytes.substr(indent), sign);
  if (run < length) return line;
  const std::string_view rest = bytes.substr(indent + run);
  if (rest.find_first_not_of(" \t") != std::string_view::npos) return line;
  line.sort = indent == 0 && rest.empty() ? FenceSort::closes : FenceSort::unclear;
  return line;
}

}  // namespace dragoman::show
