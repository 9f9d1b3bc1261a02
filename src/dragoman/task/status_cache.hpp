// SPDX-License-Identifier: Apache-2.0
// The newest snapshot of the registry, for whoever asks many times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "dragoman/base/mutex.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

// Law: what it answers has every change of a task that was acknowledged before it was asked,
// whoever made it. What time alone changes (the last 24 hours, tasks that are deleted) may be a
// second old.
class StatusCache {
 public:
  [[nodiscard]] Result<std::shared_ptr<const Snapshot>> status(Service& service,
                                                               const StatusQuery& query);

 private:
  static constexpr std::chrono::seconds kLongest{1};

  Mutex mutex_;
  StatusQuery query_ DRAGOMAN_GUARDED_BY(mutex_);
  std::shared_ptr<const Snapshot> snapshot_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t revision_ DRAGOMAN_GUARDED_BY(mutex_) = 0;  // the newest that it contains
  std::chrono::steady_clock::time_point made_ DRAGOMAN_GUARDED_BY(mutex_);
};

}  // namespace dragoman::task
