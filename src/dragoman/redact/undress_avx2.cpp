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

__m256i is(__m256i bytes, char wanted) {
  return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(wanted));
}

// ESC, SI and the backslash, each at its low nibble: what a byte of ASCII finds there is itself.
__m256i alone_or_backslash() {
  constexpr char kNone = '\x80';
  return _mm256_broadcastsi128_si256(_mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, kNone, kNone,
                                                   kNone, kNone, kNone, kNone, '\x1b', '\\', kNone,
                                                   kNone, '\x0f'));
}

__m256i first_bytes(__m256i bytes, __m256i table) {
  return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes), bytes),
                         is(bytes, '\xe2'));
}

// Of those that are found by two bytes, both.
unsigned mask_at(const char* p) {
  const __m256i bytes = load(p);
  const __m256i next = load(p + 1);
  const __m256i alone = _mm256_or_si256(is(bytes, '\x1b'), is(bytes, '\x0f'));
  const __m256i letter = _mm256_and_si256(is(bytes, '\\'), is(next, 'u'));
  const __m256i blank = _mm256_and_si256(is(bytes, '\xe2'), is(next, '\x80'));
  return static_cast<unsigned>(
      _mm256_movemask_epi8(_mm256_or_si256(alone, _mm256_or_si256(letter, blank))));
}

}  // namespace

const char* find_dress_avx2(const char* p, const char* const end) {
  const __m256i table = alone_or_backslash();
  for (; end - p > Block::kSize; p += Block::kSize) {
    const __m256i any =
        _mm256_or_si256(first_bytes(load(p), table), first_bytes(load(p + 32), table));
    if (_mm256_testz_si256(any, any) != 0) continue;
    const auto high = static_cast<std::uint64_t>(mask_at(p + 32));
    for (std::uint64_t mask = mask_at(p) | high << 32U; mask != 0; mask &= mask - 1) {
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
