// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/scan.hpp"

namespace dragoman::json {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// How many bytes at the front can be copied as they are: no quote, backslash, control character or,
// in a comment, '>'. Stops at bytes above ASCII only when U+2028 has to be looked for.
std::size_t plain_run(std::string_view text, Escapes escapes) {
  std::size_t i = 0;
  const bool in_comment = escapes == Escapes::in_comment;
#if defined(__SSE2__)
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    __m128i special =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    special = _mm_or_si128(special, _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v));
    if (in_comment) {
      special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('>')));
      special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\xE2')));
    }
    const int mask = _mm_movemask_epi8(special);
    if (mask != 0) return i + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  for (; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\' || c < 0x20) return i;
    if (in_comment && (c == '>' || c == 0xE2)) return i;
  }
  return i;
}

// A short text that is ASCII and has nothing to escape, as most words and names are, is put
// together with its quotes and appended at once. False: it is another one, and nothing was done.
bool append_short_plain(std::string& out, std::string_view text, Escapes escapes) {
#if defined(__SSE2__)
  constexpr std::size_t kLongest = 96;
  constexpr std::size_t kStep = 16;
  if (text.size() > kLongest) return false;
  std::array<char, kLongest + kStep + 2> quoted{};
  quoted[0] = '"';
  if (!text.empty()) std::memcpy(quoted.data() + 1, text.data(), text.size());
  const __m128i comment_end = _mm_set1_epi8(escapes == Escapes::in_comment ? '>' : '"');
  for (std::size_t at = 0; at < text.size(); at += kStep) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(quoted.data() + 1 + at));
    const __m128i quote =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, comment_end));
    // As signed bytes, control characters and everything above ASCII are both less than a blank.
    const __m128i odd = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                                     _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(quote, odd)));
    if (text.size() - at < kStep) found &= (1U << (text.size() - at)) - 1U;
    if (found != 0) return false;
  }
  quoted[text.size() + 1] = '"';
  out.append(quoted.data(), text.size() + 2);
  return true;
#else
  return false;
#endif
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\f':
      out.append("\\f");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out.append("\\u00");
      out.push_back(kHexDigits[byte >> 4U]);
      out.push_back(kHexDigits[byte & 0xFU]);
    }
  }
}

// Appends the inside of a string; `text` is valid UTF-8.
void append_escaped(std::string& out, std::string_view text, Escapes escapes) {
  while (!text.empty()) {
    const std::size_t run = plain_run(text, escapes);
    out.append(text.substr(0, run));
    text.remove_prefix(run);
    if (text.empty()) return;
    if (text[0] == '\xE2') {  // only stopped at in comments: U+2028 and U+2029 are E2 80 A8/A9
      const bool separator =
          text.substr(0, 3) == "\xE2\x80\xA8" || text.substr(0, 3) == "\xE2\x80\xA9";
      if (separator) {
        out.append(text[2] == '\xA8' ? "\\u2028" : "\\u2029");
      } else {
        out.append(text.substr(0, 3));
      }
      text.remove_prefix(3);
    } else {
      append_escape(out, text[0]);
      text.remove_prefix(1);
    }
  }
}

// An escaped text can be copied as it is when it has no \u (which may hide a lone surrogate) and
// its bytes are UTF-8.
bool copies_as_it_is(std::string_view inside) {
  return inside.find("\\u") == std::string_view::npos && utf8::valid(inside);
}

std::size_t string_length(std::string_view json) {  // json[0] is the opening quote
  const StringEnd end = scan_string(json.data() + 1, json.data() + json.size());
  return static_cast<std::size_t>(end.at - json.data()) + 1;
}

}  // namespace

void append_string(std::string& out, std::string_view text, Escapes escapes) {
  if (append_short_plain(out, text, escapes)) return;
  out.push_back('"');
  if (utf8::valid(text)) {
    append_escaped(out, text, escapes);
  } else {
    std::string repaired;
    utf8::append_repaired(repaired, text);
    append_escaped(out, repaired, escapes);
  }
  out.push_back('"');
}

void append_string(std::string& out, Text text, Escapes escapes) {
  if (text.escaped && escapes == Escapes::minimal && copies_as_it_is(text.bytes)) {
    out.push_back('"');
    out.append(text.bytes);
    out.push_back('"');
  } else if (text.escaped) {
    append_string(out, std::string_view(text.str()), escapes);
  } else {
    append_string(out, text.bytes, escapes);
  }
}

void append_raw(std::string& out, Raw raw, Escapes escapes) {
  std::string_view rest = raw.json;
  while (!rest.empty()) {
    const char c = rest[0];
    if (c == '"') {
      const std::size_t length = string_length(rest);
      append_string(out, Text(rest.substr(1, length - 2), true), escapes);
      rest.remove_prefix(length);
    } else {
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out.push_back(c);
      rest.remove_prefix(1);
    }
  }
}

void append_number(std::string& out, const Number& number) {
  std::array<char, 32> digits;
  char* const end = digits.data() + digits.size();
  if (number.integral) {
    out.append(digits.data(), std::to_chars(digits.data(), end, number.integer).ptr);
  } else if (!std::isfinite(number.real)) {
    out.append("null");  // JSON has no word for it; our readers refuse such numbers
  } else if (const auto whole = number.whole(); whole.has_value()) {
    out.append(digits.data(), std::to_chars(digits.data(), end, *whole).ptr);  // 3.0 is 3
  } else if (std::fabs(number.real) >= 0x1p63) {
    // Never as a bare row of digits: that would be an integer, and none that a reader can hold.
    constexpr auto kFormat = std::chars_format::scientific;
    out.append(digits.data(), std::to_chars(digits.data(), end, number.real, kFormat).ptr);
  } else {
    out.append(digits.data(), std::to_chars(digits.data(), end, number.real).ptr);
  }
}

Writer& Writer::integer(std::int64_t value) {
  separate();
  append_number(out_, Number::of(value));
  return *this;
}

Writer& Writer::count(std::uint64_t value) {
  separate();
  std::array<char, 24> digits;
  out_.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  return *this;
}

}  // namespace dragoman::json
