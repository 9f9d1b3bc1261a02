// SPDX-License-Identifier: Apache-2.0
// Sees to it that what a cluster acknowledged is still there when another server leads.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <thread>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/nats_jetstream.hpp"

namespace dragoman {

// A server of nats-server 2.9 that was killed can come back without the last messages it had, and
// lead later on: a record is then what it was before. So whoever got the acknowledgement remembers
// what it wrote for a while, looks for it after each change of the leader, and writes it again
// where something older stands in its place.
//
// Which of two messages of a subject is older is told by the sequences they expected: whoever
// replaces a message expects its sequence, so along a subject these only grow. Servers that number
// differently could be misunderstood in that; so the message in its place must also have been there
// when ours was acknowledged.
class NatsJournal {
 public:
  NatsJournal(JetStream& stream, std::string name);
  ~NatsJournal();
  NatsJournal(const NatsJournal&) = delete;
  NatsJournal& operator=(const NatsJournal&) = delete;

  void note(JetPublish stored);

 private:
  using Steady = std::chrono::steady_clock;
  struct Kept {
    JetPublish message;
    Steady::time_point at;
    std::int64_t server_ms = 0;  // the server's clock, rather too early than too late
  };

  void work();
  [[nodiscard]] bool wait(std::chrono::milliseconds time);  // false: the end
  [[nodiscard]] bool look_again();
  [[nodiscard]] Result<void> look_for(const Kept& wanted);
  void forget_old() DRAGOMAN_REQUIRES(mutex_);

  JetStream& stream_;
  std::string name_;
  std::string leader_;  // the thread's own, as far as everything was looked for there
  Mutex mutex_;
  Condition ended_;
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool alone_ DRAGOMAN_GUARDED_BY(mutex_) = false;  // one server: it is the truth
  std::map<std::string, Kept, std::less<>> kept_ DRAGOMAN_GUARDED_BY(mutex_);  // by subject
  std::deque<std::pair<Steady::time_point, std::string>> order_ DRAGOMAN_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace dragoman
