// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/base/result.hpp"

namespace dragoman::cli {

// Reads lines of a descriptor beside an event loop, whatever it is: a terminal, a pipe, a file. The
// descriptor is never made non-blocking, which the shell that shares it would notice.
class LineSource {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

  // `use` is called in the thread of `io`, with each line without its newline, and once without one
  // at the end. A line beyond the limit is the end. The descriptor is not closed. `begun` was read
  // from it before. An error: there is no descriptor left that the reading could be ended by.
  [[nodiscard]] static Result<std::unique_ptr<LineSource>> open(
      boost::asio::io_context& io, int fd, std::function<void(std::optional<std::string>)> use,
      std::string begun = {});
  ~LineSource();  // nothing is called afterwards
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

 private:
  struct Thread;
  explicit LineSource(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

}  // namespace dragoman::cli
