// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/recent_ids.hpp"

namespace dragoman {

bool RecentIds::insert(std::string_view id) {
  if (buckets_.empty()) {
    ring_.reserve(kRemembered);
    buckets_.assign(kBuckets, {});
  }
  const QuickDigest key = quick_digest(id);
  const std::size_t want = home(key);
  for (std::size_t at = want; buckets_[at].entry != 0; at = (at + 1) % kBuckets) {
    if (buckets_[at].home == want && ring_[buckets_[at].entry - 1U] == key) return false;
  }
  if (ring_.size() < kRemembered) {
    ring_.push_back(key);
  } else {
    forget(next_);
    ring_[next_] = key;
  }
  std::size_t at = want;
  while (buckets_[at].entry != 0) at = (at + 1) % kBuckets;
  buckets_[at] = {static_cast<std::uint16_t>(want), static_cast<std::uint16_t>(next_ + 1)};
  next_ = (next_ + 1) % kRemembered;
  return true;
}

// Closes the gap by moving later entries of the same run up, so that no look-up stops early.
void RecentIds::forget(std::size_t index) {
  std::size_t gap = home(ring_[index]);
  while (buckets_[gap].entry != index + 1) gap = (gap + 1) % kBuckets;
  buckets_[gap] = {};
  for (std::size_t at = (gap + 1) % kBuckets; buckets_[at].entry != 0; at = (at + 1) % kBuckets) {
    const std::size_t from_want = (at + kBuckets - buckets_[at].home) % kBuckets;
    const std::size_t from_gap = (at + kBuckets - gap) % kBuckets;
    if (from_want < from_gap) continue;
    buckets_[gap] = buckets_[at];
    buckets_[at] = {};
    gap = at;
  }
}

}  // namespace dragoman
