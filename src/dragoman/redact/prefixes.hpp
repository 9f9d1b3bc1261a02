// SPDX-License-Identifier: Apache-2.0
// Where in a text one of many short beginnings may stand: the loop that every byte goes through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::redact {

// The first three bytes of everything that is looked for, in eight buckets. A place is a candidate
// for a bucket when each of its three bytes may stand there in one of the bucket's beginnings. That
// lets some places through that are none, and misses none that is one.
class Prefixes {
 public:
  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t kLength = 3;

  // A byte class for each position; the result is the bucket it was put into.
  struct Beginning {
    std::array<std::string_view, kLength> bytes;  // which bytes may stand at each position
  };
  std::size_t add(const Beginning& beginning);

  struct Candidate {
    const char* at = nullptr;  // or the end
    std::uint8_t buckets = 0;
  };
  // The first candidate. Near the end, where bytes are missing, what may still become one counts.
  [[nodiscard]] Candidate find(const char* from, const char* end) const;

  // Which buckets a byte belongs to at a position: by value, and by nibbles for vector shuffles.
  struct Tables {
    std::array<std::array<std::uint8_t, 256>, kLength> byte{};
    std::array<std::array<std::uint8_t, 16>, kLength> low{};
    std::array<std::array<std::uint8_t, 16>, kLength> high{};
  };
  [[nodiscard]] const Tables& tables() const { return tables_; }

 private:
  [[nodiscard]] double width_with(std::size_t bucket, const Beginning& beginning) const;

  Tables tables_;
};

// Chosen at run time by what the processor can do; all give the same answers.
namespace kernels {
Prefixes::Candidate find_scalar(const Prefixes::Tables& tables, const char* from, const char* end);
#if defined(__x86_64__)
Prefixes::Candidate find_avx2(const Prefixes::Tables& tables, const char* from, const char* end);
#endif
}  // namespace kernels

}  // namespace dragoman::redact
