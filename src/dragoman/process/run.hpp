// SPDX-License-Identifier: Apache-2.0
// The inside of a Supervisor.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "dragoman/process/guard.hpp"
#include "dragoman/process/input_queue.hpp"
#include "dragoman/process/launch.hpp"
#include "dragoman/process/supervisor.hpp"

namespace dragoman::process {

// Kept alive by what it waits for; so `ended` may destroy the Supervisor.
//
// The run is over when three things have happened, in any order: the program has exited, its tree
// is gone, and both pipes have ended. After the exit there is a deadline for the other two.
class Supervisor::Run : public std::enable_shared_from_this<Supervisor::Run> {
 public:
  Run(boost::asio::io_context& io, Launched launched, const Settings& settings, Handlers handlers,
      bool terminal);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void begin();
  void stop() { stop(settings_.grace); }
  void stop(std::chrono::milliseconds grace);
  void abandon();  // no handler is called any more; the tree is killed and reaped at once
  void order(GuardOrder::Kind kind, std::int32_t value);
  void resize(TerminalSize size);
  void tell_watchdog(const std::function<void(Watchdog&, Watchdog::Time)>& what);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] pid_t guard() const { return guard_; }  // 0: it has been reaped
  [[nodiscard]] int control() { return control_.is_open() ? control_.native_handle() : -1; }
  [[nodiscard]] InputQueue& input() { return *input_; }
  [[nodiscard]] Facts facts() const;

 private:
  using Pipe = boost::asio::posix::stream_descriptor;
  using Clock = std::chrono::steady_clock;

  void wait_for_output(Stream stream);
  bool read_some(Stream stream);  // false: the pipe has ended
  void close_pipe(Stream stream);
  [[nodiscard]] Pipe& pipe(Stream stream) { return stream == Stream::stdout_ ? output_ : error_; }
  [[nodiscard]] bool pipes_ended() const { return !output_.is_open() && !error_.is_open(); }

  void wait_for_guard();
  void take_reports();
  void exited(const GuardReport& report);
  void guard_gone();
  void wake_guard() const;
  [[nodiscard]] bool guard_stands_still() const;
  void press_on();  // until the tree is gone, whatever the guard does
  void press();
  void kill_guard();
  [[nodiscard]] bool guard_ends_by(Clock::time_point deadline);
  void reap_guard();
  void end_orphans();  // those that the guard left to us

  void begin_drain();
  void drain_step();
  void move_on();  // whatever has just happened: is it the end?
  void end();

  void schedule_watch();
  void watch();
  void raise(const Watchdog::Alarm& alarm);

  boost::asio::io_context& io_;
  Settings settings_;
  Handlers handlers_;
  pid_t pid_;
  std::uint64_t start_time_;
  pid_t guard_;
  Pipe control_;
  Pipe output_;
  Pipe error_;
  std::shared_ptr<InputQueue> input_;
  boost::asio::steady_timer watch_timer_;
  boost::asio::steady_timer drain_timer_;
  boost::asio::steady_timer stop_timer_;  // the guard itself has to answer in time
  std::unique_ptr<RunGroup> group_;
  Clock::time_point started_;
  Clock::time_point last_output_;
  Clock::time_point exited_at_;
  Clock::time_point kill_at_ = Clock::time_point::max();  // what is left by then is killed
  Clock::time_point orphans_until_;
  Watchdog watchdog_;
  std::chrono::milliseconds cpu_at_output_{0};
  bool sampled_ = false;  // cpu_at_output_ was read after the last output
  Outcome outcome_;
  bool exited_ = false;
  bool gone_ = false;
  bool draining_ = false;
  bool told_to_end_ = false;  // what the program left behind
  bool over_ = false;
};

}  // namespace dragoman::process
