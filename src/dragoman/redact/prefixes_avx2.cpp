// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace
// or a function of its own: nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/redact/prefixes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::redact::kernels {
namespace {

__m256i table(const std::uint8_t* nibbles) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(nibbles)));
}

__m256i nibbles_of(__m256i bytes, __m256i low, __m256i high) {
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  const __m256i l = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble));
  const __m256i h =
      _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
  return _mm256_and_si256(l, h);
}

#include "dragoman/base/blocks_avx2.inl"

struct Half {
  __m256i low0, low1, low2, high0, high1, high2;

  explicit Half(const Prefixes::Tables::Half& half)
      : low0(table(half.low[0].data())),
        low1(table(half.low[1].data())),
        low2(table(half.low[2].data())),
        high0(table(half.high[0].data())),
        high1(table(half.high[1].data())),
        high2(table(half.high[2].data())) {}

  __m256i classify(const char* p) const {
    return _mm256_and_si256(
        _mm256_and_si256(nibbles_of(load(p), low0, high0), nibbles_of(load(p + 1), low1, high1)),
        nibbles_of(load(p + 2), low2, high2));
  }
};

}  // namespace

const char* find_avx2(const Prefixes::Tables& tables, const char* p, const char* const end) {
  const Half first(tables.halves[0]);
  const Half second(tables.halves[1]);
  for (; end - p >= 34; p += 32) {
    const __m256i found = _mm256_or_si256(first.classify(p), second.classify(p));
    auto mask = ~static_cast<unsigned>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256())));
    for (; mask != 0; mask &= mask - 1) {
      const char* const at = p + __builtin_ctz(mask);
      if (tables.may_be_known(at)) return at;
    }
  }
  return find_scalar(tables, p, end);
}

}  // namespace dragoman::redact::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
