// SPDX-License-Identifier: Apache-2.0
// The quotes of a small JSON text, all found before the first one is needed: where a string ends is
// then a matter of shifting bits, not of a loop whose length the processor has to guess.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dragoman::json {

// What stands where in the first bytes of a text: bit i of a block is its byte i. Behind the last
// block there is an empty one.
struct ByteMap {
  static constexpr std::size_t kBlocks = 4;
  using Blocks = std::array<std::uint64_t, kBlocks + 1>;
  Blocks quotes;
  Blocks backslashes;
  Blocks odd;      // control characters, and the byte to be wary of
  Blocks foreign;  // above ASCII
};

class QuoteMap {
 public:
  static constexpr std::size_t kBytes = 64 * ByteMap::kBlocks;

  // Looks at kBytes bytes, which must be there.
  void build(const char* from, char wary);

  // The first quote at or behind `p` that no backslash escapes; null when there is none in view.
  [[nodiscard]] const char* next(const char* p) const {
    const auto place = static_cast<std::size_t>(p - from_);
    if (place >= kBytes) return nullptr;
    const std::uint64_t near = window(map_.quotes, place);
    if (near != 0) return p + std::countr_zero(near);
    return far_quote(place / 64 + 1);
  }

  // Whether a backslash stands between two places in view.
  [[nodiscard]] bool backslash_between(const char* from, const char* to) const {
    const std::uint64_t near = window(map_.backslashes, static_cast<std::size_t>(from - from_));
    if (to - from < 64) return (near & ((std::uint64_t{1} << (to - from)) - 1U)) != 0;
    return std::memchr(from, '\\', static_cast<std::size_t>(to - from)) != nullptr;
  }

  // About everything in view before `to`.
  [[nodiscard]] bool odd_before(const char* to) const { return any_before(map_.odd, to); }
  [[nodiscard]] bool foreign_before(const char* to) const { return any_before(map_.foreign, to); }

 private:
  using Blocks = ByteMap::Blocks;

  // The 64 bytes from `place` on.
  static std::uint64_t window(const Blocks& blocks, std::size_t place) {
    const std::size_t block = place / 64;
    const std::size_t bit = place % 64;
    return blocks[block] >> bit | blocks[block + 1] << 1U << (63 - bit);
  }
  [[nodiscard]] bool any_before(const Blocks& blocks, const char* to) const {
    const auto place = static_cast<std::size_t>(to - from_);
    std::uint64_t found = 0;
    for (std::size_t block = 0; block < ByteMap::kBlocks; ++block) {
      const std::size_t begin = 64 * block;
      const std::uint64_t part =
          place > begin ? (std::uint64_t{1} << ((place - begin) % 64)) - 1U : 0;
      found |= blocks[block] & (place >= begin + 64 ? ~std::uint64_t{0} : part);
    }
    return found != 0;
  }
  [[nodiscard]] const char* far_quote(std::size_t block) const;

  const char* from_ = nullptr;
  ByteMap map_;  // without the quotes that are escaped
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
