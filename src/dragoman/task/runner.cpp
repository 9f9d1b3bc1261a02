// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/runner.hpp"

#include <memory>

#include "dragoman/process/supervisor.hpp"
#include "dragoman/task/queue_worker.hpp"
#include "dragoman/task/runner_lock.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

namespace {

Result<bool> work_is_waiting(Log& log) {
  for (const std::string_view queue : {kNext, kQueue}) {
    DRAGOMAN_TRY(const auto items, log.queue(queue));
    if (!items.empty()) return true;
  }
  return false;
}

}  // namespace

Result<void> work_queue(Log& log, const RunnerOptions& options) {
  auto lock = options.handed_lock ? std::make_unique<RunnerLock>(kHandedLock)
                                  : std::make_unique<RunnerLock>(options.lock_file);
  process::raise_descriptor_limit();
  for (;;) {
    DRAGOMAN_TRY(const bool taken, lock->take());
    if (!taken) return {};
    QueueWorker worker(log, options);
    worker.run();
    // Whoever submits after our last look finds the lock free, or is found by the look after it.
    lock->give_back();
    DRAGOMAN_TRY(const bool more, work_is_waiting(log));
    if (worker.stopped() || !more) return {};
  }
}

Result<void> work_fleet(Log& log, const RunnerOptions& options) {
  process::raise_descriptor_limit();
  QueueWorker worker(log, options);
  worker.run();
  return {};
}

}  // namespace dragoman::task
