// SPDX-License-Identifier: Apache-2.0
// Carries events into the log from a thread that must not wait for a disk.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::task {

// What is handed over is written soon, in order and in as few rows as its pace allows. A disk that
// is full makes it wait and try again; meanwhile at most kMost bytes are held, and what does not
// fit is counted as lost: the recording still has it.
class EventPump {
 public:
  static constexpr std::size_t kMost = std::size_t{64} << 20U;

  explicit EventPump(Log& log);
  ~EventPump();  // writes what is left
  EventPump(const EventPump&) = delete;
  EventPump& operator=(const EventPump&) = delete;

  void add(const std::string& stream, std::string line);
  // Returns when everything added before is in the log, or cannot be written.
  void flush();

 private:
  void work();

  Log& log_;
  Mutex mutex_;
  Condition changed_;
  std::map<std::string, std::vector<std::string>> waiting_ DRAGOMAN_GUARDED_BY(mutex_);
  std::size_t held_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  bool writing_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool failed_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman::task
