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
#include "dragoman/task/turn_end.hpp"

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
      queues_({std::string(kNext), std::string(kQueue)}),
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
  for (const auto& [id, running] : running_) {
    if (!running.claim.key.empty()) claims.push_back(running.claim);
  }
  running_.clear();
  if (presence_) (void)log_.finish(*presence_);
  if (options_.fleet) {
    for (const auto& claim : claims) (void)log_.give_back(claim);
  }
  io_.stop();
}

void QueueWorker::work(Moment now) {
  // While the log does not answer, every question to it costs time that ending agents may need.
  if (keeper_.reachable()) {
    look(now);
    share_slots();
    for (auto& [id, running] : running_) {
      if (keeper_.reachable()) running.run->tick();
    }
    if (!options_.fleet && now >= clean_next_) clean(now);
  }
  if (!running_.empty()) idle_since_ = now;
  if (draining_) (void)let_wait(0);
}

void QueueWorker::step() {
  io_.restart();
  io_.poll();
  work(std::chrono::steady_clock::now());
  io_.restart();
  io_.poll();
}

void QueueWorker::tick() {
  const auto now = std::chrono::steady_clock::now();
  work(now);
  if (draining_ && running_.empty()) return stop();
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
  share_slots();
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
    share_slots();
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
  std::vector<std::string> labels = options_.labels;
  labels.push_back(worker_label(owner_));
  queues_ = {fmt::format("needs {}", worker_label(owner_))};
  for (auto& queue : *known) {
    if (queue != queues_.front() && serves(labels, queue)) queues_.push_back(std::move(queue));
  }
  say_present();
}

bool QueueWorker::claim_one() {
  if (slots_held() >= options_.concurrency || draining_) return false;
  if (std::chrono::steady_clock::now() < claim_next_) return false;
  return std::any_of(queues_.begin(), queues_.end(),
                     [this](const std::string& queue) { return claim_from(queue); });
}

bool QueueWorker::claim_from(const std::string& queue) {
  const std::int64_t asked = milliseconds_since_boot();
  auto claim = log_.claim(queue, owner_, options_.lease, 0);
  if (!claim || !*claim) return false;
  idle_since_ = std::chrono::steady_clock::now();
  if (is_busy_with(**claim)) return false;
  keeper_.hold(**claim, asked);
  begin(**std::move(claim));
  return true;
}

// A turn of the same run is still here, such as one that was cancelled and is being ended: the next
// one begins when it is gone.
bool QueueWorker::is_busy_with(const Claim& claim) {
  const auto found = running_.find(claim.key);
  if (options_.fleet || found == running_.end() || found->second.run->kept()) return false;
  const auto task = find_task(log_, claim.key);
  const bool waits = !task || (*task && (*task)->task_state() == TaskState::queued);
  (void)(waits ? log_.give_back(claim) : log_.finish(claim));
  claim_next_ = std::chrono::steady_clock::now() + kAskAgain;
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
  // One that waits elsewhere was left behind here by a turn before.
  const bool waits =
      *found && queue_of(**found) == claim.queue &&
      ((*found)->task_state() == TaskState::queued || (options_.fleet && !(*found)->terminal()));
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
  if (const auto kept = running_.find(id); kept != running_.end() && kept->second.run->kept()) {
    kept->second.claim = std::move(claim);
    kept->second.leaving = false;
    return kept->second.run->go_on(std::move(task));
  }
  // A claim of the same task that was lost a moment ago may still be here: its agent goes with it.
  running_.erase(id);
  Running& running = running_[id];
  running.claim = std::move(claim);
  running.number = ++begun_;
  TaskRun::Calls calls;
  calls.rested = [this, id, number = running.number] { rested(id, number); };
  calls.ended = [this, id, number = running.number] { ended(id, number); };
  if (options_.fleet) {
    calls.launched = [this, id](std::function<void()> ends) { keeper_.arm(id, std::move(ends)); };
    calls.ours = [this, id] { return still_ours(running_.at(id).claim); };
  }
  auto clone = take_clone(id);
  auto run = std::make_unique<TaskRun>(io_, log_, pump_, options_, std::move(task),
                                       std::move(calls), std::move(clone));
  running.run = std::move(run);
  running.run->start();
}

// Whether the log has its last state: a task without one must not leave the queue.
bool QueueWorker::give_up(const Claim& claim, const Task& task) {
  bool begun = false;  // by somebody, meanwhile
  TurnEnd turn;
  turn.end = [&](Task& last) {
    begun = last.claim != task.claim;
    if (begun) return false;
    last.claim = static_cast<std::int64_t>(claim.token);
    last.state = name(TaskState::failed);
    last.reason = "orphaned";
    last.summary = fmt::format("Task failed: {} workers died or were lost with it", last.attempt);
    return true;
  };
  turn.last = "the workers that had the run died or were lost";
  const auto changed = conclude_turn(log_, task.id, std::move(turn));
  return changed.has_value() && !begun;
}

// A message that came before this may have found the place still taken, and is in no queue.
void QueueWorker::give_place_up(Running& running) {
  const Claim claim = std::exchange(running.claim, {});
  if (claim.key.empty()) return;
  keeper_.release(claim.key);
  if (!running.run->settled()) {
    if (!running.run->lost()) (void)log_.give_back(claim);
    return;
  }
  (void)log_.finish(claim);
  const auto task = find_task(log_, claim.key);
  if (task && *task && (*task)->task_state() == TaskState::queued &&
      queue_of(**task) == claim.queue)
    (void)write_one(log_, Enqueue{claim.queue, claim.key});
}

void QueueWorker::rested(const std::string& id, std::uint64_t number) {
  const auto found = running_.find(id);
  if (found == running_.end() || found->second.number != number || !found->second.run->kept())
    return;
  give_place_up(found->second);
  found->second.kept_since = std::chrono::steady_clock::now();
  (void)let_wait(draining_ ? 0 : options_.waiting);
  seen_ = 0;  // there is a free slot
  claim_next_ = {};
}

void QueueWorker::ended(const std::string& id, std::uint64_t number) {
  const auto found = running_.find(id);
  if (found == running_.end() || found->second.number != number) return;
  give_place_up(found->second);
  put_clone(id, found->second.run->take_clone());
  running_.erase(found);
  seen_ = 0;  // there is a free slot
  claim_next_ = {};
}

void QueueWorker::lost(const std::string& id) {
  if (presence_ && id == presence_->key) {
    // The keeper would take the log for out of reach as long as it had this claim alone.
    keeper_.release(id);
    presence_.reset();
    return;
  }
  const auto found = running_.find(id);
  if (found != running_.end()) found->second.run->lose();
}

}  // namespace dragoman::task
