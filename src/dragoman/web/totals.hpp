// SPDX-License-Identifier: Apache-2.0
// Sums over everything that has ended, for /metrics.
#pragma once

#include <array>
#include <cstdint>

#include "dragoman/task/task.hpp"
#include "dragoman/web/views.hpp"

namespace dragoman::web {

struct Totals {
  static constexpr std::array<double, 10> kBuckets = {1,   5,   15,   60,   120,
                                                      300, 600, 1200, 3600, 14400};
  std::array<std::uint64_t, kBuckets.size()> durations{};  // not cumulative
  std::uint64_t duration_count = 0;
  double duration_seconds = 0;
  Tokens tokens;

  // A task in its terminal state, once.
  void add(const task::Task& task) {
    if (const auto used = tokens_of(task)) {
      tokens.input += used->input;
      tokens.cached += used->cached;
      tokens.output += used->output;
    }
    if (task.started_at == 0) return;
    const double seconds = static_cast<double>(task.duration(task.completed_at).count()) / 1000.0;
    ++duration_count;
    duration_seconds += seconds;
    for (std::size_t i = 0; i < kBuckets.size(); ++i) {
      if (seconds > kBuckets.at(i)) continue;
      ++durations.at(i);
      break;
    }
  }
};

}  // namespace dragoman::web
