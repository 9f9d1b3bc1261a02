// SPDX-License-Identifier: Apache-2.0
// Waking those who wait for the log to grow.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "dragoman/base/mutex.hpp"

namespace dragoman {

// Counts the commits that this process made, and those of others as far as the kernel tells that
// the database's files were written (inotify). Counting too often is harmless: whoever is woken
// looks again. Where inotify, or a descriptor, is not to be had, waits end every 100 ms instead.
// The watch begins with the first wait: who only writes does not pay for it, and ending one takes
// the kernel a while.
class Changes {
 public:
  explicit Changes(const std::string& database);
  ~Changes();
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  void note();
  // Returns when the count is no longer `seen`, or after the timeout.
  std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds timeout);
  [[nodiscard]] std::uint64_t count();

 private:
  void begin();
  void watch();
  [[nodiscard]] bool written();  // have the events that wait to do with the database?

  std::string directory_;
  std::string file_;  // of the write-ahead log, without its directory
  int inotify_ = -1;
  int stop_ = -1;
  Mutex mutex_;
  Condition changed_;
  std::uint64_t count_ DRAGOMAN_GUARDED_BY(mutex_) = 1;
  std::once_flag begun_;
  std::thread watcher_;
};

}  // namespace dragoman
