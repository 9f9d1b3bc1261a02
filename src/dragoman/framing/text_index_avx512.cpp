// SPDX-License-Identifier: Apache-2.0
// The map of text_index_avx2.cpp with registers of a whole block, comparisons that give masks, and
// loads that leave out what cannot be read. Everything that could emit AVX-512 instructions sits
// between the pragmas, in an anonymous namespace.
#include "dragoman/framing/text_index.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include "dragoman/base/utf8_faults.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,bmi,bmi2,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,bmi,bmi2,popcnt")
#endif

namespace dragoman::framing {
namespace {

__m512i load(const char* p) { return _mm512_loadu_si512(p); }
__m512i all(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
// With a mask: GCC 12 takes the intrinsic without one for a use of something uninitialised.
__m512i table(__m128i half) { return _mm512_maskz_broadcast_i32x4(0xFFFF, half); }

// As Pairs of text_index_avx2.cpp, which says why.
struct Pairs {
  static constexpr char kMove = 0x40;

  __m512i opener;
  __m512i follower;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Pairs()
      : opener(table(_mm_setr_epi8('`', 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, '[', '<', 1, '~', 1))),
        follower(table(_mm_setr_epi8('`' ^ kMove, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'Z' ^ kMove,
                                     '!' ^ kMove, 0, '~' ^ kMove, 0))) {}

  [[gnu::always_inline]] [[nodiscard]] std::uint64_t mask(__m512i first, __m512i behind) const {
    const __m512i second = _mm512_max_epu8(_mm512_xor_si512(behind, all(kMove)), all('Z' ^ kMove));
    const __mmask64 opens = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(opener, first), first);
    return _mm512_mask_cmpeq_epi8_mask(opens, _mm512_shuffle_epi8(follower, first), second);
  }
};

// As Utf8Lookup of utf8_lookup_avx2.inl.
class Utf8Lookup {
 public:
  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Utf8Lookup() {}  // NOLINT(modernize-use-equals-default)

  // The block at `p`, of which the bytes `inside` can be read; `first`: nothing stands before it,
  // `last`: nothing but ASCII stands behind it.
  [[gnu::always_inline]] void block(const char* p, __mmask64 inside, bool first, bool last) {
    const __m512i v = _mm512_maskz_loadu_epi8(inside, p);
    const __m512i before = earlier(p, inside, first, 1);
    const __m512i faults = _mm512_and_si512(
        _mm512_and_si512(_mm512_shuffle_epi8(halves(utf8_faults::kFirstHigh), high_half(before)),
                         _mm512_shuffle_epi8(halves(utf8_faults::kFirstLow), low_half(before))),
        _mm512_shuffle_epi8(halves(utf8_faults::kSecondHigh), high_half(v)));
    const __m512i third =
        _mm512_subs_epu8(earlier(p, inside, first, 2), all(utf8_faults::kLeadOfThree));
    const __m512i fourth =
        _mm512_subs_epu8(earlier(p, inside, first, 3), all(utf8_faults::kLeadOfFour));
    const __m512i later = _mm512_and_si512(_mm512_or_si512(third, fourth), all(0x80));
    wrong_ = _mm512_or_si512(wrong_, _mm512_xor_si512(later, faults));

    static constexpr auto kMost = utf8_faults::largest_ends<64>();
    const __m512i open = _mm512_subs_epu8(v, _mm512_loadu_si512(kMost.data()));
    wrong_ = _mm512_mask_or_epi64(wrong_, last ? 0xFF : 0, wrong_, open);
  }
  bool bad() const { return _mm512_test_epi8_mask(wrong_, wrong_) != 0; }

 private:
  // The bytes `back` places before those of the block; zero where nothing stands.
  [[gnu::always_inline]] static __m512i earlier(const char* p, __mmask64 inside, bool first,
                                                unsigned back) {
    const std::uint64_t before = first ? 0 : (std::uint64_t{1} << back) - 1U;
    return _mm512_maskz_loadu_epi8(inside << back | before, p - back);
  }
  static __m512i halves(const utf8_faults::Halves& half) {
    return table(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half.data())));
  }
  static __m512i low_half(__m512i v) { return _mm512_and_si512(v, all(0x0F)); }
  static __m512i high_half(__m512i v) { return low_half(_mm512_srli_epi16(v, 4)); }

  __m512i wrong_ = _mm512_setzero_si512();
};

}  // namespace

void TextIndex::Kernels::build_avx512(TextIndex& index, std::string_view text) {
  constexpr std::ptrdiff_t kAhead = 4096;  // what the processor itself fetches ahead is too near
  constexpr std::uint64_t kWhole = ~std::uint64_t{0};
  index.start(text);
  const Pairs pairs;
  // Always written and sometimes kept, as in text_index_avx2.cpp.
  std::array<std::uint16_t, kMostBlocks + 1> foreign;
  std::array<std::uint16_t, kMostBlocks + 1> paired;
  std::array<std::uint64_t, kMostBlocks + 1> pairs_of;
  std::size_t foreign_blocks = 0;
  std::size_t paired_blocks = 0;
  std::size_t lines = 0;
  std::size_t blocks = 0;
  const auto take = [&](__m512i v, __m512i behind) __attribute__((always_inline)) {
    const std::uint64_t newlines = _mm512_cmpeq_epi8_mask(v, all('\n'));
    index.newline_[blocks] = newlines;
    index.lines_[blocks] = static_cast<std::uint16_t>(lines);
    lines += static_cast<std::size_t>(__builtin_popcountll(newlines));
    foreign[foreign_blocks] = static_cast<std::uint16_t>(blocks);
    foreign_blocks += _mm512_movepi8_mask(v) != 0 ? 1 : 0;
    const std::uint64_t starts = pairs.mask(v, behind);
    paired[paired_blocks] = static_cast<std::uint16_t>(blocks);
    pairs_of[paired_blocks] = starts;
    paired_blocks += starts != 0 ? 1 : 0;
    ++blocks;
  };

  const char* p = index.begin_;
  const char* const end = index.end_;
  for (; end - p > 128; p += 128) {  // one byte behind a block is looked at too
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    _mm_prefetch(p + kAhead + 64, _MM_HINT_T0);
    take(load(p), load(p + 1));
    take(load(p + 64), load(p + 65));
  }
  for (; end - p > 64; p += 64) take(load(p), load(p + 1));
  const std::size_t last = blocks;
  const std::uint64_t left = _bzhi_u64(kWhole, static_cast<unsigned>(end - p));
  if (p != end) take(_mm512_maskz_loadu_epi8(left, p), _mm512_maskz_loadu_epi8(left >> 1U, p + 1));

  Utf8Lookup check;
  for (std::size_t i = 0; i < foreign_blocks; ++i) {
    const std::size_t block = foreign[i];
    const bool goes_on = i + 1 < foreign_blocks && foreign[i + 1] == block + 1;
    check.block(index.begin_ + kBlock * block, block < last ? kWhole : left, block == 0, !goes_on);
  }
  index.clean_ = !check.bad();

  std::size_t candidates = 0;
  for (std::size_t i = 0; i < paired_blocks; ++i) {
    candidates = index.add_candidates(candidates, paired[i], pairs_of[i]);
  }
  index.finish(blocks, lines, candidates);
}

}  // namespace dragoman::framing

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
