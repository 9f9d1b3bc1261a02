// SPDX-License-Identifier: Apache-2.0
// The end of a short string, found in line: calling scan_string for each key costs more than the
// key.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman::json {

#if defined(__SSE2__)
// One bit for each of 16 bytes that is a quote, a backslash, a control character or above ASCII.
inline std::uint32_t not_plain(const char* p) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  // As signed bytes, control characters and everything above ASCII are both less than a blank.
  const __m128i odd = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(backslash, odd), quote)));
}

// The closing quote, when it lies in the next 64 bytes with only plain ASCII before it: nearly all
// keys and most short values, ids among them. Null when the full scan has to look. Steps of 32
// bytes, because how long a key is cannot be predicted, and that it is shorter can.
inline const char* close_quote_nearby(const char* p, const char* end) {
  for (int i = 0; i < 2 && end - p >= 32; ++i, p += 32) {
    const std::uint32_t stops = not_plain(p) | not_plain(p + 16) << 16U;
    if (stops == 0) continue;
    const char* const stop = p + __builtin_ctz(stops);
    return *stop == '"' ? stop : nullptr;
  }
  return nullptr;
}
#else
inline const char* close_quote_nearby(const char*, const char*) { return nullptr; }
#endif

}  // namespace dragoman::json
