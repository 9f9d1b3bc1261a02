// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/recent_ids.hpp"

namespace dragoman {
namespace {

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) table['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    table['a' + i] = static_cast<std::uint8_t>(10 + i);
    table['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32U;
  h *= 0xD6E8FEB86659FD93ULL;
  h ^= h >> 32U;
  return h;
}

}  // namespace

RecentIds::Key RecentIds::key_of(std::string_view id) {
  Key key;
  if (id.size() == 36) {
    unsigned bad = 0;
    std::size_t digits = 0;
    for (std::size_t i = 0; i < 36; ++i) {
      if (i == 8 || i == 13 || i == 18 || i == 23) {
        bad |= static_cast<unsigned>(id[i] != '-');
        continue;
      }
      const std::uint8_t digit = kDigits[static_cast<unsigned char>(id[i])];
      bad |= static_cast<unsigned>(digit == kNoDigit);
      std::uint64_t& half = digits++ < 16 ? key.high : key.low;
      half = (half << 4U) | digit;
    }
    if (bad == 0) return key;
  }
  key = {0x243F6A8885A308D3ULL ^ id.size(), 0x13198A2E03707344ULL};
  for (const char c : id) {
    key.high = mix(key.high ^ static_cast<unsigned char>(c));
    key.low = (key.low ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return key;
}

bool RecentIds::insert(std::string_view id) {
  if (buckets_.empty()) {
    ring_.reserve(kRemembered);
    buckets_.assign(kBuckets, 0);
  }
  const Key key = key_of(id);
  for (std::size_t at = home(key); buckets_[at] != 0; at = (at + 1) % kBuckets) {
    if (ring_[buckets_[at] - 1U] == key) return false;
  }
  if (ring_.size() < kRemembered) {
    ring_.push_back(key);
  } else {
    forget(ring_[next_]);
    ring_[next_] = key;
  }
  std::size_t at = home(key);
  while (buckets_[at] != 0) at = (at + 1) % kBuckets;
  buckets_[at] = static_cast<std::uint16_t>(next_ + 1);
  next_ = (next_ + 1) % kRemembered;
  return true;
}

// Closes the gap by moving later entries of the same run up, so that no look-up stops early.
void RecentIds::forget(const Key& key) {
  std::size_t gap = home(key);
  while (!(ring_[buckets_[gap] - 1U] == key)) gap = (gap + 1) % kBuckets;
  buckets_[gap] = 0;
  for (std::size_t at = (gap + 1) % kBuckets; buckets_[at] != 0; at = (at + 1) % kBuckets) {
    const std::size_t want = home(ring_[buckets_[at] - 1U]);
    const std::size_t from_want = (at + kBuckets - want) % kBuckets;
    const std::size_t from_gap = (at + kBuckets - gap) % kBuckets;
    if (from_want < from_gap) continue;
    buckets_[gap] = buckets_[at];
    buckets_[at] = 0;
    gap = at;
  }
}

}  // namespace dragoman
