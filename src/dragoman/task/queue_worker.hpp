// SPDX-License-Identifier: Apache-2.0
// Takes keys from queues and runs their tasks: the one loop behind `task work` and `worker`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/log/log.hpp"
#include "dragoman/process/ending_signals.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/lease_keeper.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

// On one machine a task runs at most once: what its dead runner left is judged by its process. In a
// fleet nobody can see that process, so the lease decides: a task whose worker fell silent is begun
// again by another one, and whatever the first still writes is refused.
class QueueWorker {
 public:
  QueueWorker(Log& log, const RunnerOptions& options);

  // Until the queue has been empty for a while (in a fleet: for ever), or a signal.
  void run();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Running {
    Claim claim;
    std::unique_ptr<TaskRun> run;
  };
  using Moment = std::chrono::steady_clock::time_point;

  void expect_signal();
  void stop();
  void tick();
  void look(Moment now);
  void look_at_fleet(Moment now);
  void find_queues(Moment now);
  void clean(Moment now);
  [[nodiscard]] bool claim_one();
  [[nodiscard]] bool claim_from(const std::string& queue);
  void begin(Claim claim);
  void run_task(Claim claim, Task task);
  [[nodiscard]] Result<bool> still_ours(const Claim& claim);
  [[nodiscard]] bool give_up(const Claim& claim, const Task& task);
  void ended(const std::string& id, std::uint64_t token);
  [[nodiscard]] LeaseKeeper::Lost when_lost();
  void lost(const std::string& id);

  Log& log_;
  const RunnerOptions& options_;
  EventPump pump_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  process::SignalEchoes echoes_;
  std::string owner_;
  std::map<std::string, Running> running_;
  std::vector<std::string> queues_;
  std::uint64_t seen_ = 0;
  Moment looked_;
  Moment found_queues_;
  Moment asked_;
  Moment idle_since_;
  Moment clean_next_;
  Moment claim_next_;
  bool draining_ = false;
  bool stopped_ = false;
  LeaseKeeper keeper_;  // last: its threads use the rest
};

}  // namespace dragoman::task
