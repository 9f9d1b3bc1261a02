// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "dragoman/base/ascii.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::show {
namespace {

// Cuts "@name", "#12" and "https://" for GitHub, which looks for them in the text that is left when
// all markup is gone, so that a backslash does not help.
constexpr std::string_view kCut = "&#8203;";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// GitHub makes links of "https://…" and "www.…" where they stand in running text: whether the
// character is the one behind "https" or "www".
bool makes_link(std::string_view line, std::size_t at) {
  if (line[at] == ':') return line.substr(at + 1).starts_with("//");
  return line[at] == '.' && at >= 3 && ascii::same_letters(line.substr(at - 3, 3), "www");
}

// The characters that mean something anywhere in a line.
constexpr std::string_view kMarkup = "\\`*_[]<>|~&$^{}";

bool starts_block(std::string_view line) {
  if (line.empty()) return false;
  const char c = line[0];
  if (c == '#' || c == '-' || c == '+' || c == '=' || c == ':') return true;
  return false;
}

// "12." and "12)" begin a list item: the length of the number.
std::size_t list_number(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && i < 10 && ascii::is_digit(line[i])) ++i;
  return i > 0 && i < line.size() && (line[i] == '.' || line[i] == ')') ? i : 0;
}

void put_line(std::string& out, std::string_view line, LineStart at) {
  std::size_t i = 0;
  if (at == LineStart::yes) {
    // Blanks at the start of a line would make code of it.
    while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
    if (starts_block(line.substr(i))) out.push_back('\\');
    if (const std::size_t digits = list_number(line.substr(i)); digits > 0) {
      out.append(line.substr(i, digits));
      out.push_back('\\');
      i += digits;
    }
  }
  for (; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (kMarkup.find(c) != std::string_view::npos) out.push_back('\\');
    if (c == '!' && next == '[') out.push_back('\\');
    if (makes_link(line, i)) out.append(kCut);
    out.push_back(c);
    if ((c == '@' || c == '#') && is_word(next)) out.append(kCut);
    if (c == '-' && i >= 2 && is_word(next) && (line[i - 1] == 'H' || line[i - 1] == 'h') &&
        (line[i - 2] == 'G' || line[i - 2] == 'g')) {
      out.append(kCut);  // GH-12
    }
  }
}

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

void append_markdown(std::string& out, std::string_view text, Breaks breaks, LineStart at) {
  std::string scratch;
  std::string_view rest = for_terminal(text, scratch, breaks);
  while (!rest.empty() && rest.front() == '\n') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
  for (;;) {
    const std::size_t end = rest.find('\n');
    put_line(out, rest.substr(0, end), at);
    if (end == std::string_view::npos) return;
    // A backslash before the line end keeps it where it is.
    out.append("\\\n");
    rest.remove_prefix(end + 1);
    while (!rest.empty() && rest[0] == '\n') {  // an empty line would end the paragraph
      out.append("&nbsp;\\\n");
      rest.remove_prefix(1);
    }
    at = LineStart::yes;
  }
}

void append_code_span(std::string& out, std::string_view text) {
  std::string scratch;
  const std::string_view safe = for_terminal(text, scratch, Breaks::join);
  if (safe.find_first_not_of(' ') == std::string_view::npos) {
    out.append("` `");
    return;
  }
  const std::string ticks(longest_run(safe, '`') + 1, '`');
  const bool pad =
      safe.front() == '`' || safe.back() == '`' || (safe.front() == ' ' && safe.back() == ' ');
  out.append(ticks);
  if (pad) out.push_back(' ');
  out.append(safe);
  if (pad) out.push_back(' ');
  out.append(ticks);
}

void append_fenced(std::string& out, std::string_view text, std::string_view info,
                   std::string_view indent) {
  std::string scratch;
  std::string_view rest = for_terminal(text, scratch);
  const std::string fence(std::max<std::size_t>(3, longest_run(rest, '`') + 1), '`');
  out.append(indent).append(fence);
  for (const char c : info.substr(0, 32)) {
    if (is_word(c) || std::string_view("+-_.#").find(c) != std::string_view::npos) {
      out.push_back(c);
    }
  }
  out.push_back('\n');
  if (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) out.append(indent).append(rest.substr(0, end));
    out.push_back('\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out.append(indent).append(fence).push_back('\n');
}

}  // namespace dragoman::show
