// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/framing/text_index.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt")
#endif

namespace dragoman::framing {
namespace {

#include "dragoman/base/utf8_check_avx2.inl"

__m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

// Finds pairs of bytes that may start something, and few others. The four openers differ in their
// low halves, so one look-up by that half gives the only byte that can be an opener, and a second
// one the byte that has to follow. Initials of names are found in the same way, once the bit that
// divides @A…O from PQ…_ is dropped; they all count as 0xFF, which is what has to follow a '['.
struct Pairs {
  __m256i opener;
  __m256i follower;
  __m256i initial;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Pairs()
      : opener(both(_mm_setr_epi8('`', 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, '[', '<', 1, '~', 1))),
        follower(both(_mm_setr_epi8('`', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, '!', 0, '~', 0))),
        initial(
            both(_mm_setr_epi8('@', 'A', 'B', 'C', 'D', 0, 'F', 'G', 0, 0, 0, 0, 'L', 0, 'N', 0))) {
  }

  static __m256i both(__m128i half) { return _mm256_broadcastsi128_si256(half); }

  [[nodiscard]] __m256i at(const char* p, __m256i first) const {
    const __m256i second = load(p + 1);
    const __m256i is_initial = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(initial, second),
                                                 _mm256_and_si256(second, _mm256_set1_epi8(~0x10)));
    const __m256i opens = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(opener, first), first);
    const __m256i follows = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(follower, first),
                                              _mm256_or_si256(second, is_initial));
    return _mm256_and_si256(opens, follows);
  }
};

struct Block {
  std::uint64_t newlines;
  std::uint64_t pairs;
  bool foreign;
};

[[gnu::always_inline]] inline Block look_at(const char* p, const Pairs& pairs) {
  const __m256i newline = _mm256_set1_epi8('\n');
  const __m256i low = load(p);
  const __m256i high = load(p + 32);
  Block block;
  block.newlines = mask_of(_mm256_cmpeq_epi8(low, newline), _mm256_cmpeq_epi8(high, newline));
  block.pairs = mask_of(pairs.at(p, low), pairs.at(p + 32, high));
  block.foreign = _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0;
  return block;
}

// Blocks that have to be looked at again, after all have been seen: doing it on the way would cost
// a wrong guess of the processor for each of them. For the same reason the number of a block is
// always written, and only sometimes kept.
class BlockList {
 public:
  void note(std::size_t block, bool keep) {
    blocks_[count_] = static_cast<std::uint16_t>(block);
    count_ += keep ? 1 : 0;
  }
  const std::uint16_t* begin() const { return blocks_.data(); }
  const std::uint16_t* end() const { return blocks_.data() + count_; }

 private:
  std::array<std::uint16_t, TextIndex::kLongest / 64 + 1> blocks_;
  std::size_t count_ = 0;
};

// Whether a text whose other blocks are ASCII is surely UTF-8. `tail` stands for the last block.
bool is_clean(const BlockList& foreign, const char* begin, std::size_t last, const char* tail) {
  Utf8Check check;
  std::size_t next = 0;
  for (const std::size_t block : foreign) {
    if (check.expects_more() && block != next) return false;
    const char* const p = block < last ? begin + 64 * block : tail;
    check.block(load(p), load(p + 32), ~std::uint64_t{0});
    next = block + 1;
  }
  return !check.gave_up() && !check.bad() && !check.expects_more();
}

}  // namespace

void TextIndex::Kernels::build_avx2(TextIndex& index, std::string_view text) {
  constexpr std::ptrdiff_t kAhead = 2048;  // what the processor itself fetches ahead is too near
  index.start(text);
  const Pairs pairs;
  BlockList foreign;
  BlockList with_pairs;
  std::array<std::uint64_t, kMostBlocks + 1> pair;
  std::size_t lines = 0;
  std::size_t blocks = 0;
  const auto take = [&](const char* p) __attribute__((always_inline)) {
    const Block block = look_at(p, pairs);
    index.newline_[blocks] = block.newlines;
    index.lines_[blocks] = static_cast<std::uint16_t>(lines);
    lines += static_cast<std::size_t>(__builtin_popcountll(block.newlines));
    foreign.note(blocks, block.foreign);
    with_pairs.note(blocks, block.pairs != 0);
    pair[blocks++] = block.pairs;
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
  index.clean_ = is_clean(foreign, index.begin_, last, tail);

  std::size_t candidates = 0;
  for (const std::size_t block : with_pairs) {
    for (std::uint64_t bits = pair[block]; bits != 0; bits &= bits - 1) {
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
