// SPDX-License-Identifier: Apache-2.0
// Keeps claims alive, and says early enough when one is not.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::task {

// One thread sends heartbeats, which may hang as long as the log does; another one watches the
// clock. A claim is lost when the log says so, or when the last heartbeat that was heard was sent
// four fifths of a lease ago: the rest is the time to end the agent in. Time is counted from before
// a heartbeat was sent, so it runs out here before it does at the log.
class LeaseKeeper {
 public:
  // Once for each claim that is lost, from a thread of the keeper. Absent where nobody else may
  // work on the queue: a claim is never lost then, only kept as soon as the log can be written
  // again.
  using Lost = std::function<void(const std::string& key)>;

  LeaseKeeper(Log& log, std::chrono::milliseconds lease, Lost lost);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // `asked_at`: milliseconds_since_boot() before the claim was made.
  void hold(const Claim& claim, std::int64_t asked_at);
  // What ends the agent of a claim, from any thread. It is called right after `lost`, however busy
  // the worker is; at once when the claim is lost already.
  void arm(const std::string& key, std::function<void()> end);
  void release(const std::string& key);
  // Whether nobody else can have the key at this moment, by the clock alone.
  [[nodiscard]] bool holds(const std::string& key);
  // Whether the log answered the last heartbeat, and no lease ran out while nobody looked, as when
  // the machine slept. Who holds nothing sends none, and has nothing to lose by asking the log.
  [[nodiscard]] bool reachable();

 private:
  struct Held {
    Claim claim;
    std::int64_t confirmed = 0;
    std::int64_t beaten = 0;
    bool lost = false;
    std::function<void()> end;
  };
  void beat();
  void watch();
  [[nodiscard]] bool runs_out(const Held& held, std::int64_t now) const;
  [[nodiscard]] bool next_due(Claim& claim);
  [[nodiscard]] bool heard(const Claim& claim, std::int64_t sent, const Result<bool>& ours);
  void tell(const std::string& key);

  Log& log_;
  std::int64_t lease_;
  Lost lost_;
  Mutex mutex_;
  Condition changed_;
  std::map<std::string, Held> held_ DRAGOMAN_GUARDED_BY(mutex_);
  bool reachable_ DRAGOMAN_GUARDED_BY(mutex_) = true;
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread beats_;
  std::thread watch_;
};

}  // namespace dragoman::task
