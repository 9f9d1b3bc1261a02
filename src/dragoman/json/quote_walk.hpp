// SPDX-License-Identifier: Apache-2.0
// From quote to quote through a small JSON text: a map of 64 bytes at a time in place of a search
// for each string.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dragoman/json/escaped_bytes.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dragoman::json {

// What stands where in 64 bytes: bit i is byte i.
struct ByteMap {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t odd = 0;      // control characters, and the byte the caller is wary of
  std::uint64_t foreign = 0;  // above ASCII
};

#if defined(__SSE2__)
[[gnu::always_inline]] inline ByteMap map_bytes(const char* p, char wary) {
  ByteMap map;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits = [i](__m128i mask) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(mask))} << (16 * i);
    };
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    map.quotes |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    map.backslashes |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    map.odd |= bits(_mm_or_si128(control, _mm_cmpeq_epi8(v, _mm_set1_epi8(wary))));
    map.foreign |= bits(v);
  }
  return map;
}
#else
inline ByteMap map_bytes(const char* p, char wary) {
  ByteMap map;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const auto c = static_cast<unsigned char>(p[i]);
    if (c == '"') map.quotes |= bit;
    if (c == '\\') map.backslashes |= bit;
    if (c < 0x20 || p[i] == wary) map.odd |= bit;
    if (c >= 0x80) map.foreign |= bit;
  }
  return map;
}
#endif

class QuoteWalk {
 public:
  static constexpr std::ptrdiff_t kBlock = 64;

  // The walk needs whole blocks: it sees nothing of the last bytes before `end`.
  QuoteWalk(const char* from, const char* end, char wary)
      : base_(from - kBlock), end_(end), wary_(wary) {}

  // The next quote that no backslash escapes; null when there is none in the blocks before the end.
  [[nodiscard]] const char* next() {
    while (quotes_ == 0) {
      if (!load()) return nullptr;
    }
    const char* const at = base_ + std::countr_zero(quotes_);
    quotes_ &= quotes_ - 1;
    return at;
  }

  // Whether a backslash stands in the string between the last two quotes.
  [[nodiscard]] bool backslash_between(const char* from, const char* to) const {
    if (!backslash_seen_) return false;
    if (from < base_)
      return std::memchr(from, '\\', static_cast<std::size_t>(to - from)) != nullptr;
    return (map_.backslashes & below(to) & ~below(from)) != 0;
  }

  // About everything from the start to `to`, which lies behind the last quote that was returned
  // and has nothing but ASCII in between.
  [[nodiscard]] bool odd_before(const char* to) const {
    return (odd_ | (map_.odd & below(to))) != 0;
  }
  [[nodiscard]] bool foreign_before(const char* to) const {
    return (foreign_ | (map_.foreign & below(to))) != 0;
  }

 private:
  [[nodiscard]] std::uint64_t below(const char* to) const {
    return to - base_ >= kBlock ? ~std::uint64_t{0} : (std::uint64_t{1} << (to - base_)) - 1U;
  }

  bool load() {
    base_ += kBlock;
    if (end_ - base_ < kBlock) return false;
    odd_ |= map_.odd;
    foreign_ |= map_.foreign;
    map_ = map_bytes(base_, wary_);
    backslash_seen_ |= map_.backslashes != 0;
    quotes_ = map_.quotes & ~escaped_bytes(map_.backslashes, carry_);
    return true;
  }

  const char* base_;
  const char* end_;
  ByteMap map_;
  std::uint64_t quotes_ = 0;  // not yet returned
  std::uint64_t carry_ = 0;
  std::uint64_t odd_ = 0;  // of the blocks before
  std::uint64_t foreign_ = 0;
  char wary_;
  bool backslash_seen_ = false;
};

}  // namespace dragoman::json
