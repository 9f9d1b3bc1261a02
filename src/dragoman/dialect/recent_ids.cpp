// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/recent_ids.hpp"

#include <cstring>

namespace dragoman {
namespace {

// Both halves of the product, mixed.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

}  // namespace

RecentIds::Key RecentIds::key_of(std::string_view id) {
  Key key{0x243F6A8885A308D3ULL ^ id.size(), 0x13198A2E03707344ULL};
  const auto add = [&key](std::uint64_t word) {
    key.high = fold(key.high ^ word, 0xA0761D6478BD642FULL);
    key.low = fold(key.low + word, 0xE7037ED1A0B428DBULL) ^ word;
  };
  std::size_t at = 0;
  for (; at + 8 <= id.size(); at += 8) add(word_at(id.data() + at, 8));
  if (at < id.size()) add(word_at(id.data() + at, id.size() - at));
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
