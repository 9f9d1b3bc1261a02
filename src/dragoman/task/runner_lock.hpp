// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dragoman::task {

// Held by the one process that works a queue. The kernel gives it back when that process dies.
class RunnerLock {
 public:
  explicit RunnerLock(const std::filesystem::path& file);
  ~RunnerLock();
  RunnerLock(const RunnerLock&) = delete;
  RunnerLock& operator=(const RunnerLock&) = delete;

  [[nodiscard]] bool take();
  void give_back();

 private:
  int fd_;
};

}  // namespace dragoman::task
