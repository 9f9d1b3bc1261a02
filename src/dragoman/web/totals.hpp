// SPDX-License-Identifier: Apache-2.0
// Sums over the turns of runs that have ended, for /metrics.
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

  // A task at rest, and what was counted of it before: a later turn adds to its tokens, and its
  // record may change where no turn has ended.
  struct Counted {
    std::uint64_t turn = 0;
    Tokens tokens;
  };
  void add(const task::Task& task, Counted& before) {
    if (const auto used = tokens_of(task)) {
      tokens.input += used->input - before.tokens.input;
      tokens.cached += used->cached - before.tokens.cached;
      tokens.output += used->output - before.tokens.output;
      before.tokens = *used;
    }
    const bool counted = before.turn == task.turn();
    before.turn = task.turn();
    if (counted || task.started_at == 0) return;
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
