// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/json/quote_map.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace dragoman::json::kernels {
namespace {

std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32U;
}

std::uint64_t equal(__m256i low, __m256i high, __m256i byte) {
  return mask_of(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte));
}

__m256i odd(__m256i v, __m256i wary) {
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
  return _mm256_or_si256(control, _mm256_cmpeq_epi8(v, wary));
}

}  // namespace

void map_bytes_avx2(const char* p, char wary, ByteMap& map) {
  const __m256i wary_byte = _mm256_set1_epi8(wary);
  for (std::size_t block = 0; block < ByteMap::kBlocks; ++block, p += 64) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32));
    map.quotes[block] = equal(low, high, _mm256_set1_epi8('"'));
    map.backslashes[block] = equal(low, high, _mm256_set1_epi8('\\'));
    map.odd[block] = mask_of(odd(low, wary_byte), odd(high, wary_byte));
    map.foreign[block] = mask_of(low, high);
  }
  map.quotes.back() = map.backslashes.back() = map.odd.back() = map.foreign.back() = 0;
}

}  // namespace dragoman::json::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
