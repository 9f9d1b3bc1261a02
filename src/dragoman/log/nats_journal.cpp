// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_journal.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dragoman {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook(1000);
constexpr milliseconds kSettle(2000);  // a new leader may still be reading what it has
constexpr std::chrono::minutes kLong(5);
constexpr std::size_t kMost = 4096;

}  // namespace

NatsJournal::NatsJournal(JetStream& stream, std::string name)
    : stream_(stream), name_(std::move(name)), thread_([this] { work(); }) {}

NatsJournal::~NatsJournal() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void NatsJournal::note(JetPublish stored) {
  const Lock lock(mutex_);
  if (alone_) return;
  const auto now = Steady::now();
  order_.emplace_back(now, stored.subject);
  std::string subject = stored.subject;
  kept_.insert_or_assign(std::move(subject), Kept{std::move(stored), now, stream_.clock().now()});
  forget_old();
}

void NatsJournal::forget_old() {
  const auto now = Steady::now();
  while (!order_.empty() && (order_.size() > kMost || now - order_.front().first > kLong)) {
    const auto found = kept_.find(order_.front().second);
    // It may have been written again since.
    if (found != kept_.end() && found->second.at == order_.front().first) kept_.erase(found);
    order_.pop_front();
  }
}

bool NatsJournal::wait(milliseconds time) {
  const auto until = Steady::now() + time;
  Lock lock(mutex_);
  while (!stop_ && ended_.wait_until(lock.mutex(), until) == std::cv_status::no_timeout) {
  }
  return !stop_;
}

void NatsJournal::work() {
  while (wait(kLook)) {
    const auto state = stream_.state(name_);
    if (!state || !*state) {
      leader_.clear();  // whoever answers next may not know everything
      continue;
    }
    if ((*state)->replicas <= 1) {
      const Lock lock(mutex_);
      alone_ = true;
      kept_.clear();
      order_.clear();
      return;
    }
    const std::string& leader = (*state)->leader;
    if (leader.empty() || leader == leader_) continue;
    if (wait(kSettle) && look_again()) leader_ = leader;
  }
}

// Whether everything could be looked for.
bool NatsJournal::look_again() {
  std::vector<Kept> wanted;
  {
    const Lock lock(mutex_);
    forget_old();
    for (const auto& [at, subject] : order_) {
      const auto found = kept_.find(subject);
      if (found != kept_.end() && found->second.at == at) wanted.push_back(found->second);
    }
  }
  for (const Kept& one : wanted) {
    if (!look_for(one)) return false;
    const Lock lock(mutex_);
    if (stop_) return false;
  }
  return true;
}

Result<void> NatsJournal::look_for(const Kept& wanted) {
  const JetPublish& ours = wanted.message;
  DRAGOMAN_TRY(const auto there, stream_.last_of(name_, ours.subject));
  const bool is_older = there && there->time_ms <= wanted.server_ms &&
                        there->number("Nats-Expected-Last-Subject-Sequence") < ours.expected;
  if (there && !is_older) return {};
  {
    // What we wrote meanwhile stands on what is there.
    const Lock lock(mutex_);
    const auto found = kept_.find(ours.subject);
    if (found == kept_.end() || found->second.at != wanted.at) return {};
  }
  JetPublish again = ours;
  again.expected = there ? there->seq : 0;
  // Another name than the first time: the server may remember that one, though not the message.
  again.id = fmt::format("{}@{} again", ours.subject, ours.expected);
  DRAGOMAN_TRY(const auto stored, stream_.publish(name_, std::move(again)));
  (void)stored;  // refused: somebody was faster
  return {};
}

}  // namespace dragoman
