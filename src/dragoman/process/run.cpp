// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "dragoman/process/children.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {
namespace {

using std::chrono::milliseconds;

// What was read is looked at and written once more: it has to stay in the processor's cache.
constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::size_t kTurn = 1024 * 1024;  // at most that much before others have their turn

// How often a stopped guard is told to go on, and how long one that is stopped all the same has
// after the KILL was due.
constexpr milliseconds kPressPause(20);
constexpr milliseconds kLookPause(200);  // where nothing was ordered
constexpr milliseconds kStillPatience(100);
// What a killed guard has left is killed as often as that, and for that long.
constexpr milliseconds kOrphanPause(5);
constexpr milliseconds kOrphanPatience(5000);

// One for each thread that runs a loop: reading never needs memory for each run.
std::vector<char>& read_buffer() {
  thread_local std::vector<char> buffer(kReadSize);
  return buffer;
}

void assign(boost::asio::posix::stream_descriptor& to, Descriptor from) {
  boost::system::error_code ignored;
  if (from.is_open()) (void)to.assign(from.release(), ignored);
}

void close_quietly(boost::asio::posix::stream_descriptor& fd) {
  boost::system::error_code ignored;
  if (fd.is_open()) (void)fd.close(ignored);
}

}  // namespace

Supervisor::Run::Run(boost::asio::io_context& io, Launched launched, const Settings& settings,
                     Handlers handlers, bool terminal)
    : io_(io),
      settings_(settings),
      handlers_(std::move(handlers)),
      pid_(launched.pid),
      start_time_(launched.start_time),
      guard_(launched.guard),
      control_(io),
      output_(io),
      error_(io),
      watch_timer_(io),
      drain_timer_(io),
      stop_timer_(io),
      group_(std::move(launched.group)),
      started_(Clock::now()),
      last_output_(started_),
      watchdog_(settings.limits, started_) {
  assign(control_, std::move(launched.control));
  assign(output_, std::move(launched.output));
  assign(error_, std::move(launched.error));
  input_ = std::make_shared<InputQueue>(io, std::move(launched.input), terminal,
                                        handlers_.input_drained);
}

Supervisor::Run::~Run() { abandon(); }

void Supervisor::Run::begin() {
  wait_for_guard();
  if (output_.is_open()) wait_for_output(Stream::stdout_);
  if (error_.is_open()) wait_for_output(Stream::stderr_);
  schedule_watch();
}

void Supervisor::Run::wait_for_output(Stream stream) {
  pipe(stream).async_wait(Pipe::wait_read,
                          [self = shared_from_this(), stream](const boost::system::error_code& e) {
                            if (e || self->over_ || !self->pipe(stream).is_open()) return;
                            if (self->read_some(stream)) {
                              self->wait_for_output(stream);
                            } else {
                              self->close_pipe(stream);
                              self->move_on();
                            }
                          });
}

bool Supervisor::Run::read_some(Stream stream) {
  std::vector<char>& buffer = read_buffer();
  for (std::size_t taken = 0; taken < kTurn;) {
    const ssize_t got = ::read(pipe(stream).native_handle(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;  // on a terminal EIO is the end
    const auto size = static_cast<std::size_t>(got);
    taken += size;
    last_output_ = Clock::now();
    watchdog_.output(last_output_);
    if (std::exchange(sampled_, false)) schedule_watch();
    if (handlers_.output) handlers_.output(stream, std::string_view(buffer.data(), size));
    if (over_ || !pipe(stream).is_open()) return true;  // the handler gave us up
  }
  return true;
}

void Supervisor::Run::close_pipe(Stream stream) { close_quietly(pipe(stream)); }

void Supervisor::Run::wait_for_guard() {
  control_.async_wait(Pipe::wait_read,
                      [self = shared_from_this()](const boost::system::error_code& e) {
                        if (e || self->over_ || !self->control_.is_open()) return;
                        self->take_reports();
                      });
}

void Supervisor::Run::take_reports() {
  bool reset = false;
  for (;;) {
    GuardReport report;
    const ssize_t got = ::recv(control_.native_handle(), &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    // It went with an order of ours unread. That is said once, before its last reports.
    if (got < 0 && errno == ECONNRESET && !std::exchange(reset, true)) continue;
    if (got < 0 && errno == EAGAIN) return wait_for_guard();
    if (got != sizeof report) return guard_gone();
    if (report.kind == GuardReport::Kind::exited) exited(report);
    if (report.kind == GuardReport::Kind::gone) {
      outcome_.exit.leftovers = report.leftovers;
      outcome_.exit.survivors = report.survivors;
      gone_ = true;
    }
  }
}

void Supervisor::Run::exited(const GuardReport& report) {
  exited_ = true;
  Exit& exit = outcome_.exit;
  exit.how = WIFSIGNALED(report.value) ? Exit::How::signal : Exit::How::exited;
  exit.code = WIFSIGNALED(report.value) ? WTERMSIG(report.value) : WEXITSTATUS(report.value);
  exit.cpu = std::chrono::microseconds(report.cpu_microseconds);
  exit.max_rss_bytes = report.max_rss_bytes;
  watch_timer_.cancel();
  begin_drain();
}

// The guard's end of the socket is closed when it exits, just before it becomes a zombie.
void Supervisor::Run::guard_gone() {
  close_quietly(control_);
  reap_guard();
  stop_timer_.cancel();
  if (!gone_) {
    orphans_until_ = Clock::now() + kOrphanPatience;
    end_orphans();
  }
  if (!exited_) {
    exited_ = true;
    outcome_.exit.how = Exit::How::lost;
    watch_timer_.cancel();
    begin_drain();
  }
  move_on();
}

// The agent may stop its guard as often as it likes; running, it does not notice this.
void Supervisor::Run::wake_guard() const {
  if (guard_ > 0) (void)::kill(guard_, SIGCONT);
}

bool Supervisor::Run::guard_stands_still() const {
  TableEntry entry;
  return guard_ > 0 && read_entry(guard_, entry) && (entry.state == 'T' || entry.state == 't');
}

// An agent that stops its guard again and again must not win time by that: what the guard was to do
// when the time had come is done by us.
void Supervisor::Run::press_on() {
  if (over_ || gone_ || guard_ <= 0) return;
  const bool told = kill_at_ != Clock::time_point::max();
  stop_timer_.expires_after(told ? kPressPause : kLookPause);
  stop_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& e) {
    if (!e) self->press();
  });
}

void Supervisor::Run::press() {
  if (over_ || gone_ || guard_ <= 0) return;
  const auto now = Clock::now();
  const bool still = guard_stands_still();
  TableEntry agent;
  const bool ended = !read_entry(pid_, agent) || agent.state == 'Z';
  // It cannot say that the agent has ended, and with that nothing is left to wait for.
  if (still && ended && !exited_) kill_at_ = std::min(kill_at_, now + kLookPause);
  const auto late = still ? kStillPatience : settings_.guard_patience;
  if (now >= kill_at_ && now - kill_at_ >= late) {
    kill_guard();
  } else if (still) {
    wake_guard();
  }
  press_on();
}

// It does not act, so we do: as long as it is there, everything of the run is below it. Without it
// the kernel kills the program, and its socket ends.
void Supervisor::Run::kill_guard() {
  if (guard_ <= 0) return;
  if (group_ != nullptr) group_->kill();
  ProcessTable table;
  if (table.scan()) {
    table.mark_descendants(guard_);
    for (const TableEntry& entry : table) {
      if (entry.chosen) (void)send_exactly(entry, SIGKILL);
    }
  }
  (void)::kill(guard_, SIGKILL);
}

// Its reports are of no interest any more, only that its end of the socket closes.
bool Supervisor::Run::guard_ends_by(Clock::time_point deadline) {
  const auto begun = Clock::now();
  while (control_.is_open() && Clock::now() < deadline) {
    pollfd waiting{control_.native_handle(), POLLIN, 0};
    (void)::poll(&waiting, 1, kGuardNudge);
    GuardReport report;
    const ssize_t got = ::recv(control_.native_handle(), &report, sizeof report, MSG_DONTWAIT);
    if (got >= 0 && got != sizeof report) return true;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return true;
    if (Clock::now() - begun > kStillPatience && guard_stands_still()) return false;
    wake_guard();
  }
  return false;
}

void Supervisor::Run::reap_guard() {
  (void)wait_for_child(guard_);
  guard_ = 0;
}

// The agent killed its guard. The kernel has killed the agent with it; all others are ours now.
void Supervisor::Run::end_orphans() {
  if (group_ != nullptr) group_->kill();
  outcome_.exit.survivors = end_adopted(start_time_);
  if (outcome_.exit.survivors == 0 || Clock::now() > orphans_until_) {
    gone_ = true;
    return;
  }
  stop_timer_.expires_after(kOrphanPause);
  stop_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& e) {
    if (e || self->over_) return;
    self->end_orphans();
    self->move_on();
  });
}

void Supervisor::Run::order(GuardOrder::Kind kind, std::int32_t value) {
  if (!control_.is_open()) return;
  const GuardOrder order{kind, value};
  (void)::send(control_.native_handle(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  wake_guard();
  if (kind != GuardOrder::Kind::stop) return;
  kill_at_ = std::min(kill_at_, Clock::now() + milliseconds(value));
  press_on();
}

void Supervisor::Run::stop(milliseconds grace) {
  if (over_) return;
  if (!exited_) outcome_.stopped = true;
  constexpr milliseconds kLongest{3'600'000};
  order(GuardOrder::Kind::stop, static_cast<std::int32_t>(std::min(grace, kLongest).count()));
}

void Supervisor::Run::begin_drain() {
  if (draining_) return;
  draining_ = true;
  exited_at_ = Clock::now();
  move_on();
  if (over_) return;
  drain_step();
}

// Two thirds of the time for the pipes to end by themselves, one third to end who holds them.
void Supervisor::Run::drain_step() {
  const auto passed = Clock::now() - exited_at_;
  const auto patience = settings_.drain * 2 / 3;
  if (passed >= settings_.drain) {
    for (const Stream stream : {Stream::stdout_, Stream::stderr_}) {
      if (!pipe(stream).is_open()) continue;
      if (read_some(stream)) outcome_.exit.output_cut = true;
      close_pipe(stream);
    }
    order(GuardOrder::Kind::stop, 0);
    return move_on();
  }
  if (passed >= patience && !std::exchange(told_to_end_, true)) {
    order(GuardOrder::Kind::stop, static_cast<std::int32_t>((settings_.drain / 4).count()));
  }
  drain_timer_.expires_at(exited_at_ + (told_to_end_ ? settings_.drain : patience));
  drain_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& e) {
    if (!e && !self->over_) self->drain_step();
  });
}

void Supervisor::Run::move_on() {
  if (over_) return;
  // A program that is silent for good has mostly ended, which a stopped guard would not tell.
  if (!exited_ && pipes_ended() && guard_ > 0) press_on();
  if (!exited_) return;
  if (pipes_ended() && !gone_ && !std::exchange(told_to_end_, true)) {
    // Nobody listens to what is left of the tree.
    order(GuardOrder::Kind::stop,
          static_cast<std::int32_t>(std::min(settings_.grace, settings_.drain / 3).count()));
  }
  if (pipes_ended() && gone_ && guard_ == 0) end();
}

void Supervisor::Run::end() {
  over_ = true;
  drain_timer_.cancel();
  watch_timer_.cancel();
  stop_timer_.cancel();
  input_->close();
  group_.reset();
  outcome_.exit.wall =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_);
  boost::asio::post(io_, [self = shared_from_this()] {
    const Handlers handlers = std::exchange(self->handlers_, Handlers{});
    if (handlers.ended) handlers.ended(self->outcome_);
  });
}

void Supervisor::Run::abandon() {
  if (over_) {
    handlers_ = Handlers{};
    return;
  }
  over_ = true;
  handlers_ = Handlers{};
  order(GuardOrder::Kind::stop, 0);
  close_quietly(output_);
  close_quietly(error_);
  input_->close();
  watch_timer_.cancel();
  drain_timer_.cancel();
  stop_timer_.cancel();
  if (guard_ > 0) {
    if (!guard_ends_by(Clock::now() + settings_.guard_patience)) kill_guard();
    reap_guard();
    if (group_ != nullptr) group_->kill();
    const auto until = Clock::now() + kOrphanPatience;
    while (end_adopted(start_time_) > 0 && Clock::now() < until) {
      (void)::poll(nullptr, 0, static_cast<int>(kOrphanPause.count()));
    }
  }
  close_quietly(control_);
  group_.reset();
}

void Supervisor::Run::resize(TerminalSize size) {
  const winsize window{size.rows, size.columns, 0, 0};
  if (output_.is_open()) (void)::ioctl(output_.native_handle(), TIOCSWINSZ, &window);
}

}  // namespace dragoman::process
