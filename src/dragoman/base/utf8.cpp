// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/utf8.hpp"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <simdjson.h>

namespace dragoman::utf8 {
namespace {

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

struct Lead {
  std::uint8_t length;       // of the whole sequence, 0 when the byte cannot start one
  unsigned char second_min;  // the second byte's range excludes overlong forms and surrogates
  unsigned char second_max;
};

Lead classify(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

bool continues(const Lead& lead, std::size_t index, unsigned char c) {
  if (index == 1) return c >= lead.second_min && c <= lead.second_max;
  return c >= 0x80 && c <= 0xBF;
}

// How many bytes at the front are surely ASCII; the first byte that is not lies at most 15 behind.
std::size_t ascii_run(std::string_view text) {
  std::size_t i = 0;
#if defined(__SSE2__)
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    if (_mm_movemask_epi8(v) != 0) return i;
  }
  if (i > 0) {  // what is left, with bytes seen before: how much it is cannot be guessed
    const char* const last = text.data() + text.size() - 16;
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(last));
    return _mm_movemask_epi8(v) != 0 ? i : text.size();
  }
#endif
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof word);
    if ((word & 0x8080808080808080U) != 0) return i;
  }
  while (i < text.size() && byte(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

CodePoint first(std::string_view text) {
  const unsigned char c = byte(text[0]);
  const Lead lead = classify(c);
  if (lead.length == 1) return {c, 1, true};
  if (lead.length == 0) return {0xFFFD, 1, false};
  char32_t value = c & (0xFFU >> (lead.length + 1U));
  for (std::uint8_t i = 1; i < lead.length; ++i) {
    if (i >= text.size() || !continues(lead, i, byte(text[i]))) return {0xFFFD, i, false};
    value = (value << 6U) | (byte(text[i]) & 0x3FU);
  }
  return {value, lead.length, true};
}

bool valid(std::string_view text) {
  // Nearly everything is ASCII, and most of it short: not worth a call through a table of kernels.
  text.remove_prefix(ascii_run(text));
  return text.empty() || simdjson::validate_utf8(text.data(), text.size());
}

std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const unsigned char c = byte(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c < 0xC0) continue;
    const Lead lead = classify(c);
    if (lead.length <= back) return 0;
    for (std::size_t i = 1; i < back; ++i) {
      if (!continues(lead, i, byte(text[text.size() - back + i]))) return 0;
    }
    return back;
  }
  return 0;
}

void append(std::string& out, char32_t c) {
  const auto put = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

void append_repaired(std::string& out, std::string_view text) {
  if (valid(text)) {
    out.append(text);
    return;
  }
  while (!text.empty()) {
    const CodePoint c = first(text);
    out.append(c.valid ? text.substr(0, c.length) : kReplacement);
    text.remove_prefix(c.length);
  }
}

namespace {

struct Step {
  std::size_t begin;
  std::size_t end;
};

// The code point or invalid subpart that `at` lies inside of; empty when a cut there cuts nothing.
Step step_around(std::string_view text, std::size_t at) {
  for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
    const std::size_t begin = at - back;
    if (byte(text[begin]) < 0x80) break;
    if (byte(text[begin]) < 0xC0) continue;
    const std::size_t end = begin + first(text.substr(begin)).length;
    if (end > at) return {begin, end};
    break;
  }
  return {at, at};
}

}  // namespace

std::size_t count(std::string_view text) {
  std::size_t n = 0;
  while (!text.empty()) {
    text.remove_prefix(first(text).length);
    ++n;
  }
  return n;
}

std::string_view prefix(std::string_view text, std::size_t code_points) {
  std::size_t end = 0;
  for (; code_points > 0 && end < text.size(); --code_points) end += first(text.substr(end)).length;
  return text.substr(0, end);
}

std::string_view head(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  return text.substr(0, step_around(text, bytes).begin);
}

std::string_view tail(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  return text.substr(step_around(text, text.size() - bytes).end);
}

}  // namespace dragoman::utf8
