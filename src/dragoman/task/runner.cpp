// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/runner.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "dragoman/process/supervisor.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/runner_lock.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

namespace {

constexpr std::chrono::milliseconds kTick(50);
constexpr std::chrono::minutes kCleanEvery(15);

class QueueWorker {
 public:
  QueueWorker(Log& log, const RunnerOptions& options)
      : log_(log),
        options_(options),
        pump_(log),
        timer_(io_),
        signals_(io_, SIGTERM, SIGINT, SIGHUP),
        owner_(fmt::format("runner {}", ::getpid())) {}

  // Until the queue has been empty for a while, or a signal.
  void run() {
    signals_.async_wait([this](const boost::system::error_code& cancelled, int) {
      if (!cancelled) stop();
    });
    idle_since_ = std::chrono::steady_clock::now();
    tick();
    io_.run();
    io_.restart();
  }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Running {
    Claim claim;
    std::unique_ptr<TaskRun> run;
  };

  // Agents die with their sessions; what they were doing is found as orphaned.
  void stop() {
    stopped_ = true;
    running_.clear();
    io_.stop();
  }

  void tick() {
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t change = log_.wait_for_change(0, std::chrono::milliseconds(0));
    const bool look = change != seen_ || now - looked_ > std::chrono::seconds(1);
    if (look) {
      seen_ = change;
      looked_ = now;
      for (auto& [id, running] : running_) running.run->log_changed();
      while (claim_one()) {
      }
    }
    if (now - beat_ > options_.lease / 3) {
      beat_ = now;
      for (auto& [id, running] : running_) (void)log_.heartbeat(running.claim, options_.lease);
    }
    for (auto& [id, running] : running_) running.run->tick();
    if (now >= clean_next_) clean(now);
    if (!running_.empty()) idle_since_ = now;
    if (now - idle_since_ > options_.linger) return io_.stop();
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) tick();
    });
  }

  // Old tasks are deleted by people only.
  void clean(std::chrono::steady_clock::time_point now) {
    clean_next_ = now + kCleanEvery;
    CleanOptions stuck;
    stuck.keeps_old = true;
    (void)Service(log_, {}).clean(stuck);  // the next time tries again
  }

  bool claim_one() {
    if (running_.size() >= options_.concurrency) return false;
    auto claim = log_.claim(kQueue, owner_, options_.lease, options_.concurrency);
    if (!claim || !*claim) return false;
    idle_since_ = std::chrono::steady_clock::now();
    auto task = find_task(log_, (*claim)->key);
    // Ended while it waited, or handed out before: a task runs at most once.
    if (!task || !*task || (*task)->task_state() != TaskState::queued) {
      (void)log_.finish(**claim);
      return true;
    }
    const std::string id = (*task)->id;
    Running& running = running_[id];
    running.claim = **std::move(claim);
    running.run = std::make_unique<TaskRun>(io_, log_, pump_, options_, **std::move(task),
                                            [this, id] { ended(id); });
    running.run->start();
    return true;
  }

  void ended(const std::string& id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    (void)log_.finish(found->second.claim);
    running_.erase(found);
    seen_ = 0;  // there is a free slot
  }

  Log& log_;
  const RunnerOptions& options_;
  EventPump pump_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  std::string owner_;
  std::map<std::string, Running> running_;
  std::uint64_t seen_ = 0;
  std::chrono::steady_clock::time_point looked_;
  std::chrono::steady_clock::time_point beat_;
  std::chrono::steady_clock::time_point idle_since_;
  std::chrono::steady_clock::time_point clean_next_;
  bool stopped_ = false;
};

Result<bool> work_is_waiting(Log& log) {
  DRAGOMAN_TRY(const auto items, log.queue(kQueue));
  return !items.empty();
}

}  // namespace

Result<void> work_queue(Log& log, const RunnerOptions& options) {
  RunnerLock lock(options.lock_file);
  process::raise_descriptor_limit();
  for (;;) {
    if (!lock.take()) return {};
    QueueWorker worker(log, options);
    worker.run();
    // Whoever submits after our last look finds the lock free, or is found by the look after it.
    lock.give_back();
    DRAGOMAN_TRY(const bool more, work_is_waiting(log));
    if (worker.stopped() || !more) return {};
  }
}

}  // namespace dragoman::task
