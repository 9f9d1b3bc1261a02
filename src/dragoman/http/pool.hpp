// SPDX-License-Identifier: Apache-2.0
// Threads for work that may block.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <thread>
#include <vector>

namespace dragoman::http {

// All of its threads are there, or it is not made. (An asio::thread_pool that cannot have one of
// its threads waits for ever for those that it has.)
class Pool {
 public:
  explicit Pool(std::size_t threads) : work_(context_.get_executor()) {
    try {
      while (threads_.size() < threads) threads_.emplace_back([this] { context_.run(); });
    } catch (...) {
      context_.stop();
      join();
      throw;
    }
  }
  ~Pool() {
    context_.stop();
    join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] boost::asio::io_context& context() { return context_; }
  // Behind this all that it was given is done.
  void join() {
    work_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

}  // namespace dragoman::http
