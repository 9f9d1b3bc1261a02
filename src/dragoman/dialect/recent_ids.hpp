// SPDX-License-Identifier: Apache-2.0
// Which ids have been seen lately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dragoman/dialect/quick_digest.hpp"

namespace dragoman {

// Remembers the last 4,096 ids in fixed memory, each as a digest of 128 bits.
class RecentIds {
 public:
  static constexpr std::size_t kRemembered = 4096;

  // False when the id is among the remembered ones already.
  bool insert(std::string_view id);

 private:
  static constexpr std::size_t kBuckets = 4 * kRemembered;

  [[nodiscard]] static std::size_t home(const QuickDigest& key) {
    return ((key.high ^ key.low) * 0x9E3779B97F4A7C15ULL) >> 50U;
  }
  void forget(std::size_t index);

  std::vector<QuickDigest> ring_;  // in the order they came
  // Where the key wants to be, and 1 + its index in ring_; 0: empty. With both at hand, looking
  // for a key seldom has to look into the ring.
  struct Bucket {
    std::uint16_t home = 0;
    std::uint16_t entry = 0;
  };
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;                 // where the next one goes
  static_assert(kBuckets == 1U << 14U);  // home() gives 14 bits
};

}  // namespace dragoman
