// SPDX-License-Identifier: Apache-2.0
// Threads for calls that may block: started when there is work and nobody free, never more than a
// bound, and what waits for one is bounded too.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"

namespace dragoman::mcp {

class Workers {
 public:
  Workers(std::size_t threads, std::size_t waiting) : most_(threads), most_waiting_(waiting) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False: everybody is busy and enough are waiting.
  [[nodiscard]] bool run(std::function<void()> job);

 private:
  void work();

  const std::size_t most_;
  const std::size_t most_waiting_;
  Mutex mutex_;
  Condition wake_;
  std::deque<std::function<void()>> jobs_ DRAGOMAN_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ DRAGOMAN_GUARDED_BY(mutex_);
  std::size_t free_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  bool ending_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

}  // namespace dragoman::mcp
