// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dragoman::task {

// The descriptor by which a runner gets the lock from whoever started it.
inline constexpr int kHandedLock = 3;

// Held by the one process that works a queue. The kernel gives it back when that process dies.
class RunnerLock {
 public:
  explicit RunnerLock(const std::filesystem::path& file);
  explicit RunnerLock(int descriptor);  // and closes it in the end
  ~RunnerLock();
  RunnerLock(const RunnerLock&) = delete;
  RunnerLock& operator=(const RunnerLock&) = delete;

  [[nodiscard]] bool take();
  void give_back();
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  int fd_;
};

}  // namespace dragoman::task
