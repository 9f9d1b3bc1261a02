// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::web {

// What runs have cost, by what their events said last. Looks at new events only, and at no more
// than the last ones of a run it has not seen: a list of runs must not read their histories.
class Costs {
 public:
  explicit Costs(Log& log) : log_(log) {}

  [[nodiscard]] std::optional<double> of(const task::Task& task);

 private:
  static constexpr std::size_t kMost = 20'000;  // runs that are remembered
  static constexpr std::uint64_t kTail = 64;

  struct Known {
    std::uint64_t seq = 0;
    std::uint64_t over = 0;  // the revision of its record with which a turn ended; 0: none
    std::optional<double> usd;
  };

  Log& log_;
  Mutex mutex_;
  std::map<std::string, Known, std::less<>> known_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::web
