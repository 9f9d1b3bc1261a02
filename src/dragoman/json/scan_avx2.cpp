// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::json::kernels {
namespace {

struct Block {
  static constexpr int kSize = 32;
  std::uint64_t special;
  std::uint32_t high;

  explicit Block(const char* p) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
    const __m256i backslash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
    const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
    special = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, backslash), control)));
    high = static_cast<std::uint32_t>(_mm256_movemask_epi8(v));
  }
};

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
