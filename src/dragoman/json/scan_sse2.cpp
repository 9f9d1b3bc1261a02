// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>

#include <cstdint>

namespace dragoman::json::kernels {
namespace {

struct Block {
  static constexpr int kSize = 16;
  std::uint64_t special;
  std::uint32_t high;

  explicit Block(const char* p) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    special = static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
    high = static_cast<std::uint32_t>(_mm_movemask_epi8(v));
  }
};

#include "dragoman/json/scan_blocks.inl"

}  // namespace

StringEnd scan_string_sse2(const char* from, const char* end) {
  return scan_string_blocks(from, end);
}

}  // namespace dragoman::json::kernels
#endif
