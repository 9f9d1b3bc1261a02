// SPDX-License-Identifier: Apache-2.0
// Which ids have been seen lately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman {

// Remembers the last 4,096 ids in fixed memory, each as a digest of 128 bits.
class RecentIds {
 public:
  static constexpr std::size_t kRemembered = 4096;

  // False when the id is among the remembered ones already.
  bool insert(std::string_view id);

 private:
  struct Key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static constexpr std::size_t kBuckets = 4 * kRemembered;

  [[nodiscard]] static Key key_of(std::string_view id);
  [[nodiscard]] static std::size_t home(const Key& key) {
    return ((key.high ^ key.low) * 0x9E3779B97F4A7C15ULL) >> 50U;
  }
  void forget(const Key& key);

  std::vector<Key> ring_;                // in the order they came
  std::vector<std::uint16_t> buckets_;   // 1 + index into ring_, 0: empty
  std::size_t next_ = 0;                 // where the next one goes
  static_assert(kBuckets == 1U << 14U);  // home() gives 14 bits
};

}  // namespace dragoman
