// SPDX-License-Identifier: Apache-2.0
// A map of a slice of plain text: every byte is looked at once, and what is asked about the slice
// afterwards (where may something start, how many lines end before, where does this line end) is
// answered from the map.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::framing {

// The first letters of the bracket names that make a candidate.
inline constexpr std::string_view kNameInitials = "BCDFGLNPQTW";

// Whether something with a meaning may start with these bytes, or with a last one:
//   "<!"  a comment        "[X"  a bracket marker, X the first letter of a known name
//   "``"  "~~"  a fence
// Looked up in tables: which of them it is cannot be guessed.
namespace tables {
using Classes = std::array<std::uint8_t, 256>;

constexpr void put(Classes& table, std::string_view bytes, std::uint8_t bit) {
  for (const char byte : bytes) table[static_cast<unsigned char>(byte)] |= bit;
}
constexpr Classes make_first() {
  Classes table{};
  put(table, "<", 1);
  put(table, "[", 2);
  put(table, "`", 4);
  put(table, "~", 8);
  return table;
}
constexpr Classes make_second() {
  Classes table{};
  put(table, "!", 1);
  put(table, kNameInitials, 2);
  put(table, "`", 4);
  put(table, "~", 8);
  return table;
}
inline constexpr Classes kFirst = make_first();
inline constexpr Classes kSecond = make_second();
}  // namespace tables

[[nodiscard]] inline bool may_start(char first, char second) {
  return (tables::kFirst[static_cast<unsigned char>(first)] &
          tables::kSecond[static_cast<unsigned char>(second)]) != 0;
}
[[nodiscard]] inline bool may_start_at_end(char last) {
  return tables::kFirst[static_cast<unsigned char>(last)] != 0;
}

class TextIndex {
 public:
  static constexpr std::size_t kLongest = std::size_t{16} << 10U;  // stays in the processor's cache

  // Maps `text`, or its start when it is longer than kLongest. The bytes must stay where they are
  // while the map is used.
  void build(std::string_view text);
  void clear() { begin_ = end_ = nullptr; }

  [[nodiscard]] const char* begin() const { return begin_; }
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] bool covers(const char* from, const char* to) const {
    return begin_ <= from && to <= end_ && begin_ != nullptr;
  }
  // The slice is surely UTF-8, whole characters only; false: perhaps.
  [[nodiscard]] bool clean() const { return clean_; }

  // What follows is asked about places that the slice covers.

  // The first candidate at or behind `from`, or end(). Goes on where the last call has left off. A
  // last byte that may begin something is a candidate too: what follows has not been seen yet.
  [[nodiscard]] const char* next_candidate(const char* from) {
    const auto place = static_cast<std::size_t>(from - begin_);
    while (next_ > 0 && candidate_[next_ - 1] >= place) --next_;
    while (next_ < candidates_ && candidate_[next_] < place) ++next_;
    return next_ < candidates_ ? begin_ + candidate_[next_] : end_;
  }
  [[nodiscard]] std::uint64_t newlines(const char* from, const char* to) const {
    return ended_before(to) - ended_before(from);
  }
  // The next newline at or behind `from`, or end().
  [[nodiscard]] const char* line_end(const char* from) const {
    const auto place = static_cast<std::size_t>(from - begin_);
    // Where a line ends in its blocks cannot be guessed, but that it has at most 128 bytes can.
    const std::uint64_t near = newlines_behind(place);
    const std::uint64_t far = newlines_behind(place + kBlock);
    if ((near | far) == 0) return far_line_end(place / kBlock + 2);
    const std::uint64_t if_far = near != 0 ? 0 : ~std::uint64_t{0};
    return from + (64 & if_far) + std::countr_zero(near | (far & if_far));
  }
  // The same when no candidate stands before it; null when there is one, or no newline in view.
  [[nodiscard]] const char* plain_line_end(const char* from) {
    if (!covers(from, from)) return nullptr;
    const char* const newline = line_end(from);
    return newline != end_ && next_candidate(from) > newline ? newline : nullptr;
  }

  // How the map is made. Chosen at run time by what the processor can do; all give the same
  // answers, and a test holds them to it.
  struct Kernels;

 private:
  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kMostBlocks = kLongest / kBlock;

  // Those of the 64 bytes from `place` on.
  [[nodiscard]] std::uint64_t newlines_behind(std::size_t place) const {
    const std::size_t block = std::min(place / kBlock, blocks_);
    const std::size_t bit = place % kBlock;
    return newline_[block] >> bit | newline_[block + 1] << 1U << (kBlock - 1 - bit);
  }
  [[nodiscard]] const char* far_line_end(std::size_t block) const;

  // How a kernel begins and ends, and what it says about a block in between.
  void start(std::string_view text) {
    begin_ = text.data();
    end_ = begin_ + text.size();
    next_ = 0;
  }
  // Adds those of the pairs of bytes in `bits` that really may start something to the `count` there
  // are. Returns how many that makes.
  [[nodiscard]] std::size_t add_candidates(std::size_t count, std::size_t block,
                                           std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t at = kBlock * block + static_cast<std::size_t>(std::countr_zero(bits));
      candidate_[count] = static_cast<std::uint16_t>(at);
      count += may_start(begin_[at], begin_[at + 1]) ? 1 : 0;
    }
    return count;
  }
  void finish(std::size_t blocks, std::size_t lines, std::size_t candidates) {
    blocks_ = blocks;
    newline_[blocks] = newline_[blocks + 1] = 0;
    lines_[blocks] = static_cast<std::uint16_t>(lines);
    candidates_ = candidates;
    if (begin_ != end_ && may_start_at_end(end_[-1])) {
      candidate_[candidates_++] = static_cast<std::uint16_t>(end_ - begin_ - 1);
    }
  }

  [[nodiscard]] std::uint64_t ended_before(const char* to) const {
    const auto place = static_cast<std::size_t>(to - begin_);
    const std::uint64_t before = (std::uint64_t{1} << (place % kBlock)) - 1U;
    return lines_[place / kBlock] + count_bits(newline_[place / kBlock] & before);
  }
  // std::popcount is a call into a shared library where the compiler may not use the instruction.
  [[nodiscard]] static std::uint64_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1U & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + (bits >> 2U & 0x3333333333333333U);
    return ((bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0FU) * 0x0101010101010101U >> 56U;
  }

  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  bool clean_ = false;
  std::size_t blocks_ = 0;
  std::size_t candidates_ = 0;
  std::size_t next_ = 0;  // candidates before it are settled
  // Bit i of a block is its byte i. Two blocks more than there are, without newlines.
  std::array<std::uint64_t, kMostBlocks + 2> newline_;
  std::array<std::uint16_t, kMostBlocks + 1> lines_;  // that ended before the block
  std::array<std::uint16_t, kLongest + kBlock> candidate_;
};

// Each maps a text of at most kLongest bytes.
struct TextIndex::Kernels {
  using Build = void (*)(TextIndex&, std::string_view);

  // Those that this processor can run, the fastest first.
  [[nodiscard]] static std::vector<Build> usable();

  static void build_scalar(TextIndex& index, std::string_view text);
#if defined(__x86_64__)
  static void build_avx2(TextIndex& index, std::string_view text);
  static void build_avx512(TextIndex& index, std::string_view text);
#endif
};

}  // namespace dragoman::framing
