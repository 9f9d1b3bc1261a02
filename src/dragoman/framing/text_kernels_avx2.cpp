// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/framing/text_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt")
#endif

namespace dragoman::framing::kernels {
namespace {

#include "dragoman/base/utf8_check_avx2.inl"

// A byte's class is table_low[low nibble] & table_high[high nibble]. One bit a pair of (low, high):
//   openers     '<' 3C bit 0   '[' 5B bits 1 and 4   '`' 60 bit 2   '~' 7E bit 3
//   followers   '!' 21 bit 0   letters 5x bit 1, 4x bit 4   '`' bit 2   '~' bit 3
// A candidate is an opener whose bits meet those of the byte behind it.
struct Tables {
  __m256i opener_low;
  __m256i opener_high;
  __m256i follower_low;
  __m256i follower_high;
  __m256i nibble;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Tables()
      : opener_low(both(_mm_setr_epi8(4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 1, 0, 8, 0))),
        opener_high(both(_mm_setr_epi8(0, 0, 0, 1, 0, 18, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0))),
        // 5x: P Q T W are 0 1 4 7; 4x: B C D F G L N are 2 3 4 6 7 C E
        follower_low(both(_mm_setr_epi8(6, 3, 16, 16, 18, 0, 16, 18, 0, 0, 0, 0, 16, 0, 24, 0))),
        follower_high(both(_mm_setr_epi8(0, 0, 1, 0, 16, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0))),
        nibble(_mm256_set1_epi8(0x0F)) {}

  static __m256i both(__m128i half) { return _mm256_broadcastsi128_si256(half); }

  [[nodiscard]] __m256i classify(__m256i v, __m256i low, __m256i high) const {
    // The shuffle looks at the low nibble and gives nothing for bytes above ASCII.
    const __m256i l = _mm256_shuffle_epi8(low, v);
    const __m256i h = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
    return _mm256_and_si256(l, h);
  }
};

__m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

}  // namespace

Look find_candidate_avx2(const char* p, const char* const end) {
  const Tables t;
  const __m256i newline = _mm256_set1_epi8('\n');
  const __m256i zero = _mm256_setzero_si256();
  Utf8Check check;
  std::uint64_t newlines = 0;
  // One byte more than a block: the follower of the last one.
  for (; end - p >= 65; p += 64) {
    const __m256i low = load(p);
    const __m256i high = load(p + 32);
    const __m256i open0 = t.classify(low, t.opener_low, t.opener_high);
    const __m256i open1 = t.classify(high, t.opener_low, t.opener_high);
    // Always, and not only behind an opener: brackets and backticks come too irregularly to guess.
    const __m256i follow0 = t.classify(load(p + 1), t.follower_low, t.follower_high);
    const __m256i follow1 = t.classify(load(p + 33), t.follower_low, t.follower_high);
    const std::uint64_t hits = ~mask_of(_mm256_cmpeq_epi8(_mm256_and_si256(open0, follow0), zero),
                                        _mm256_cmpeq_epi8(_mm256_and_si256(open1, follow1), zero));
    const std::uint64_t before = (hits & (~hits + 1U)) - 1U;  // all bits when there is no hit
    newlines += static_cast<std::uint64_t>(__builtin_popcountll(
        mask_of(_mm256_cmpeq_epi8(low, newline), _mm256_cmpeq_epi8(high, newline)) & before));
    if ((mask_of(low, high) & before) != 0 || check.expects_more()) check.block(low, high, before);
    if (hits != 0) return {p + __builtin_ctzll(hits), newlines, !check.gave_up() && !check.bad()};
  }
  Look rest = find_candidate_scalar(p, end);
  rest.newlines += newlines;
  rest.clean &= !check.gave_up() && !check.bad() && !check.expects_more();
  return rest;
}

Survey survey_avx2(std::string_view text) {
  Survey result;
  const char* p = text.data();
  const char* const end = p + text.size();
  const __m256i newline = _mm256_set1_epi8('\n');
  __m256i high = _mm256_setzero_si256();
  __m256i total = _mm256_setzero_si256();
  while (end - p >= 32) {
    // Byte counters hold 255; then they are added up.
    __m256i counts = _mm256_setzero_si256();
    for (int i = 0; i < 255 && end - p >= 32; ++i, p += 32) {
      const __m256i v = load(p);
      counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(v, newline));
      high = _mm256_or_si256(high, v);
    }
    total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t sums[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums), total);
  result = survey_scalar({p, static_cast<std::size_t>(end - p)});
  result.newlines += sums[0] + sums[1] + sums[2] + sums[3];
  result.non_ascii |= _mm256_movemask_epi8(high) != 0;
  return result;
}

}  // namespace dragoman::framing::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
