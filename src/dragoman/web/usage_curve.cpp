// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/usage_curve.hpp"

namespace dragoman::web {

void UsageCurve::add(const UsagePoint& point) {
  points_.push_back(point);
  if (points_.size() < kMost) return;
  std::vector<UsagePoint> kept;
  for (std::size_t i = 0; i < points_.size(); i += 2) kept.push_back(points_[i]);
  points_ = std::move(kept);
  stride_ *= 2;
}

}  // namespace dragoman::web
