// SPDX-License-Identifier: Apache-2.0
// The quotes of a small JSON text, all found before the first one is needed: where a string ends is
// then a matter of shifting bits, not of a loop whose length the processor has to guess.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dragoman::json {

// What stands where in the first bytes of a text: bit i of a block is its byte i. Behind the last
// block there is an empty one.
struct ByteMap {
  static constexpr std::size_t kBlocks = 2;  // most payloads fit
  static constexpr std::size_t kBytes = 64 * kBlocks;
  using Blocks = std::array<std::uint64_t, kBlocks + 1>;
  Blocks quotes;  // without those that a backslash escapes
  Blocks backslashes;
  // Where the first one is, kBytes when there is none.
  std::size_t backslash;
  std::size_t odd;      // a control character, or the byte to be wary of
  std::size_t foreign;  // above ASCII

  friend bool operator==(const ByteMap&, const ByteMap&) = default;
};

class QuoteMap {
 public:
  static constexpr std::size_t kBytes = ByteMap::kBytes;

  QuoteMap();

  // Looks at kBytes bytes, which must be there; no backslash escapes the first.
  void build(const char* from, char wary) {
    from_ = from;
    kernel_(from, wary, map_);
  }

  [[nodiscard]] bool covers(const char* p) const {
    return static_cast<std::size_t>(p - from_) < kBytes;
  }

  // What follows is asked about places that the map covers.

  // The first quote at or behind `p` that no backslash escapes, looked for in the next 64 bytes as
  // far as they are in view; null when there is none.
  [[nodiscard]] const char* next(const char* p) const {
    const std::uint64_t found = window(map_.quotes, place_of(p));
    return found != 0 ? p + std::countr_zero(found) : nullptr;
  }
  // Whether a backslash stands between them; they are less than 64 bytes apart.
  [[nodiscard]] bool backslash_between(const char* from, const char* to) const {
    // The processor guesses the first answer: which member has the first backslash is always the
    // same.
    if (map_.backslash >= place_of(to)) return false;
    const std::uint64_t before = (std::uint64_t{1} << (to - from)) - 1U;
    return (window(map_.backslashes, place_of(from)) & before) != 0;
  }

  // About everything in view before `to`, which may lie behind the view.
  [[nodiscard]] bool odd_before(const char* to) const { return map_.odd < end_of(to); }
  [[nodiscard]] bool foreign_before(const char* to) const { return map_.foreign < end_of(to); }

 private:
  using Blocks = ByteMap::Blocks;

  [[nodiscard]] std::size_t place_of(const char* p) const {
    return static_cast<std::size_t>(p - from_);
  }
  [[nodiscard]] std::size_t end_of(const char* to) const {
    return place_of(to) < kBytes ? place_of(to) : kBytes;
  }
  // The 64 bytes from `place` on.
  static std::uint64_t window(const Blocks& blocks, std::size_t place) {
    const std::size_t block = place / 64;
    const std::size_t bit = place % 64;
    return blocks[block] >> bit | blocks[block + 1] << 1U << (63 - bit);
  }

  void (*kernel_)(const char* p, char wary, ByteMap& map);
  const char* from_ = nullptr;
  ByteMap map_;
};

// The implementations, chosen at run time by what the processor can do. All give the same answers;
// a test holds them to it.
namespace kernels {
void map_bytes_portable(const char* p, char wary, ByteMap& map);
#if defined(__x86_64__)
void map_bytes_avx2(const char* p, char wary, ByteMap& map);
#endif
}  // namespace kernels

}  // namespace dragoman::json
