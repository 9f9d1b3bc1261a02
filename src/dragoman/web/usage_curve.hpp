// SPDX-License-Identifier: Apache-2.0
// How the tokens and the cost of a run grew, in a bounded number of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/run/usage.hpp"

namespace dragoman::web {

struct UsagePoint {
  std::uint64_t seq = 0;  // of the event that reported it
  std::optional<Timestamp> at;
  RunUsage total;
  friend bool operator==(const UsagePoint&, const UsagePoint&) = default;
};

// Of many reports every second, fourth, … is kept. The first one always is.
class UsageCurve {
 public:
  static constexpr std::size_t kMost = 128;

  // A report has come. Whether its point is wanted: the sum of a long turn takes a while to make.
  [[nodiscard]] bool wants_next() { return reports_++ % stride_ == 0; }
  void add(const UsagePoint& point);

  [[nodiscard]] const std::vector<UsagePoint>& points() const { return points_; }

 private:
  std::uint64_t reports_ = 0;
  std::uint64_t stride_ = 1;
  std::vector<UsagePoint> points_;
};

}  // namespace dragoman::web
