// SPDX-License-Identifier: Apache-2.0
// Takes keys from queues and runs their tasks: the one loop behind `task work` and `worker`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/log/log.hpp"
#include "dragoman/process/ending_signals.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/lease_keeper.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/task_run.hpp"
#include "dragoman/task/workspace.hpp"

namespace dragoman::task {

// On one machine a task runs at most once: what its dead runner left is judged by its process. In a
// fleet nobody can see that process, so the lease decides: a task whose worker fell silent is begun
// again by another one, and whatever the first still writes is refused.
//
// A run at work holds one of the slots. One whose agent waits for an answer, or stays between two
// turns, holds none: at most RunnerOptions::waiting do so. Beyond that the agent that has been kept
// longest is ended, to be resumed later, and where none is kept a run with a question keeps its
// slot. A free slot goes first to who has been answered, then to a next turn, then to a new task.
class QueueWorker {
 public:
  QueueWorker(Log& log, const RunnerOptions& options);

  // Until the queue has been empty for a while (in a fleet: for ever), or a signal.
  void run();
  // What is due at this moment, for a caller with a loop of its own.
  void step();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Running {
    Claim claim;  // without a key: none, its agent is kept
    std::uint64_t number = 0;
    std::unique_ptr<TaskRun> run;
    std::chrono::steady_clock::time_point kept_since;
    bool leaving = false;
  };
  // The clone of a run at rest, for its next turn.
  struct Clone {
    std::unique_ptr<Workspace> workspace;
    std::chrono::steady_clock::time_point since;
  };
  using Moment = std::chrono::steady_clock::time_point;

  void expect_signal();
  void stop();
  void tick();
  void work(Moment now);
  void look(Moment now);
  void look_at_fleet(Moment now);
  void find_queues(Moment now);
  void clean(Moment now);
  [[nodiscard]] bool claim_one();
  [[nodiscard]] bool claim_from(const std::string& queue);
  [[nodiscard]] bool is_busy_with(const Claim& claim);
  void begin(Claim claim);
  // queue_worker_slots.cpp
  [[nodiscard]] std::size_t slots_held() const;
  void share_slots();
  [[nodiscard]] bool let_wait(std::size_t most);
  void say_present();
  void put_clone(const std::string& id, std::unique_ptr<Workspace> clone);
  [[nodiscard]] std::unique_ptr<Workspace> take_clone(const std::string& id);
  void run_task(Claim claim, Task task);
  [[nodiscard]] Result<bool> still_ours(const Claim& claim);
  [[nodiscard]] bool give_up(const Claim& claim, const Task& task);
  void rested(const std::string& id, std::uint64_t number);
  void ended(const std::string& id, std::uint64_t number);
  void give_place_up(Running& running);
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
  std::uint64_t begun_ = 0;  // so many were
  std::map<std::string, Clone> clones_;
  std::vector<std::string> queues_;  // those of next turns first
  std::optional<Claim> presence_;    // in a fleet
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
