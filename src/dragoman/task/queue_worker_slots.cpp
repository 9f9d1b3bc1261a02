// SPDX-License-Identifier: Apache-2.0
// Who holds a slot, who waits without one, and what is kept of runs at rest.
#include <algorithm>

#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/task/queue_worker.hpp"
#include "dragoman/task/queues.hpp"
#include "dragoman/task/turn_end.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kMostClones = 16;
constexpr std::chrono::hours kLongestClone(24);

}  // namespace

std::size_t QueueWorker::slots_held() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      running_, [](const auto& one) { return one.second.run->holds_slot(); }));
}

// Whether so many processes wait without a slot, or fewer; for that the agents that have been kept
// longest leave.
bool QueueWorker::let_wait(std::size_t most) {
  const auto waits = [](const auto& one) {
    return !one.second.run->holds_slot() && !one.second.leaving;
  };
  while (static_cast<std::size_t>(std::ranges::count_if(running_, waits)) > most) {
    Running* oldest = nullptr;
    for (auto& [id, running] : running_) {
      if (!running.run->kept() || running.leaving) continue;
      if (oldest == nullptr || running.kept_since < oldest->kept_since) oldest = &running;
    }
    if (oldest == nullptr) return false;
    oldest->leaving = true;
    oldest->run->leave();
  }
  return true;
}

void QueueWorker::share_slots() {
  for (auto& [id, running] : running_) {
    if (running.run->holds_slot() && running.run->needs_no_slot() && options_.waiting > 0 &&
        let_wait(options_.waiting - 1))
      running.run->give_slot();
  }
  for (;;) {
    Running* first = nullptr;
    for (auto& [id, running] : running_) {
      const auto since = running.run->wants_slot();
      if (!since) continue;
      if (running.run->takes_slot()) {
        running.run->take_slot();
      } else if (first == nullptr || *since < *first->run->wants_slot()) {
        first = &running;
      }
    }
    if (first == nullptr || slots_held() >= options_.concurrency) return;
    first->run->take_slot();
  }
}

// By a claim that lives as long as the worker: others can see it, whatever the clocks say.
void QueueWorker::say_present() {
  if (presence_) return;
  const std::string queue = presence_queue(owner_);
  if (!write_one(log_, Enqueue{queue, owner_})) return;
  const std::int64_t asked = milliseconds_since_boot();
  auto claim = log_.claim(queue, owner_, options_.lease, 0);
  if (!claim || !*claim) return;
  keeper_.hold(**claim, asked);
  presence_ = **std::move(claim);
}

// A clone that is not there any more cannot be made again: nothing says what the agent had done in
// it. The newest of them stay, for a day and as long as their run is there, and go with the worker.
void QueueWorker::put_clone(const std::string& id, std::unique_ptr<Workspace> clone) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(clones_, [&](const auto& one) {
    const auto task = find_task(log_, one.first);
    return now - one.second.since > kLongestClone || (task && !*task);
  });
  if (clone == nullptr) return;
  const auto task = find_task(log_, id);
  if (!task || !*task || !why_it_cannot_go_on(**task, options_.fleet).empty()) return;
  clones_[id] = {std::move(clone), now};
  if (clones_.size() <= kMostClones) return;
  clones_.erase(
      std::ranges::min_element(clones_, {}, [](const auto& one) { return one.second.since; }));
}

std::unique_ptr<Workspace> QueueWorker::take_clone(const std::string& id) {
  const auto found = clones_.find(id);
  if (found == clones_.end()) return nullptr;
  auto clone = std::move(found->second.workspace);
  clones_.erase(found);
  return clone;
}

}  // namespace dragoman::task
