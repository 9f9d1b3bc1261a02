// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/columns.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman::show {
namespace {

constexpr char32_t kEmojiPresentation = 0xFE0F;
constexpr char32_t kTextPresentation = 0xFE0E;

// How many bytes at the start are ASCII, in steps of eight: at the latest seven bytes before
// something else.
std::size_t ascii_steps(std::string_view text) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + kStep <= text.size(); at += kStep) {
    std::memcpy(&word, text.data() + at, kStep);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  return at;
}

// ASCII that is followed by ASCII is a grapheme of its own.
bool is_simple(std::string_view text) {
  return ascii::is_ascii(text[0]) && (text.size() == 1 || ascii::is_ascii(text[1]));
}

std::size_t width_of(char32_t c) {
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
  return width > 0 ? static_cast<std::size_t>(width) : 0;
}

bool is_regional(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

bool runs_right_to_left(char32_t c) {
  if (c < 0x590) return false;
  const auto bidi = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->bidi_class;
  return bidi == UTF8PROC_BIDI_CLASS_R || bidi == UTF8PROC_BIDI_CLASS_AL;
}

}  // namespace

Grapheme first_grapheme(std::string_view text) {
  if (is_simple(text)) return {1, text[0] == '\n' ? 0U : 1U};
  utf8::CodePoint point = utf8::first(text);
  Grapheme grapheme{point.length, width_of(point.value)};
  char32_t before = point.value;
  utf8proc_int32_t state = 0;
  while (grapheme.bytes < text.size()) {
    point = utf8::first(text.substr(grapheme.bytes));
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                         static_cast<utf8proc_int32_t>(point.value), &state) != 0) {
      break;
    }
    grapheme.bytes += point.length;
    // A picture is two columns wide however many parts it is made of; a mark adds nothing.
    if (point.value == kEmojiPresentation || (is_regional(before) && is_regional(point.value))) {
      grapheme.columns = 2;
    } else if (point.value == kTextPresentation) {
      grapheme.columns = 1;
    } else {
      grapheme.columns = std::max(grapheme.columns, width_of(point.value));
    }
    before = point.value;
  }
  return grapheme;
}

bool is_ascii(std::string_view text) {
  text.remove_prefix(ascii_steps(text));
  return std::all_of(text.begin(), text.end(), [](char c) { return ascii::is_ascii(c); });
}

std::size_t columns(std::string_view text) {
  if (is_ascii(text)) {
    return text.size() - static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::size_t sum = 0;
  while (!text.empty()) {
    const Grapheme grapheme = first_grapheme(text);
    sum += grapheme.columns;
    text.remove_prefix(grapheme.bytes);
  }
  return sum;
}

std::string_view fit(std::string_view text, std::size_t limit) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Grapheme grapheme = first_grapheme(text.substr(bytes));
    if (used + grapheme.columns > limit) break;
    used += grapheme.columns;
    bytes += grapheme.bytes;
  }
  return text.substr(0, bytes);
}

void append_elided(std::string& out, std::string_view text, std::size_t limit) {
  const std::string_view whole = fit(text, limit);
  if (whole.size() == text.size()) {
    out.append(text);
    return;
  }
  if (limit == 0) return;
  std::string_view head = fit(text, limit - 1);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  out.append(head).append("\u2026");
}

bool has_right_to_left(std::string_view text) {
  while (!text.empty()) {
    if (ascii::is_ascii(text[0])) {
      text.remove_prefix(std::max<std::size_t>(ascii_steps(text), 1));
      continue;
    }
    const utf8::CodePoint point = utf8::first(text);
    if (runs_right_to_left(point.value)) return true;
    text.remove_prefix(point.length);
  }
  return false;
}

}  // namespace dragoman::show
