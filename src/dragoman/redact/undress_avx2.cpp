// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace
// or a function of its own: nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/redact/undress.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::redact::kernels {
namespace {

#include "dragoman/base/blocks_avx2.inl"

__m256i begins_dress(const char* p) {
  const __m256i bytes = load(p);
  const __m256i escape = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\x1b'));
  const __m256i backslash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
  const __m256i u = _mm256_cmpeq_epi8(load(p + 1), _mm256_set1_epi8('u'));
  return _mm256_or_si256(escape, _mm256_and_si256(backslash, u));
}

}  // namespace

const char* find_dress_avx2(const char* p, const char* const end) {
  for (; end - p > Block::kSize; p += Block::kSize) {
    const Block found(begins_dress(p), begins_dress(p + 32));
    if (_mm256_testz_si256(_mm256_or_si256(found.low, found.high), _mm256_set1_epi8(-1)) != 0)
      continue;
    return p + __builtin_ctzll(mask_of(found.low, found.high));
  }
  return find_dress_scalar(p, end);
}

}  // namespace dragoman::redact::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
