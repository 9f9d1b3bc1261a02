// SPDX-License-Identifier: Apache-2.0
// Where in a text one of many short beginnings may stand: the loop that every byte goes through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::redact {

// The first three bytes of everything that is looked for. They are put into sixteen buckets; the
// nibbles of three bytes tell in a few vector steps whether a place may belong to one of them. What
// passes is looked up in a bit table by a hash of the three bytes, which leaves little that is not
// searched for.
class Prefixes {
 public:
  static constexpr std::size_t kHalves = 2;  // of the buckets: each has a bit in a byte
  static constexpr std::size_t kBuckets = 8 * kHalves;
  static constexpr std::size_t kLength = 3;

  using Beginning = std::array<char, kLength>;
  // To be called once, with all of them.
  void look_for(const std::vector<Beginning>& beginnings);

  // The first place where one may begin, or `end`. Near the end, where bytes are missing, every
  // place counts whose bytes may still become one.
  [[nodiscard]] const char* find(const char* from, const char* end) const;

  struct Tables {
    // Which buckets a byte belongs to at a position: by value, and by nibbles for vector shuffles.
    std::array<std::array<std::uint16_t, 256>, kLength> byte{};
    struct Half {
      std::array<std::array<std::uint8_t, 16>, kLength> low{};
      std::array<std::array<std::uint8_t, 16>, kLength> high{};
    };
    std::array<Half, kHalves> halves{};
    std::array<std::uint64_t, 1024> known{};  // a bit for each hash

    void enter(Beginning beginning, std::size_t bucket);
    [[nodiscard]] static std::uint32_t hash(const char* p) {
      const auto key = static_cast<std::uint32_t>(static_cast<unsigned char>(p[0])) |
                       static_cast<std::uint32_t>(static_cast<unsigned char>(p[1])) << 8U |
                       static_cast<std::uint32_t>(static_cast<unsigned char>(p[2])) << 16U;
      return (key * 0x85EBCA6BU) >> 16U;
    }
    [[nodiscard]] bool may_be_known(const char* p) const {
      const std::uint32_t h = hash(p);
      return ((known[h >> 6U] >> (h & 63U)) & 1U) != 0;
    }
  };
  [[nodiscard]] const Tables& tables() const { return tables_; }

 private:
  // The nibbles of a bucket's bytes at each position, a bit for each, and how often one of the
  // bytes that fit is seen there.
  struct Bucket {
    std::array<std::uint16_t, kLength> low{};
    std::array<std::uint16_t, kLength> high{};
    std::array<unsigned, kLength> seen{};

    void take(Beginning beginning);
    // Behind the last that it takes. `before`: what is counted already.
    void count(const Bucket& before);
    [[nodiscard]] double width() const;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  using Buckets = std::array<Bucket, kBuckets>;
  static std::size_t put(Buckets& buckets, Beginning beginning);

  Tables tables_;
};

// Chosen at run time by what the processor can do; all give the same answers.
namespace kernels {
const char* find_scalar(const Prefixes::Tables& tables, const char* from, const char* end);
#if defined(__x86_64__)
const char* find_avx2(const Prefixes::Tables& tables, const char* from, const char* end);
#endif
}  // namespace kernels

}  // namespace dragoman::redact
