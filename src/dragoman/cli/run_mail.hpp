// SPDX-License-Identifier: Apache-2.0
// What passes between the thread of a run and the event loop that ordered it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/agent/stream.hpp"
#include "dragoman/base/mutex.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/task/run_handle.hpp"

namespace dragoman::cli {

// From the run to the loop. A loop that cannot follow slows the run down, as a full pipe would.
class RunMail : public std::enable_shared_from_this<RunMail> {
 public:
  RunMail(boost::asio::io_context& to, task::RunCalls calls) : to_(to), calls_(std::move(calls)) {}

  // Of the run's thread.
  void send(process::Stream stream, std::string bytes);
  void end(task::RunEnd end);

  // Of the loop's thread: nobody is called any more, and nobody waits.
  void close();

 private:
  static constexpr std::size_t kMostUnread = std::size_t{4} << 20U;

  boost::asio::io_context& to_;
  task::RunCalls calls_;  // the loop's alone
  bool closed_ = false;   // likewise
  Mutex mutex_;
  Condition taken_;
  std::size_t unread_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  bool abandoned_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

// Ends the run's agent from any thread, whether it has been started yet or not.
class Leash {
 public:
  void tie(process::KillSwitch agent);
  void untie();
  void pull();
  [[nodiscard]] bool pulled();

 private:
  Mutex mutex_;
  std::optional<process::KillSwitch> agent_ DRAGOMAN_GUARDED_BY(mutex_);
  bool pulled_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

// The events as JSON lines, each at once; lines of text that come together go together.
class EventLines final : public agent::Audience {
 public:
  explicit EventLines(RunMail& mail) : mail_(mail) {}

  void event(const Event& event) override;
  void pause() override { flush(); }
  void idle() override { flush(); }
  void flush();

 private:
  RunMail& mail_;
  std::string lines_;
};

}  // namespace dragoman::cli
