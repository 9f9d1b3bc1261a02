// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/json/escaped_bytes.hpp"
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::json::kernels {
namespace {

#include "dragoman/base/blocks_avx2.inl"
#include "dragoman/base/utf8_check_avx2.inl"

// With the second bit turned over, the quote is the first byte behind the control characters.
__m256i quote_or_control(__m256i v) {
  const __m256i turned = _mm256_xor_si256(v, _mm256_set1_epi8('"' ^ 0x20));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(turned, _mm256_set1_epi8(0x20)), turned);
}
std::uint64_t stops_in(const Block& block) {
  return mask_of(quote_or_control(block.low), quote_or_control(block.high));
}

// One of  "  \\  /  f  n  r  t: all but the r are told by the lower half of the byte, and so would
// be b, were it not for the quote. It is the one that is seldom written, so it is looked at singly.
__m256i common_escape(__m256i v) {
  const __m256i by_low =
      _mm256_setr_epi8(1, 0, '"', 0, 't', 0, 'f', 0, 0, 0, 0, 0, '\\', 0, 'n', '/', 1, 0, '"', 0,
                       't', 0, 'f', 0, 0, 0, 0, 0, '\\', 0, 'n', '/');
  return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_low, v), v),
                         _mm256_cmpeq_epi8(v, _mm256_set1_epi8('r')));
}
std::uint64_t common_escapes_in(const Block& block) {
  return mask_of(common_escape(block.low), common_escape(block.high));
}
bool is_foreign(const Block& block) {
  return _mm256_movemask_epi8(_mm256_or_si256(block.low, block.high)) != 0;
}

#include "dragoman/json/scan_blocks.inl"

}  // namespace

StringEnd scan_string_avx2(const char* from, const char* end) {
  return scan_string_blocks(from, end);
}

}  // namespace dragoman::json::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
