// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/neutral.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/hidden.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman::show {
namespace {

using ByteSet = std::array<bool, 256>;

constexpr ByteSet stops(std::string_view also) {
  ByteSet set{};
  for (std::size_t c = 0; c < 256; ++c) set[c] = c < 0x20 || c >= 0x7F;
  for (const char c : also) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr ByteSet kTerminalStops = stops("");
constexpr ByteSet kHtmlStops = stops("<>&\"'");

std::size_t plain_run(std::string_view text, const ByteSet& stop) {
  std::size_t i = 0;
  while (i < text.size() && !stop[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

// Printable ASCII, 16 bytes at a time; ends at the latest 15 bytes before something else.
std::size_t printable_run(std::string_view text) {
  std::size_t i = 0;
#if defined(__SSE2__)
  const __m128i low = _mm_set1_epi8(0x1F);
  const __m128i del = _mm_set1_epi8(0x7F);
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    const __m128i good = _mm_andnot_si128(_mm_cmpeq_epi8(v, del), _mm_cmpgt_epi8(v, low));
    if (_mm_movemask_epi8(good) != 0xFFFF) break;
  }
#endif
  return i;
}

// Lines, tabs and hidden characters are the same in every sink; ASCII that means something to one
// sink alone is its own affair.
struct Scan {
  std::string_view rest;
  char32_t before = 0;

  utf8::CodePoint next() const { return utf8::first(rest); }
  char32_t after(std::size_t length) const {
    return length < rest.size() ? utf8::first(rest.substr(length)).value : 0;
  }
  void skip(std::size_t length, char32_t last) {
    rest.remove_prefix(length);
    before = last;
  }
};

// Writes the character at the front, which is a control or not ASCII.
void put_special(std::string& out, Scan& scan, Breaks breaks) {
  const utf8::CodePoint c = scan.next();
  std::size_t length = c.length;
  if (!c.valid) {
    out.append(utf8::kReplacement);
  } else if (c.value == '\n' || c.value == '\t') {
    out.push_back(breaks == Breaks::keep ? static_cast<char>(c.value) : ' ');
  } else if (c.value == '\r' && scan.after(1) == '\n') {
    length = 2;
    out.push_back(breaks == Breaks::keep ? '\n' : ' ');
  } else if (utf8::is_hidden(c.value, {scan.before, scan.after(c.length)})) {
    utf8::append_shown(out, c.value);
  } else {
    out.append(scan.rest.substr(0, c.length));
  }
  scan.skip(length, c.valid ? c.value : 0xFFFD);
}

template <typename Put>
void translate(std::string& out, Scan scan, const ByteSet& stop, Breaks breaks, Put put_ascii) {
  while (!scan.rest.empty()) {
    if (const std::size_t run = plain_run(scan.rest, stop); run > 0) {
      out.append(scan.rest.substr(0, run));
      scan.skip(run, static_cast<unsigned char>(scan.rest[run - 1]));
      continue;
    }
    const auto c = static_cast<unsigned char>(scan.rest[0]);
    if (c < 0x20 || c >= 0x7F) {
      put_special(out, scan, breaks);
    } else {
      put_ascii(out, static_cast<char>(c));
      scan.skip(1, c);
    }
  }
}

// Goes over what can be written as it is.
Scan behind_unchanged(std::string_view text, Breaks breaks) {
  Scan scan{text};
  while (!scan.rest.empty()) {
    std::size_t run = printable_run(scan.rest);
    run += plain_run(scan.rest.substr(run), kTerminalStops);
    if (run > 0) {
      scan.skip(run, static_cast<unsigned char>(scan.rest[run - 1]));
      continue;
    }
    const utf8::CodePoint c = scan.next();
    const bool line = c.value == '\n' || c.value == '\t';
    if (!c.valid || (line && breaks == Breaks::join) ||
        (!line && utf8::is_hidden(c.value, {scan.before, scan.after(c.length)}))) {
      break;
    }
    scan.skip(c.length, c.value);
  }
  return scan;
}

// ESC [ … m, and the ESC [ K that programs write beside it: to the right of what is written line by
// line there is nothing to be cleared. 0: something else begins there.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;:", 2);
  if (end == std::string_view::npos) return 0;
  const bool clears = text[end] == 'K' && (end == 2 || text.substr(2, end - 2) == "0");
  return text[end] == 'm' || clears ? end + 1 : 0;
}

void no_ascii(std::string& out, char c) { out.push_back(c); }

}  // namespace

void append_terminal(std::string& out, std::string_view text, Breaks breaks) {
  const Scan scan = behind_unchanged(text, breaks);
  out.append(text.substr(0, text.size() - scan.rest.size()));
  translate(out, scan, kTerminalStops, breaks, no_ascii);
}

std::string_view for_terminal(std::string_view text, std::string& scratch, Breaks breaks) {
  const Scan scan = behind_unchanged(text, breaks);
  if (scan.rest.empty()) return text;
  scratch.assign(text.substr(0, text.size() - scan.rest.size()));
  translate(scratch, scan, kTerminalStops, breaks, no_ascii);
  return scratch;
}

std::string_view without_colours(std::string_view text, std::string& scratch) {
  std::size_t escape = text.find('\x1b');
  if (escape == std::string_view::npos) return text;
  scratch.clear();
  while (escape != std::string_view::npos) {
    const std::size_t length = colour_length(text.substr(escape));
    scratch.append(text.substr(0, length > 0 ? escape : escape + 1));
    text.remove_prefix(escape + std::max<std::size_t>(length, 1));
    escape = text.find('\x1b');
  }
  scratch.append(text);
  return scratch;
}

void append_html(std::string& out, std::string_view text, Breaks breaks) {
  translate(out, Scan{text}, kHtmlStops, breaks, [](std::string& to, char c) {
    switch (c) {
      case '<':
        to.append("&lt;");
        break;
      case '>':
        to.append("&gt;");
        break;
      case '&':
        to.append("&amp;");
        break;
      case '"':
        to.append("&quot;");
        break;
      default:
        to.append("&#39;");
        break;
    }
  });
}

bool safe_link(std::string_view url) {
  constexpr std::array<std::string_view, 3> kSchemes = {"http://", "https://", "mailto:"};
  const auto starts = [&url](std::string_view scheme) {
    return url.size() > scheme.size() && ascii::same_letters(url.substr(0, scheme.size()), scheme);
  };
  if (std::none_of(kSchemes.begin(), kSchemes.end(), starts)) return false;
  return url.find_first_of(" \t\n") == std::string_view::npos &&
         behind_unchanged(url, Breaks::join).rest.empty();
}

}  // namespace dragoman::show
