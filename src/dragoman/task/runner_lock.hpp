// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "dragoman/base/result.hpp"

namespace dragoman::task {

// The descriptor by which a runner gets the lock from whoever started it.
inline constexpr int kHandedLock = 3;

// Held by the one process that works a queue. The kernel gives it back when that process dies.
class RunnerLock {
 public:
  explicit RunnerLock(std::filesystem::path file);
  explicit RunnerLock(int descriptor);  // and closes it in the end
  ~RunnerLock();
  RunnerLock(const RunnerLock&) = delete;
  RunnerLock& operator=(const RunnerLock&) = delete;

  // False: another process has it. The error says why nobody can have it.
  [[nodiscard]] Result<bool> take();
  void give_back();
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

}  // namespace dragoman::task
