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

// Of the blanks without a width two bytes of three, which others have too.
__m256i may_begin_dress(const char* p) {
  const __m256i bytes = load(p);
  const __m256i next = load(p + 1);
  const __m256i escape = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\x1b'));
  const __m256i shift = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\x0f'));
  const __m256i letter = _mm256_and_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')),
                                          _mm256_cmpeq_epi8(next, _mm256_set1_epi8('u')));
  const __m256i blank = _mm256_and_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\xe2')),
                                         _mm256_cmpeq_epi8(next, _mm256_set1_epi8('\x80')));
  return _mm256_or_si256(_mm256_or_si256(escape, shift), _mm256_or_si256(letter, blank));
}

}  // namespace

const char* find_dress_avx2(const char* p, const char* const end) {
  for (; end - p > Block::kSize; p += Block::kSize) {
    const Block found(may_begin_dress(p), may_begin_dress(p + 32));
    if (_mm256_testz_si256(_mm256_or_si256(found.low, found.high), _mm256_set1_epi8(-1)) != 0)
      continue;
    for (auto mask = mask_of(found.low, found.high); mask != 0; mask &= mask - 1) {
      const char* const at = p + __builtin_ctzll(mask);
      if (begins_dress(at, end)) return at;
    }
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
