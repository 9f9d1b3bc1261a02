// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/base/text_survey.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt")
#endif

namespace dragoman::text_kernels {
namespace {

#include "dragoman/base/blocks_avx2.inl"

// Minus one for each, byte by byte.
__m256i newlines_in(const Block& block, __m256i newline) {
  return _mm256_add_epi8(_mm256_cmpeq_epi8(block.low, newline),
                         _mm256_cmpeq_epi8(block.high, newline));
}

}  // namespace

TextSurvey survey_avx2(std::string_view text) {
  constexpr std::ptrdiff_t kStep = 32;
  const char* p = text.data();
  const char* const end = p + text.size();
  if (end - p < kStep) return survey_scalar(text);
  const __m256i newline = _mm256_set1_epi8('\n');
  __m256i high = _mm256_setzero_si256();
  __m256i total = _mm256_setzero_si256();
  while (end - p >= 4 * kStep) {
    // Byte counters hold 255; then they are added up.
    __m256i counts = _mm256_setzero_si256();
    for (int i = 0; i < 255 / 4 && end - p >= 4 * kStep; ++i, p += 4 * kStep) {
      const Block near(p);
      const Block far(p + Block::kSize);
      counts = _mm256_sub_epi8(
          counts, _mm256_add_epi8(newlines_in(near, newline), newlines_in(far, newline)));
      high = _mm256_or_si256(high, _mm256_or_si256(_mm256_or_si256(near.low, near.high),
                                                   _mm256_or_si256(far.low, far.high)));
    }
    total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
  }
  if (end - p >= kStep) {
    __m256i counts = _mm256_setzero_si256();
    for (; end - p >= kStep; p += kStep) {
      const __m256i v = load(p);
      counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(v, newline));
      high = _mm256_or_si256(high, v);
    }
    total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t sums[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums), total);
  TextSurvey result;
  result.newlines = sums[0] + sums[1] + sums[2] + sums[3];
  if (p != end) {  // once more the last bytes, without those that were counted
    const __m256i last = load(end - kStep);
    const auto bits =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(last, newline)));
    result.newlines += static_cast<std::uint64_t>(
        __builtin_popcount(bits >> static_cast<unsigned>(kStep - (end - p))));
    high = _mm256_or_si256(high, last);
  }
  result.non_ascii = _mm256_movemask_epi8(high) != 0;
  return result;
}

}  // namespace dragoman::text_kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
