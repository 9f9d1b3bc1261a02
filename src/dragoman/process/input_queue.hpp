// SPDX-License-Identifier: Apache-2.0
// What is on its way to a child's stdin.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "dragoman/process/descriptor.hpp"

namespace dragoman::process {

class InputQueue : public std::enable_shared_from_this<InputQueue> {
 public:
  InputQueue(boost::asio::io_context& io, Descriptor fd, bool terminal,
             std::function<void()> drained);

  void write(std::string bytes);
  [[nodiscard]] std::size_t pending() const { return pending_; }
  void close_when_written();
  void close();

 private:
  void wait();
  void write_some();
  void finish();

  boost::asio::posix::stream_descriptor pipe_;
  std::deque<std::string> queue_;
  std::size_t written_ = 0;  // of the front
  std::size_t pending_ = 0;
  bool closing_ = false;
  bool waiting_ = false;
  bool terminal_;
  std::function<void()> drained_;
};

}  // namespace dragoman::process
