// SPDX-License-Identifier: Apache-2.0
// What a client that waits is told about a task.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "dragoman/mcp/tool.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::mcp {

// Law: what is told strictly increases, on a scale that the first word fixes: percent of 100 where
// a percentage is known, else elapsed seconds. One at the start, then on change, at most one a
// second, at least one in fifteen. Told nothing, it says nothing.
class ProgressTeller {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressTeller(Context& context) : context_(context), percent_(context.told_total()) {}

  // As often as one likes; `now` of a monotonic clock.
  void tell(const task::Task& task, Clock::time_point now);
  // The task has ended: on the percent scale the last word is 100 when it ended well.
  void end(const task::Task& task);

 private:
  void send(double value, const std::string& message);

  Context& context_;
  std::optional<bool> percent_;  // the scale, once something was said
  double last_ = -1;
  std::string said_;
  Clock::time_point told_;
};

}  // namespace dragoman::mcp
