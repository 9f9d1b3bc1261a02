// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/hidden.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::utf8 {
namespace {

struct Range {
  char32_t from;
  char32_t to;
};

// Ascending. Joiners and variation selectors are not here: they depend on their neighbours.
constexpr std::array kHidden = {
    Range{0x0000, 0x001F},    // C0
    Range{0x007F, 0x009F},    // DEL, C1
    Range{0x00AD, 0x00AD},    // soft hyphen
    Range{0x034F, 0x034F},    // combining grapheme joiner
    Range{0x061C, 0x061C},    // Arabic letter mark
    Range{0x115F, 0x1160},    // Hangul fillers
    Range{0x17B4, 0x17B5},    // Khmer inherent vowels
    Range{0x180B, 0x180F},    // Mongolian selectors and vowel separator
    Range{0x200B, 0x200B},    // zero width space
    Range{0x200E, 0x200F},    // directional marks
    Range{0x2028, 0x202E},    // line and paragraph separator, embeddings, overrides
    Range{0x2060, 0x206F},    // invisible operators, isolates, deprecated controls
    Range{0x3164, 0x3164},    // Hangul filler
    Range{0xFEFF, 0xFEFF},    // byte order mark
    Range{0xFFA0, 0xFFA0},    // half-width Hangul filler
    Range{0xFFF0, 0xFFFB},    // interlinear annotation
    Range{0x1BCA0, 0x1BCA3},  // shorthand controls
    Range{0x1D173, 0x1D17A},  // musical controls
    Range{0xE0000, 0xE00FF},  // tags
    Range{0xE01F0, 0xE0FFF},
};

bool within(char32_t c, char32_t from, char32_t to) { return c >= from && c <= to; }

bool pictographic(char32_t c) {
  return within(c, 0x1F000, 0x1FAFF) || within(c, 0x2190, 0x2BFF) || within(c, 0x3030, 0x303D) ||
         c == 0x00A9 || c == 0x00AE || c == 0x203C || c == 0x2049 || c == 0x2122 || c == 0x2139 ||
         c == 0xFE0F;
}

// Arabic to Sinhala, South-East Asia, Mongolian: scripts whose spelling uses joiners.
bool written_with_joiners(char32_t c) {
  return within(c, 0x0620, 0x0DFF) || within(c, 0x0E81, 0x109F) || within(c, 0x1780, 0x17B3) ||
         within(c, 0x17B6, 0x17FF) || within(c, 0x1820, 0x18AA) || within(c, 0x1B00, 0x1B7F) ||
         within(c, 0xA8E0, 0xA8FF) || within(c, 0xFB50, 0xFDFF) || within(c, 0xFE70, 0xFEFC);
}

bool ideograph(char32_t c) {
  return within(c, 0x3400, 0x9FFF) || within(c, 0xF900, 0xFAFF) || within(c, 0x20000, 0x323AF);
}

bool takes_selector(char32_t c) {
  if (c == '#' || c == '*' || within(c, '0', '9')) return true;  // keycaps
  return c > 0x9F && !within(c, 0xFE00, 0xFE0F) && !within(c, 0x200B, 0x200F);
}

}  // namespace

bool is_hidden(char32_t c, const Around& around) {
  if (c == 0x200D || c == 0x200C) {
    const bool in_script =
        written_with_joiners(around.before) && written_with_joiners(around.after);
    const bool in_emoji = c == 0x200D && pictographic(around.before) && pictographic(around.after);
    return !in_script && !in_emoji;
  }
  if (within(c, 0xFE00, 0xFE0F)) return !takes_selector(around.before);
  if (within(c, 0xE0100, 0xE01EF)) return !ideograph(around.before);
  if ((c & 0xFFFEU) == 0xFFFE) return true;  // no characters at all
  const auto* const found = std::lower_bound(kHidden.begin(), kHidden.end(), c,
                                             [](const Range& r, char32_t v) { return r.to < v; });
  return found != kHidden.end() && c >= found->from;
}

void append_shown(std::string& out, char32_t c) {
  if (c < 0x20) {
    append(out, 0x2400 + c);
  } else if (c == 0x7F) {
    append(out, 0x2421);
  } else {
    out += fmt::format("\\u{{{:04x}}}", static_cast<std::uint32_t>(c));
  }
}

std::string with_hidden_shown(std::string_view text) {
  std::string out;
  Around around;
  while (!text.empty()) {
    const CodePoint c = first(text);
    const std::string_view rest = text.substr(c.length);
    around.after = rest.empty() ? 0 : first(rest).value;
    if (!c.valid) {
      out.append(kReplacement);
    } else if (is_hidden(c.value, around)) {
      append_shown(out, c.value);
    } else {
      out.append(text.substr(0, c.length));
    }
    around.before = c.valid ? c.value : 0xFFFD;
    text = rest;
  }
  return out;
}

std::string lines_with_hidden_shown(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find_first_of("\n\t");
    std::string_view words = text.substr(0, end);
    const bool line = end != std::string_view::npos && text[end] == '\n';
    if (line && words.ends_with('\r')) words.remove_suffix(1);
    out += with_hidden_shown(words);
    if (end == std::string_view::npos) return out;
    out.push_back(text[end]);
    text.remove_prefix(end + 1);
  }
}

}  // namespace dragoman::utf8
