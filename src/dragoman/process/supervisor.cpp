// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/supervisor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "dragoman/process/run.hpp"

namespace dragoman::process {

Result<std::unique_ptr<Supervisor>> Supervisor::start(boost::asio::io_context& io,
                                                      const Command& command, Settings settings,
                                                      Handlers handlers) {
  DRAGOMAN_TRY(Launched launched, launch(command, settings.grace));
  auto run = std::make_shared<Run>(io, std::move(launched), settings, std::move(handlers),
                                   command.terminal.has_value());
  run->begin();
  return std::unique_ptr<Supervisor>(new Supervisor(std::move(run)));
}

Supervisor::Supervisor(std::shared_ptr<Run> run) : run_(std::move(run)) {}
Supervisor::~Supervisor() { run_->abandon(); }

pid_t Supervisor::pid() const { return run_->pid(); }
void Supervisor::write(std::string bytes) { run_->input().write(std::move(bytes)); }
std::size_t Supervisor::input_pending() const { return run_->input().pending(); }
void Supervisor::close_stdin() { run_->input().close_when_written(); }
void Supervisor::stop() { run_->stop(); }
void Supervisor::stop(std::chrono::milliseconds grace) { run_->stop(grace); }
Result<KillSwitch> Supervisor::kill_switch() const {
  Descriptor control(::fcntl(run_->control(), F_DUPFD_CLOEXEC, 3));
  // glibc 2.36 declares pidfd_open() without extern "C", so C++ cannot link to it.
  Descriptor guard(static_cast<int>(::syscall(SYS_pidfd_open, run_->guard(), 0)));
  if (control.is_open()) return KillSwitch(std::move(control), std::move(guard));
  return Error{ErrorCode::internal,
               fmt::format("duplicate a descriptor: {}", std::strerror(errno))};
}
void Supervisor::signal(int number) { run_->order(GuardOrder::Kind::signal, number); }
void Supervisor::resize(TerminalSize size) { run_->resize(size); }
void Supervisor::result_seen() {
  run_->tell_watchdog([](Watchdog& w, Watchdog::Time now) { w.arm(now); });
}
void Supervisor::work_resumed() {
  run_->tell_watchdog([](Watchdog& w, Watchdog::Time) { w.disarm(); });
}
void Supervisor::pause_limits() {
  run_->tell_watchdog([](Watchdog& w, Watchdog::Time now) { w.pause(now); });
}
void Supervisor::resume_limits() {
  run_->tell_watchdog([](Watchdog& w, Watchdog::Time now) { w.resume(now); });
}
void Supervisor::begin_limits() {
  run_->tell_watchdog([](Watchdog& w, Watchdog::Time now) { w.begin(now); });
}
Facts Supervisor::facts() const { return run_->facts(); }

void KillSwitch::pull() const {
  const GuardOrder order{GuardOrder::Kind::stop, 0};
  (void)::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  // The agent may have stopped its guard.
  (void)::syscall(SYS_pidfd_send_signal, guard_.get(), SIGCONT, nullptr, 0);
}

}  // namespace dragoman::process
