// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>

#include <cstdint>

namespace dragoman::json::kernels {
namespace {

struct Block {
  static constexpr int kSize = 16;
  std::uint32_t special;    // quote, backslash, control
  std::uint32_t non_ascii;  // bit i stands for byte i

  explicit Block(const char* p) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    special = static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
    non_ascii = static_cast<std::uint32_t>(_mm_movemask_epi8(v));
  }
};

// Steps from one special byte of the block to the next. Null when the string ends here, else where
// to go on: several escapes in a block cost one load.
const char* step(const char* p, const char* end, StringEnd& result) {
  const Block block(p);
  for (std::uint32_t special = block.special; special != 0;) {
    const int i = __builtin_ctz(special);
    const char c = p[i];
    if (c == '\\' && i + 1 < Block::kSize && is_simple_escape(p[i + 1])) {
      result.escaped = true;
      special &= ~std::uint32_t{0} << static_cast<unsigned>(i + 2);
      continue;
    }
    result.non_ascii |= (block.non_ascii & ((1U << static_cast<unsigned>(i)) - 1U)) != 0;
    if (c == '\\') return step_over_escape(p + i, end, result);
    result.at = p + i;
    if (c != '"') result.stop = StringEnd::Stop::control;
    return nullptr;
  }
  result.non_ascii |= block.non_ascii != 0;
  return p + Block::kSize;
}

}  // namespace

StringEnd scan_string_sse2(const char* from, const char* end) {
  StringEnd result;
  while (end - from >= Block::kSize) {
    from = step(from, end, result);
    if (from == nullptr) return result;
  }
  return scan_string_bytes(from, end, result);
}

}  // namespace dragoman::json::kernels
#endif
