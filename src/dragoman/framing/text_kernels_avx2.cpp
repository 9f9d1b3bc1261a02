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

// A byte's class is low_table[low nibble] & high_table[high nibble]: below what it may begin, above
// what it may follow.
//   bit 0  '<' 3C       bit 4  '!' 21, behind '<'
//   bit 1  '[' 5B       bit 5  the initials of names, behind '[', and a few bytes more: @ A R S V
//   \ ^ bit 2  '`' 60       bit 6  the same, behind itself bit 3  '~' 7E       bit 7  likewise
struct Tables {
  __m256i low_table;
  __m256i high_table;
  __m256i nibble;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Tables()
      : low_table(both(_mm_setr_epi8(0x64, 0x30, 0x20, 0x20, 0x20, 0, 0x20, 0x20, 0, 0, 0, 0x02,
                                     0x21, 0, -0x58, 0))),
        high_table(
            both(_mm_setr_epi8(0, 0, 0x10, 0x01, 0x20, 0x22, 0x44, -0x78, 0, 0, 0, 0, 0, 0, 0, 0))),
        nibble(_mm256_set1_epi8(0x0F)) {}

  static __m256i both(__m128i half) { return _mm256_broadcastsi128_si256(half); }

  [[nodiscard]] __m256i classify(__m256i v) const {
    // The shuffle looks at the low nibble and gives nothing for bytes above ASCII.
    const __m256i low = _mm256_shuffle_epi8(low_table, v);
    const __m256i high =
        _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
    return _mm256_and_si256(low, high);
  }
  // Not zero where a byte follows what the byte before it may begin.
  [[nodiscard]] __m256i pairs(__m256i classes_before, __m256i classes) const {
    const __m256i across = _mm256_permute2x128_si256(classes_before, classes, 0x21);
    const __m256i first = _mm256_alignr_epi8(classes, across, 15);
    const __m256i second = _mm256_and_si256(_mm256_srli_epi16(classes, 4), nibble);
    return _mm256_and_si256(first, second);
  }
};

__m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

std::uint64_t count(__m256i low, __m256i high, __m256i byte, std::uint64_t inside) {
  return static_cast<std::uint64_t>(__builtin_popcountll(
      mask_of(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)) & inside));
}

// The first of the pairs that is a candidate: its second byte, or null.
const char* first_candidate(const char* p, __m256i pairs_low, __m256i pairs_high) {
  const __m256i zero = _mm256_setzero_si256();
  std::uint64_t hits =
      ~mask_of(_mm256_cmpeq_epi8(pairs_low, zero), _mm256_cmpeq_epi8(pairs_high, zero));
  for (; hits != 0; hits &= hits - 1) {
    const char* const second = p + __builtin_ctzll(hits);
    if (may_start(second[-1], *second)) return second;
  }
  return nullptr;
}

}  // namespace

Look find_candidate_avx2(const char* const from, const char* const end) {
  const Tables t;
  const __m256i newline = _mm256_set1_epi8('\n');
  Utf8Check check;
  std::uint64_t newlines = 0;
  __m256i classes_before = _mm256_setzero_si256();
  const char* p = from;
  for (; end - p >= 64; p += 64) {
    const __m256i low = load(p);
    const __m256i high = load(p + 32);
    const __m256i classes_low = t.classify(low);
    const __m256i classes_high = t.classify(high);
    const __m256i pairs_low = t.pairs(classes_before, classes_low);
    const __m256i pairs_high = t.pairs(classes_low, classes_high);
    const __m256i pairs = _mm256_or_si256(pairs_low, pairs_high);
    classes_before = classes_high;
    std::uint64_t inside = ~std::uint64_t{0};
    const char* second = nullptr;
    if (_mm256_testz_si256(pairs, pairs) == 0) {
      second = first_candidate(p, pairs_low, pairs_high);
      // A candidate that began in the block before has nothing of this one before it.
      if (second != nullptr) {
        const auto at = static_cast<std::uint64_t>(second - p);
        inside = at == 0 ? 0 : (std::uint64_t{1} << (at - 1U)) - 1U;
      }
    }
    newlines += count(low, high, newline, inside);
    const bool foreign = (mask_of(low, high) & inside) != 0;
    if (foreign || check.expects_more()) check.block(low, high, inside);
    if (second != nullptr) return {second - 1, newlines, !check.gave_up() && !check.bad()};
  }
  // The last byte of the blocks may begin what goes on behind them.
  if (p != from && (p == end ? may_start_at_end(p[-1]) : may_start(p[-1], *p))) {
    return {p - 1, newlines, !check.gave_up() && !check.bad()};
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
