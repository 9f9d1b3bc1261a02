// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/lease_keeper.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman::task {

namespace {
constexpr std::chrono::milliseconds kLook(50);
constexpr std::chrono::milliseconds kAfterFailure(200);
}  // namespace

LeaseKeeper::LeaseKeeper(Log& log, std::chrono::milliseconds lease, Lost lost)
    : log_(log), lease_(lease.count()), lost_(std::move(lost)) {
  beats_ = std::thread([this] { beat(); });
  if (lost_) watch_ = std::thread([this] { watch(); });
}

LeaseKeeper::~LeaseKeeper() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  beats_.join();
  if (watch_.joinable()) watch_.join();
}

void LeaseKeeper::hold(const Claim& claim, std::int64_t asked_at) {
  const Lock lock(mutex_);
  held_[claim.key] = {claim, asked_at, asked_at, false, {}};
}

void LeaseKeeper::arm(const std::string& key, std::function<void()> end) {
  const Lock lock(mutex_);
  const auto found = held_.find(key);
  if (found == held_.end() || found->second.lost) return end();
  found->second.end = std::move(end);
}

void LeaseKeeper::release(const std::string& key) {
  const Lock lock(mutex_);
  held_.erase(key);
}

bool LeaseKeeper::runs_out(const Held& held, std::int64_t now) const {
  return now - held.confirmed >= lease_ * 4 / 5;
}

bool LeaseKeeper::holds(const std::string& key) {
  const Lock lock(mutex_);
  const auto found = held_.find(key);
  return found != held_.end() && !found->second.lost &&
         !runs_out(found->second, milliseconds_since_boot());
}

bool LeaseKeeper::reachable() {
  const Lock lock(mutex_);
  const std::int64_t now = milliseconds_since_boot();
  const bool lapsed = std::any_of(held_.begin(), held_.end(), [&](const auto& one) {
    return !one.second.lost && now - one.second.confirmed >= lease_;
  });
  return held_.empty() || (reachable_ && !lapsed);
}

// Waits until a heartbeat is due. False: the end.
bool LeaseKeeper::next_due(Claim& claim) {
  Lock lock(mutex_);
  for (;;) {
    if (stop_) return false;
    const std::int64_t now = milliseconds_since_boot();
    for (auto& [key, held] : held_) {
      if (held.lost || now - held.beaten < lease_ / 4) continue;
      held.beaten = now;
      claim = held.claim;
      return true;
    }
    changed_.wait_for(lock.mutex(), kLook);
  }
}

// Whether that ended the claim.
bool LeaseKeeper::heard(const Claim& claim, std::int64_t sent, const Result<bool>& ours) {
  Lock lock(mutex_);
  reachable_ = ours.has_value();
  const auto found = held_.find(claim.key);
  const bool known = found != held_.end() && found->second.claim.token == claim.token;
  if (!ours) {
    if (known) found->second.beaten = sent + kAfterFailure.count() - lease_ / 4;  // soon again
    changed_.wait_for(lock.mutex(), kAfterFailure);
    return false;
  }
  if (!known) return false;
  if (*ours) {
    found->second.confirmed = std::max(found->second.confirmed, sent);
    return false;
  }
  if (lost_) return !std::exchange(found->second.lost, true);
  held_.erase(found);  // its place in the queue is gone: there is nothing to keep
  return false;
}

// First the word, then the deed: whoever sees the agent's end has to know why.
void LeaseKeeper::tell(const std::string& key) {
  lost_(key);
  const Lock lock(mutex_);
  const auto found = held_.find(key);
  if (found != held_.end() && found->second.lost && found->second.end) found->second.end();
}

void LeaseKeeper::beat() {
  Claim claim;
  while (next_due(claim)) {
    const std::int64_t sent = milliseconds_since_boot();
    const auto ours = log_.heartbeat(claim, std::chrono::milliseconds(lease_));
    if (heard(claim, sent, ours)) tell(claim.key);
  }
}

void LeaseKeeper::watch() {
  for (;;) {
    std::vector<std::string> lost;
    {
      Lock lock(mutex_);
      if (stop_) return;
      changed_.wait_for(lock.mutex(), kLook);
      if (stop_) return;
      const std::int64_t now = milliseconds_since_boot();
      for (auto& [key, held] : held_) {
        if (held.lost || !runs_out(held, now)) continue;
        held.lost = true;
        lost.push_back(key);
      }
    }
    for (const auto& key : lost) tell(key);
  }
}

}  // namespace dragoman::task
