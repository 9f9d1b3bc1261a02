// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/workers.hpp"

#include <system_error>

namespace dragoman::mcp {

Workers::~Workers() {
  std::vector<std::thread> threads;
  {
    const Lock lock(mutex_);
    ending_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

bool Workers::run(std::function<void()> job) {
  const Lock lock(mutex_);
  if (ending_ || jobs_.size() >= most_waiting_) return false;
  if (jobs_.size() >= free_ && threads_.size() < most_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No more threads to be had: those that are there do it, if there are any.
    }
  }
  if (threads_.empty()) return false;
  jobs_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void Workers::work() {
  while (true) {
    std::function<void()> job;
    {
      Lock lock(mutex_);
      ++free_;
      while (jobs_.empty() && !ending_) wake_.wait(lock.mutex());
      --free_;
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace dragoman::mcp
