// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/queue_worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <sstream>

#include <fmt/format.h>

#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/process/ending_signals.hpp"
#include "dragoman/process/leftovers.hpp"
#include "dragoman/task/queues.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

namespace {

constexpr std::chrono::milliseconds kTick(50);
constexpr std::chrono::milliseconds kFleetTick(10);
constexpr std::chrono::seconds kLookAgain(1);
constexpr std::chrono::seconds kFindQueues(2);
constexpr std::chrono::milliseconds kAskOne(10);
constexpr std::chrono::milliseconds kAskAgain(200);
constexpr std::chrono::milliseconds kAskAtLeast(2000);
constexpr std::chrono::minutes kCleanEvery(15);

}  // namespace

QueueWorker::QueueWorker(Log& log, const RunnerOptions& options)
    : log_(log),
      options_(options),
      pump_(log),
      timer_(io_),
      signals_(io_),
      owner_(options.name.empty() ? fmt::format("runner {}", ::getpid()) : options.name),
      queues_({std::string(kQueue)}),
      keeper_(log, options.lease, when_lost()) {
  process::add_ending_signals(signals_);
}

// On one machine nobody else works this queue: the lock says so.
LeaseKeeper::Lost QueueWorker::when_lost() {
  if (!options_.fleet) return {};
  return [this](const std::string& id) { boost::asio::post(io_, [this, id] { lost(id); }); };
}

void QueueWorker::run() {
  expect_signal();
  idle_since_ = std::chrono::steady_clock::now();
  tick();
  io_.run();
  io_.restart();
}

void QueueWorker::expect_signal() {
  signals_.async_wait([this](const boost::system::error_code& cancelled, int) {
    if (cancelled) return;
    if (echoes_.is_echo()) return expect_signal();
    // The first one asks a worker to finish what it has, the second not even that.
    if (!options_.fleet || std::exchange(draining_, true)) return stop();
    expect_signal();
  });
}

// Agents die with their runs. On one machine what they were doing is found as orphaned; in a fleet
// others go on with it.
void QueueWorker::stop() {
  stopped_ = true;
  if (options_.fleet) (void)pump_.flush();
  std::vector<Claim> claims;
  claims.reserve(running_.size());
  for (const auto& [id, running] : running_) claims.push_back(running.claim);
  running_.clear();
  if (options_.fleet) {
    for (const auto& claim : claims) (void)log_.give_back(claim);
  }
  io_.stop();
}

void QueueWorker::tick() {
  const auto now = std::chrono::steady_clock::now();
  // While the log does not answer, every question to it costs time that ending agents may need.
  if (keeper_.reachable()) {
    look(now);
    for (auto& [id, running] : running_) {
      if (keeper_.reachable()) running.run->tick();
    }
    if (!options_.fleet && now >= clean_next_) clean(now);
  }
  if (!running_.empty()) idle_since_ = now;
  if (draining_ && running_.empty()) {
    stopped_ = true;
    return io_.stop();
  }
  if (!options_.fleet && now - idle_since_ > options_.linger) return io_.stop();
  timer_.expires_after(options_.fleet ? kFleetTick : kTick);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) tick();
  });
}

void QueueWorker::look(Moment now) {
  if (options_.fleet) return look_at_fleet(now);
  const std::uint64_t change = log_.wait_for_change(0, std::chrono::milliseconds(0));
  if (change == seen_ && now - looked_ <= kLookAgain) return;
  seen_ = change;
  looked_ = now;
  for (auto& [id, running] : running_) running.run->log_changed();
  while (claim_one()) {
  }
}

// In a fleet something changes all the time, and somebody else's changes are the most of it. The
// queues' part of the log is at hand; about its own tasks a worker asks the server, the less often
// the more it has.
void QueueWorker::look_at_fleet(Moment now) {
  find_queues(now);
  const std::chrono::milliseconds pause = kAskOne * static_cast<std::int64_t>(running_.size());
  if (now - asked_ > std::clamp(pause, kAskAgain, kAskAtLeast)) {
    asked_ = now;
    for (auto& [id, running] : running_) {
      if (keeper_.reachable()) running.run->log_changed();
    }
  }
  while (claim_one()) {
  }
}

// Old tasks are deleted by people only.
void QueueWorker::clean(Moment now) {
  clean_next_ = now + kCleanEvery;
  const auto found = process::end_leftovers(std::chrono::milliseconds(100));
  if (options_.swept && found.ended + found.survivors > 0) options_.swept(found);
  CleanOptions stuck;
  stuck.keeps_old = true;
  ServiceOptions ours;
  ours.runner_lives = [] { return true; };
  (void)Service(log_, std::move(ours)).clean(stuck);  // the next time tries again
}

void QueueWorker::find_queues(Moment now) {
  if (now - found_queues_ < kFindQueues) return;
  found_queues_ = now;
  auto known = known_queues(log_);
  if (!known) return;
  queues_.clear();
  for (auto& queue : *known) {
    if (serves(options_.labels, queue)) queues_.push_back(std::move(queue));
  }
}

bool QueueWorker::claim_one() {
  if (running_.size() >= options_.concurrency || draining_) return false;
  if (std::chrono::steady_clock::now() < claim_next_) return false;
  return std::any_of(queues_.begin(), queues_.end(),
                     [this](const std::string& queue) { return claim_from(queue); });
}

bool QueueWorker::claim_from(const std::string& queue) {
  const std::int64_t asked = milliseconds_since_boot();
  auto claim = log_.claim(queue, owner_, options_.lease, options_.fleet ? 0 : options_.concurrency);
  if (!claim || !*claim) return false;
  idle_since_ = std::chrono::steady_clock::now();
  keeper_.hold(**claim, asked);
  begin(**std::move(claim));
  return true;
}

// Whether the claim is: the clock knows when it can no longer be, else the log is asked.
Result<bool> QueueWorker::still_ours(const Claim& claim) {
  if (!keeper_.holds(claim.key)) return false;
  return log_.heartbeat(claim, options_.lease);
}

void QueueWorker::begin(Claim claim) {
  auto found = find_task(log_, claim.key);
  // Somebody has begun before: long ago, or while we slept between the claim and here.
  const bool in_doubt = options_.fleet && found && *found && (*found)->claim != 0;
  const auto ours = in_doubt ? still_ours(claim) : Result<bool>(true);
  if (ours && !*ours) return keeper_.release(claim.key);
  if (!found || !ours) {  // the log has gone in this very moment
    keeper_.release(claim.key);
    (void)log_.give_back(claim);
    claim_next_ = std::chrono::steady_clock::now() + kAskAgain;
    return;
  }
  const bool waits = *found && ((*found)->task_state() == TaskState::queued ||
                                (options_.fleet && !(*found)->terminal()));
  // What counts is how often somebody has begun: a claim may be given back untouched.
  const bool tried_enough = waits && options_.fleet && (*found)->attempt >= options_.most_attempts;
  if (!waits || tried_enough) {
    // Ended while it waited, or handed out too often.
    const bool settled = !waits || give_up(claim, **found);
    keeper_.release(claim.key);
    (void)(settled ? log_.finish(claim) : log_.give_back(claim));
    return;
  }
  run_task(std::move(claim), **std::move(found));
}

void QueueWorker::run_task(Claim claim, Task task) {
  task.claim = static_cast<std::int64_t>(claim.token);
  task.attempt = options_.fleet ? task.attempt + 1 : claim.attempt;
  if (options_.fleet) task.worker = owner_;
  const std::string id = task.id;
  const std::uint64_t token = claim.token;
  // A claim of the same task that was lost a moment ago may still be here: its agent goes with it.
  running_.erase(id);
  Running& running = running_[id];
  running.claim = std::move(claim);
  TaskRun::Calls calls;
  calls.ended = [this, id, token] { ended(id, token); };
  if (options_.fleet) {
    calls.launched = [this, id](std::function<void()> ends) { keeper_.arm(id, std::move(ends)); };
    calls.ours = [this, held = running.claim] { return still_ours(held); };
  }
  running.run =
      std::make_unique<TaskRun>(io_, log_, pump_, options_, std::move(task), std::move(calls));
  running.run->start();
}

// Whether the log has its last state: a task without one must not leave the queue.
bool QueueWorker::give_up(const Claim& claim, const Task& task) {
  bool begun = false;  // by somebody, meanwhile
  const auto changed = change_task(log_, task.id, [&](Task& last) {
    begun = last.claim != task.claim;
    if (begun) return false;
    last.claim = static_cast<std::int64_t>(claim.token);
    last.state = name(TaskState::failed);
    last.reason = "orphaned";
    last.summary = fmt::format("Task failed: {} workers died or were lost with it", last.attempt);
    return true;
  });
  return changed.has_value() && !begun;
}

void QueueWorker::ended(const std::string& id, std::uint64_t token) {
  const auto found = running_.find(id);
  if (found == running_.end() || found->second.claim.token != token) return;
  keeper_.release(id);
  const TaskRun& run = *found->second.run;
  if (run.settled()) {
    (void)log_.finish(found->second.claim);
  } else if (!run.lost()) {
    (void)log_.give_back(found->second.claim);
  }
  running_.erase(found);
  seen_ = 0;  // there is a free slot
}

void QueueWorker::lost(const std::string& id) {
  const auto found = running_.find(id);
  if (found != running_.end()) found->second.run->lose();
}

}  // namespace dragoman::task
