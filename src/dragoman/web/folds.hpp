// SPDX-License-Identifier: Apache-2.0
// Summaries of runs, kept between requests and continued where they ended.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/run/summary.hpp"
#include "dragoman/web/usage_curve.hpp"

namespace dragoman::web {

// What the events of a run add up to.
struct FoldedRun {
  RunSummary summary;
  std::string verdict;  // of its `finished` event; empty: not yet
  std::vector<std::string> reasons;
  std::vector<UsagePoint> curve;  // ends at the summary's figures
};

class Folds {
 public:
  explicit Folds(Log& log) : log_(log) {}

  // Reads the events that are new since the last time. May take a while for a long run.
  [[nodiscard]] Result<FoldedRun> of(const std::string& run);

 private:
  static constexpr std::size_t kMost = 64;  // runs that are remembered
  struct Entry;

  [[nodiscard]] std::shared_ptr<Entry> entry(const std::string& run);

  Log& log_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_ DRAGOMAN_GUARDED_BY(mutex_);
  std::list<std::string> order_ DRAGOMAN_GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace dragoman::web
