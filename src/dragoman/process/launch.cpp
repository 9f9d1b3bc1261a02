// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/launch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/process/children.hpp"
#include "dragoman/process/guard.hpp"
#include "dragoman/process/own_environment.hpp"
#include "dragoman/process/process_table.hpp"
#include "dragoman/process/run_mark.hpp"
#include "dragoman/process/supervisor.hpp"

namespace dragoman::process {
namespace {

// The soft limit before we raised it; 0: it was never raised.
std::atomic<rlim_t> soft_descriptor_limit = 0;

// An agent that exits with a full pipe may lose what it had not written (a known fault of programs
// that write without blocking); a larger pipe makes that rarer, and reading cheaper.
constexpr int kPipeSize = 256 * 1024;

Error own_failure(std::string_view what) {
  return {ErrorCode::internal, fmt::format("{}: {}", what, std::strerror(errno))};
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

// Both ends are above 2, so that they can be moved to 0, 1 and 2 in any order.
Result<Descriptor> lifted(int fd) {
  if (fd < 0) return own_failure("open a descriptor");
  if (fd > 2) return Descriptor(fd);
  const Descriptor low(fd);
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (high < 0) return own_failure("duplicate a descriptor");
  return Descriptor(high);
}

enum class Direction : std::uint8_t { to_child, from_child };

Result<Ends> make_pipe(Direction direction) {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return own_failure("make a pipe");
  auto reading = lifted(fds[0]);
  auto writing = lifted(fds[1]);
  if (!reading) return reading.error();
  if (!writing) return writing.error();
  if (direction == Direction::from_child) (void)::fcntl(writing->get(), F_SETPIPE_SZ, kPipeSize);
  Ends ends;
  const bool to_child = direction == Direction::to_child;
  ends.ours = std::move(to_child ? *writing : *reading);
  ends.theirs = std::move(to_child ? *reading : *writing);
  (void)::fcntl(ends.ours.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

Result<Ends> make_terminal(TerminalSize size) {
  auto ours = lifted(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!ours) return ours.error();
  std::array<char, 64> path{};
  if (::grantpt(ours->get()) != 0 || ::unlockpt(ours->get()) != 0 ||
      ::ptsname_r(ours->get(), path.data(), path.size()) != 0) {
    return own_failure("make a terminal");
  }
  auto theirs = lifted(::open(path.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs) return theirs.error();
  termios settings{};
  if (::tcgetattr(theirs->get(), &settings) == 0) {
    // Bytes come as the program wrote them, and what we write does not come back.
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    (void)::tcsetattr(theirs->get(), TCSANOW, &settings);
  }
  const winsize window{size.rows, size.columns, 0, 0};
  (void)::ioctl(theirs->get(), TIOCSWINSZ, &window);
  return Ends{*std::move(ours), *std::move(theirs)};
}

// What the program gets as 0, 1 and 2, and our ends of it.
struct Plumbing {
  Descriptor our_input;
  Descriptor our_output;
  Descriptor our_error;
  Descriptor input;
  Descriptor output;
  Descriptor error;  // not open: as output
};

Result<Plumbing> lay_terminal(TerminalSize size) {
  DRAGOMAN_TRY(Ends ends, make_terminal(size));
  Plumbing made;
  made.our_input = Descriptor(::fcntl(ends.ours.get(), F_DUPFD_CLOEXEC, 3));
  if (!made.our_input.is_open()) return own_failure("duplicate the terminal");
  made.output = Descriptor(::fcntl(ends.theirs.get(), F_DUPFD_CLOEXEC, 3));
  if (!made.output.is_open()) return own_failure("duplicate the terminal");
  made.our_output = std::move(ends.ours);
  made.input = std::move(ends.theirs);
  return made;
}

Result<Plumbing> lay_pipes(Stdin stdin_from) {
  Plumbing made;
  if (stdin_from == Stdin::pipe) {
    DRAGOMAN_TRY(Ends in, make_pipe(Direction::to_child));
    made.our_input = std::move(in.ours);
    made.input = std::move(in.theirs);
  } else {
    DRAGOMAN_TRY(made.input, lifted(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  }
  DRAGOMAN_TRY(Ends out, make_pipe(Direction::from_child));
  DRAGOMAN_TRY(Ends err, make_pipe(Direction::from_child));
  made.our_output = std::move(out.ours);
  made.output = std::move(out.theirs);
  made.our_error = std::move(err.ours);
  made.error = std::move(err.theirs);
  return made;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

Result<void> refuse_nul(const Command& command) {
  const auto has_nul = [](const std::string& word) { return word.find('\0') != std::string::npos; };
  for (const auto* const words : {&command.arguments, &command.environment}) {
    for (const std::string& word : *words) {
      if (has_nul(word)) {
        return Error{
            ErrorCode::validation,
            fmt::format("start '{}': an argument or a variable has a NUL byte", command.program)};
      }
    }
  }
  if (has_nul(command.directory)) {
    return Error{ErrorCode::validation, "start: the directory's name has a NUL byte"};
  }
  return {};
}

// Whatever the environment of the program is to be, it says who answers for it.
Result<HandedEnvironment> environment_for(const Command& command, const std::string& mark) {
  HandedEnvironment handed{command.environment, Descriptor()};
  if (command.ours) {
    DRAGOMAN_TRY(handed, hand_over(command.environment));
    handed.announce(kHandedNumber);
  }
  put_run_mark(handed.shown, mark);
  return handed;
}

rlimit limit_for_children() {
  rlimit limit{};
  if (soft_descriptor_limit == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  limit.rlim_cur = std::min<rlim_t>(soft_descriptor_limit, limit.rlim_max);
  return limit;
}

// No handler of ours may run in the child, so all signals wait until it has reset them.
pid_t fork_guard(const GuardPlan& plan) {
  sigset_t all;
  sigset_t before;
  (void)::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = start_child([&plan] {
    const pid_t child = ::fork();
    if (child == 0) run_guard(plan);
    return child;
  });
  const int error = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

Error start_failure(const Command& command, const std::string& file, const GuardReport& report) {
  const char* const why = std::strerror(report.value);
  switch (report.stage) {
    case GuardReport::Stage::directory:
      return {ErrorCode::validation,
              fmt::format("start '{}' in '{}': {}", command.program, command.directory, why)};
    case GuardReport::Stage::exec:
      // A script whose interpreter is missing gives ENOENT too: the file itself was found.
      if (report.value == ENOENT) {
        return {ErrorCode::unsupported,
                fmt::format("start '{}': its interpreter does not exist", file)};
      }
      if (report.value == ENOMEM || report.value == EAGAIN || report.value == E2BIG) break;
      return {ErrorCode::unsupported, fmt::format("start '{}': {}", file, why)};
    case GuardReport::Stage::fork:
    case GuardReport::Stage::descriptors:
    case GuardReport::Stage::terminal:
      break;
  }
  return {ErrorCode::internal, fmt::format("start '{}': {}", command.program, why)};
}

// A guard that ends before it can report was killed, by its agent as far as anyone can tell: the
// agent runs, and without a watch. That is the beginning of a run that is lost (Exit::How), whose
// tree is ended where every tree of a killed guard is.
GuardReport first_report(int control, pid_t guard) {
  GuardReport report;
  ssize_t got = 0;
  do {
    pollfd waiting{control, POLLIN, 0};
    // The agent runs already, and may have stopped its guard before that could say so.
    if (::poll(&waiting, 1, kGuardNudge) == 0) (void)::kill(guard, SIGCONT);
    got = ::recv(control, &report, sizeof report, MSG_DONTWAIT);
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got != sizeof report) {
    TableEntry entry;  // ours to collect, so it is still there
    (void)read_entry(guard, entry);
    report.kind = GuardReport::Kind::started;
    report.pid = 0;
    report.start_time = entry.start_time;
  }
  if (report.kind == GuardReport::Kind::started) return report;
  (void)::kill(guard, SIGKILL);
  (void)wait_for_child(guard);
  return report;
}

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) soft_descriptor_limit = before;
}

Result<Launched> launch(const Command& command, std::chrono::milliseconds grace) {
  DRAGOMAN_CHECK(refuse_nul(command));
  DRAGOMAN_TRY(const std::string file, find_program(command.program, command.environment));
  DRAGOMAN_TRY(Plumbing made,
               command.terminal ? lay_terminal(*command.terminal) : lay_pipes(command.stdin_from));
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return own_failure("make a socket pair");
  }
  DRAGOMAN_TRY(Descriptor ours, lifted(pair[0]));
  DRAGOMAN_TRY(Descriptor theirs, lifted(pair[1]));

  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = pointers(words);
  const std::string mark = own_mark();
  DRAGOMAN_TRY(const HandedEnvironment handed, environment_for(command, mark));
  const std::vector<char*> environment = pointers(handed.shown);
  std::unique_ptr<RunGroup> group = RunGroup::make(mark);
  adopt_orphans();
  GuardPlan plan;
  plan.file = file.c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.data();
  plan.directory = command.directory.empty() ? nullptr : command.directory.c_str();
  plan.control = theirs.get();
  plan.input = made.input.get();
  plan.output = made.output.get();
  plan.error = made.error.is_open() ? made.error.get() : made.output.get();
  plan.handed = handed.secret.get();
  plan.mark = mark.c_str();
  if (group != nullptr) {
    plan.group = group->directory();
    plan.group_killer = group->killer();
    plan.group_path = group->path().c_str();
  }
  plan.terminal = command.terminal.has_value();
  plan.grace_milliseconds =
      static_cast<std::int32_t>(std::min<std::int64_t>(grace.count(), 3'600'000));
  plan.supervisor = ::getpid();
  plan.descriptors = limit_for_children();
  const pid_t guard = fork_guard(plan);
  if (guard < 0) return own_failure("start the guard");
  theirs.close();
  const GuardReport report = first_report(ours.get(), guard);
  if (report.kind != GuardReport::Kind::started) return start_failure(command, file, report);
  (void)::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return Launched{report.pid,
                  report.start_time,
                  guard,
                  std::move(ours),
                  std::move(group),
                  std::move(made.our_input),
                  std::move(made.our_output),
                  std::move(made.our_error)};
}

}  // namespace dragoman::process
