// SPDX-License-Identifier: Apache-2.0
// What is on its way to a child's stdin.
#pragma once

#include <sys/types.h>

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
  [[nodiscard]] ssize_t write_next();
  [[nodiscard]] bool line_is_full() const;
  void finish();

  boost::asio::posix::stream_descriptor pipe_;
  std::deque<std::string> queue_;
  std::size_t written_ = 0;  // of the front
  std::size_t pending_ = 0;
  std::size_t line_ = 0;   // terminal: bytes written of a line that is not handed over yet
  bool mid_line_ = false;  // terminal: so will the line be when all that is queued is written
  bool closing_ = false;
  bool waiting_ = false;
  bool terminal_;
  std::function<void()> drained_;
};

}  // namespace dragoman::process
