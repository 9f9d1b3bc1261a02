// SPDX-License-Identifier: Apache-2.0
// Runs that play by themselves, for somebody who has no agent at hand.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::web {

struct DemoOptions {
  double speed = 1;                         // twice as fast: 2
  std::chrono::milliseconds pause{20'000};  // between two rounds
  std::size_t rounds = 0;                   // 0: until it is stopped
};

// The bytes that a run of the demo is read from; empty: it is none. They lie in the program, and in
// no directory.
[[nodiscard]] std::string_view demo_recording(const task::Task& task);

// Plays bundled recordings into the log as if agents were running: the same events, records and
// questions. One of them asks and waits for its answer; the others go on meanwhile.
class Demo {
 public:
  Demo(Log& log, DemoOptions options = {});
  ~Demo();
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;

  void wait();  // until the rounds are over

 private:
  class Scene;

  void play();
  // False: it is to stop.
  [[nodiscard]] bool rest(std::chrono::milliseconds time);

  Log& log_;
  DemoOptions options_;
  Mutex mutex_;
  Condition wake_;
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman::web
