// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/framing/text_index.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>
#include <span>

#include "dragoman/base/utf8_faults.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt")
#endif

namespace dragoman::framing {
namespace {

#include "dragoman/base/blocks_avx2.inl"
#include "dragoman/base/utf8_lookup_avx2.inl"

// GCC would rather fetch the bytes again for each use than keep them, and fetching is what these
// kernels do most.
[[gnu::always_inline]] inline __m256i load_once(const char* p) {
  __m256i bytes = load(p);
  asm("" : "+x"(bytes));
  return bytes;
}

// Finds pairs of bytes that may start something, and few others. The four openers differ in their
// low halves, so one look-up by that half gives the only byte that can be an opener, and a second
// one the byte that has to follow. Bytes that follow are moved so that capitals are the least, and
// all of them count as 'Z', which is what has to follow a '[': which capitals begin a name is asked
// later, of the few that are left.
struct Pairs {
  static constexpr char kMove = 0x40;

  __m256i opener;
  __m256i follower;
  __m256i move;
  __m256i least;

  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  Pairs()
      : opener(both(_mm_setr_epi8('`', 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, '[', '<', 1, '~', 1))),
        follower(both(_mm_setr_epi8('`' ^ kMove, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'Z' ^ kMove,
                                    '!' ^ kMove, 0, '~' ^ kMove, 0))),
        move(_mm256_set1_epi8(kMove)),
        least(_mm256_set1_epi8('Z' ^ kMove)) {}

  static __m256i both(__m128i half) { return _mm256_broadcastsi128_si256(half); }

  // `first` are the bytes at `p`.
  [[gnu::always_inline]] [[nodiscard]] __m256i at(const char* p, __m256i first) const {
    const __m256i second = _mm256_max_epu8(_mm256_xor_si256(load(p + 1), move), least);
    const __m256i opens = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(opener, first), first);
    const __m256i follows = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(follower, first), second);
    return _mm256_and_si256(opens, follows);
  }
  [[nodiscard]] std::uint64_t mask(const char* p) const {
    return mask_of(at(p, load(p)), at(p + 32, load(p + 32)));
  }
};

// Numbers of blocks that have to be looked at again, after all have been seen: doing it on the way
// would cost a wrong guess of the processor for each of them. For the same reason a number is
// always written, and only sometimes kept.
class BlockList {
 public:
  // Written out: GCC does not give the pragma's target to a constructor it makes up itself.
  BlockList() {}  // NOLINT(modernize-use-equals-default)

  [[gnu::always_inline]] void add_if_any(std::size_t block, __m256i marks) {
    numbers_[size_] = static_cast<std::uint16_t>(block);
    size_ += _mm256_movemask_epi8(marks) != 0 ? 1 : 0;
  }
  [[nodiscard]] std::span<const std::uint16_t> numbers() const { return {numbers_.data(), size_}; }

 private:
  std::array<std::uint16_t, TextIndex::kLongest / 64 + 2> numbers_;
  std::size_t size_ = 0;
};

// A block with room before it, for the first one and the last, whose neighbours cannot be read.
struct EdgeBlock {
  static constexpr std::size_t kBefore = 32;
  alignas(32) char bytes[kBefore + 128];

  EdgeBlock() : bytes{} {}
  [[nodiscard]] const char* block() const { return bytes + kBefore; }
};

// Whether a text whose other blocks are ASCII is UTF-8, whole characters only. `tail` stands for
// the block `last` and what follows.
bool is_clean(const BlockList& foreign, const char* begin, std::size_t last,
              const EdgeBlock& tail) {
  const std::span<const std::uint16_t> numbers = foreign.numbers();
  if (numbers.empty()) return true;
  EdgeBlock head;  // nothing of the text stands before it
  if (last > 0) std::memcpy(head.bytes + EdgeBlock::kBefore, begin, 64);
  Utf8Lookup check;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t block = numbers[i];
    const char* p = begin + 64 * block;
    if (block == 0) p = head.block();
    if (block >= last) p = tail.block();
    check.step(p);
    check.step(p + 32);
    const bool follows = i + 1 < numbers.size() && numbers[i + 1] == block + 1;
    check.end_of_step(p + 32, follows ? -1 : 0);
  }
  return !check.bad();
}

}  // namespace

void TextIndex::Kernels::build_avx2(TextIndex& index, std::string_view text) {
  constexpr std::ptrdiff_t kAhead = 4096;  // what the processor itself fetches ahead is too near
  index.start(text);
  const Pairs pairs;
  BlockList foreign;
  BlockList with_pairs;
  std::size_t lines = 0;
  std::size_t blocks = 0;
  const auto take = [&](const char* p) __attribute__((always_inline)) {
    const Block block(load_once(p), load_once(p + 32));
    const std::uint64_t newlines = block.equal('\n');
    index.newline_[blocks] = newlines;
    index.lines_[blocks] = static_cast<std::uint16_t>(lines);
    lines += static_cast<std::size_t>(__builtin_popcountll(newlines));
    foreign.add_if_any(blocks, _mm256_or_si256(block.low, block.high));
    with_pairs.add_if_any(blocks,
                          _mm256_or_si256(pairs.at(p, block.low), pairs.at(p + 32, block.high)));
    ++blocks;
  };

  const char* p = index.begin_;
  const char* const end = index.end_;
  for (; end - p > 128; p += 128) {  // one byte behind a block is looked at too
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    _mm_prefetch(p + kAhead + 64, _MM_HINT_T0);
    take(p);
    take(p + 64);
  }
  for (; end - p > 64; p += 64) take(p);
  const std::size_t last = blocks;
  EdgeBlock tail;
  if (p != end) {
    std::memcpy(tail.bytes + EdgeBlock::kBefore, p, static_cast<std::size_t>(end - p));
    if (last > 0) std::memcpy(tail.bytes, p - EdgeBlock::kBefore, EdgeBlock::kBefore);
    take(tail.block());
  }
  index.clean_ = is_clean(foreign, index.begin_, last, tail);
  std::size_t candidates = 0;
  for (const std::size_t block : with_pairs.numbers()) {
    const char* const at = block < last ? index.begin_ + kBlock * block : tail.block();
    candidates = index.add_candidates(candidates, block, pairs.mask(at));
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
