// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/framing/text_index.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>
#include <span>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt")
#endif

namespace dragoman::framing {
namespace {

#include "dragoman/base/blocks_avx2.inl"
#include "dragoman/base/utf8_check_avx2.inl"

// Finds pairs of bytes that may start something, and few others. The four openers differ in their
// low halves, so one look-up by that half gives the only byte that can be an opener, and a second
// one the byte that has to follow. Any capital counts as 0xFF, which is what has to follow a '[':
// which capitals begin a name is asked later, of the few that are left.
struct Pairs {
  __m256i opener;
  __m256i follower;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Pairs()
      : opener(both(_mm_setr_epi8('`', 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, '[', '<', 1, '~', 1))),
        follower(both(_mm_setr_epi8('`', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, '!', 0, '~', 0))) {}

  static __m256i both(__m128i half) { return _mm256_broadcastsi128_si256(half); }

  [[nodiscard]] __m256i at(const char* p, __m256i first) const {
    const __m256i second = load(p + 1);
    // Moved so that A…Z are the largest of all signed bytes.
    const __m256i is_capital = _mm256_cmpgt_epi8(
        _mm256_add_epi8(second, _mm256_set1_epi8(0x7F - 'Z')), _mm256_set1_epi8(0x7F - 26));
    const __m256i opens = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(opener, first), first);
    const __m256i follows = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(follower, first),
                                              _mm256_or_si256(second, is_capital));
    return _mm256_and_si256(opens, follows);
  }
  [[nodiscard]] __m256i in_either_half(const char* p, const Block& block) const {
    return _mm256_or_si256(at(p, block.low), at(p + 32, block.high));
  }
  [[nodiscard]] std::uint64_t mask(const char* p) const {
    return mask_of(at(p, load(p)), at(p + 32, load(p + 32)));
  }
};

// What the first look at a block says.
struct Sight {
  std::uint64_t newlines;
  int pairs;  // not 0: there are some
  int foreign;
};

[[gnu::always_inline]] inline Sight look_at(const char* p, const Pairs& pairs) {
  const Block block(p);
  Sight sight;
  sight.newlines = block.equal('\n');
  sight.pairs = _mm256_movemask_epi8(pairs.in_either_half(p, block));
  sight.foreign = _mm256_movemask_epi8(_mm256_or_si256(block.low, block.high));
  return sight;
}

// Numbers of blocks that have to be looked at again, after all have been seen: doing it on the way
// would cost a wrong guess of the processor for each of them. For the same reason a number is
// always written, and only sometimes kept.
using BlockList = std::array<std::uint16_t, TextIndex::kLongest / 64 + 2>;
using BlockNumbers = std::span<const std::uint16_t>;

// Whether a text whose other blocks are ASCII is surely UTF-8. `tail` stands for the last block.
bool is_clean(BlockNumbers foreign, const char* begin, std::size_t last, const char* tail) {
  Utf8Check check;
  std::size_t next = 0;
  for (const std::size_t block : foreign) {
    if (check.expects_more() && block != next) return false;
    const char* const p = block < last ? begin + 64 * block : tail;
    check.block(Block(p), ~std::uint64_t{0});
    next = block + 1;
  }
  return !check.gave_up() && !check.bad() && !check.expects_more();
}

}  // namespace

void TextIndex::Kernels::build_avx2(TextIndex& index, std::string_view text) {
  constexpr std::ptrdiff_t kAhead = 4096;  // what the processor itself fetches ahead is too near
  index.start(text);
  const Pairs pairs;
  BlockList foreign_list;
  BlockList pairs_list;
  std::uint16_t* foreign = foreign_list.data();  // where the next one goes
  std::uint16_t* with_pairs = pairs_list.data();
  std::size_t lines = 0;
  std::size_t blocks = 0;
  const auto take = [&](const char* p) __attribute__((always_inline)) {
    const Sight block = look_at(p, pairs);
    index.newline_[blocks] = block.newlines;
    index.lines_[blocks] = static_cast<std::uint16_t>(lines);
    lines += static_cast<std::size_t>(__builtin_popcountll(block.newlines));
    *foreign = *with_pairs = static_cast<std::uint16_t>(blocks++);
    foreign += block.foreign != 0 ? 1 : 0;
    with_pairs += block.pairs != 0 ? 1 : 0;
  };

  const char* p = index.begin_;
  const char* const end = index.end_;
  for (; end - p > 64; p += 64) {  // one byte behind the block is looked at too
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    take(p);
  }
  const std::size_t last = blocks;
  alignas(32) char tail[128] = {};
  if (p != end) {
    std::memcpy(tail, p, static_cast<std::size_t>(end - p));
    take(tail);
  }
  index.newline_[blocks] = index.newline_[blocks + 1] = 0;
  index.lines_[blocks] = static_cast<std::uint16_t>(lines);
  index.blocks_ = blocks;
  index.clean_ = is_clean({foreign_list.data(), foreign}, index.begin_, last, tail);

  std::size_t candidates = 0;
  for (const std::size_t block : BlockNumbers(pairs_list.data(), with_pairs)) {
    std::uint64_t bits = pairs.mask(block < last ? index.begin_ + 64 * block : tail);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t at = 64 * block + static_cast<std::size_t>(__builtin_ctzll(bits));
      index.candidate_[candidates] = static_cast<std::uint16_t>(at);
      candidates += may_start(text[at], text[at + 1]) ? 1 : 0;
    }
  }
  if (!text.empty() && may_start_at_end(text.back())) {
    index.candidate_[candidates++] = static_cast<std::uint16_t>(text.size() - 1);
  }
  index.candidates_ = candidates;
}

}  // namespace dragoman::framing

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
