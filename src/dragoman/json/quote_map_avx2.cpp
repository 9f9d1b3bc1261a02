// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/json/escaped_bytes.hpp"
#include "dragoman/json/quote_map.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::json::kernels {
namespace {

#include "dragoman/base/blocks_avx2.inl"

__m256i odd(__m256i v, __m256i wary) {
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
  return _mm256_or_si256(control, _mm256_cmpeq_epi8(v, wary));
}

// The first bit of 128, or 128. Without a branch: nobody could guess it.
std::size_t first_bit(std::uint64_t near, std::uint64_t far) {
  const std::uint64_t behind = 64 + _tzcnt_u64(far);
  return near != 0 ? _tzcnt_u64(near) : behind;
}

}  // namespace

void map_bytes_avx2(const char* p, char wary, ByteMap& map) {
  static_assert(ByteMap::kBlocks == 2);
  const __m256i wary_byte = _mm256_set1_epi8(wary);
  const Block near(p);
  const Block far(p + Block::kSize);
  const std::uint64_t near_backslashes = near.equal('\\');
  const std::uint64_t far_backslashes = far.equal('\\');
  // Also where there is no backslash: whether there is one cannot be guessed.
  std::uint64_t carry = 0;
  const std::uint64_t near_escaped = escaped_bytes(near_backslashes, carry);
  const std::uint64_t far_escaped = escaped_bytes(far_backslashes, carry);
  map.quotes = {near.equal('"') & ~near_escaped, far.equal('"') & ~far_escaped, 0};
  map.backslashes = {near_backslashes, far_backslashes, 0};
  map.backslash = first_bit(near_backslashes, far_backslashes);
  map.odd = first_bit(mask_of(odd(near.low, wary_byte), odd(near.high, wary_byte)),
                      mask_of(odd(far.low, wary_byte), odd(far.high, wary_byte)));
  map.foreign = first_bit(near.non_ascii(), far.non_ascii());
}

}  // namespace dragoman::json::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
