// SPDX-License-Identifier: Apache-2.0
// Everything that could emit AVX2 instructions sits between the pragmas, in an anonymous namespace:
// nothing of it can be picked by the linker for a processor without AVX2.
#include "dragoman/json/escaped_bytes.hpp"
#include "dragoman/json/scan_common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace dragoman::json::kernels {
namespace {

#include "dragoman/base/blocks_avx2.inl"
#include "dragoman/base/utf8_check_avx2.inl"

__m256i quote_or_control(__m256i v) {
  const __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
  return _mm256_or_si256(quote, control);
}
std::uint64_t stops_in(const Block& block) {
  return mask_of(quote_or_control(block.low), quote_or_control(block.high));
}

// What is none of  "  \  /  b  f  n  r  t: its two halves have no class in common.
__m256i no_simple_escape(__m256i v) {
  const __m256i by_low = _mm256_setr_epi8(0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1,  //
                                          0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
  const __m256i by_high = _mm256_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                           0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
  const __m256i common =
      _mm256_and_si256(_mm256_shuffle_epi8(by_low, v), _mm256_shuffle_epi8(by_high, upper));
  return _mm256_cmpeq_epi8(common, _mm256_setzero_si256());
}
std::uint64_t no_simple_escapes_in(const Block& block) {
  return mask_of(no_simple_escape(block.low), no_simple_escape(block.high));
}

// Checks the UTF-8 of the blocks that are not plain ASCII some time after they were passed: asking
// each block on the way would cost a wrong guess of the processor for each stretch of such text.
// For the same reason a block is always written down, and only sometimes kept.
class ForeignBlocks {
 public:
  // `inside` are the bytes that belong to the string.
  void note(const char* p, std::uint64_t inside, bool foreign) {
    blocks_[count_] = {p, inside};
    count_ += foreign ? 1 : 0;
    seen_ |= foreign;
    if (count_ == kMost) settle();
  }
  bool seen() const { return seen_; }
  void give_up() { check_.give_up(); }

  // About all blocks noted so far; the string goes on behind them without a continuation byte.
  StringEnd::Utf8 result() {
    settle();
    if (check_.gave_up()) return StringEnd::Utf8::unchecked;
    return bad_ || check_.bad() || check_.expects_more() ? StringEnd::Utf8::bad
                                                         : StringEnd::Utf8::good;
  }

 private:
  static constexpr std::size_t kMost = 32;
  struct Noted {
    const char* p;
    std::uint64_t inside;
  };

  void settle() {
    for (std::size_t i = 0; i < count_; ++i) {
      const Noted& noted = blocks_[i];
      bad_ |= check_.expects_more() && noted.p != next_;
      check_.block(Block(noted.p), noted.inside);
      next_ = noted.p + Block::kSize;
    }
    count_ = 0;
  }

  Noted blocks_[kMost];
  std::size_t count_ = 0;
  const char* next_ = nullptr;  // behind the last block that was checked
  Utf8Check check_;
  bool bad_ = false;
  bool seen_ = false;
};

// The quote or control character at `at` ends the scan.
StringEnd ended(StringEnd result, const char* at, ForeignBlocks& foreign) {
  result.at = at;
  if (*at != '"') result.stop = StringEnd::Stop::control;
  result.non_ascii = foreign.seen();
  result.utf8 = foreign.result();
  return result;
}

// The last bytes, fewer than a block.
StringEnd ended_in_tail(StringEnd result, const char* p, const char* end, ForeignBlocks& foreign) {
  result.non_ascii = false;
  result = scan_string_bytes(p, end, result);
  if (result.non_ascii) foreign.give_up();
  result.non_ascii |= foreign.seen();
  result.utf8 = foreign.result();
  return result;
}

StringEnd scan_string_blocks(const char* p, const char* const end) {
  constexpr std::ptrdiff_t kAhead = 4096;  // what the processor itself fetches ahead is too near
  StringEnd result;
  ForeignBlocks foreign;
  std::uint64_t carry = 0;  // the byte before p is a backslash that escapes the one at p
  while (end - p >= Block::kSize) {
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    const Block block(p);
    const std::uint64_t backslashes = block.equal('\\');
    const std::uint64_t escaped = escaped_bytes(backslashes, carry);
    const std::uint64_t stops = stops_in(block) & ~escaped;
    const std::uint64_t odd = escaped & no_simple_escapes_in(block);  // \uXXXX, or wrong
    const std::uint64_t first = (stops | odd) & (~(stops | odd) + 1U);
    const std::uint64_t inside = first - 1U;  // all bits below the first; all when there is none
    result.escaped |= (backslashes & inside) != 0;
    foreign.note(p, inside, (block.non_ascii() & inside) != 0);
    if (first == 0) {
      p += Block::kSize;
      continue;
    }
    const char* const at = p + __builtin_ctzll(first);
    if ((stops & first) != 0) return ended(result, at, foreign);
    p = step_over_escape(at - 1, end, result);
    if (p == nullptr) {
      result.non_ascii = foreign.seen();
      return result;
    }
    carry = 0;
  }
  return ended_in_tail(result, p - carry, end, foreign);
}

}  // namespace

StringEnd scan_string_avx2(const char* from, const char* end) {
  return scan_string_blocks(from, end);
}

}  // namespace dragoman::json::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
