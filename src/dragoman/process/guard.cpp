// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/guard.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "dragoman/process/guard_tree.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {
namespace {

// Our PR_SET_PDEATHSIG. This one is also heard by a guard that the agent has stopped.
constexpr int kParentDied = SIGCONT;

void send_report(int control, const GuardReport& report) {
  while (::send(control, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void reset_signals() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &plain, nullptr);
}

// Closes everything except what the plan names; 0, 1 and 2 lead nowhere, so that nobody who reads
// our output waits for the guard.
void close_all_but(std::array<int, 7> kept) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3 && nowhere >= 0; ++fd) (void)::dup2(nowhere, fd);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    for (std::size_t j = i; j > 0 && kept[j] < kept[j - 1]; --j) {
      const int swapped = kept[j];
      kept[j] = kept[j - 1];
      kept[j - 1] = swapped;
    }
  }
  unsigned first = 3;
  for (const int fd : kept) {
    if (fd < 3) continue;
    const auto next = static_cast<unsigned>(fd);
    if (next > first) (void)::close_range(first, next - 1, 0);
    if (next >= first) first = next + 1;
  }
  (void)::close_range(first, ~0U, 0);
}

// So that neither `killall dragoman` nor `pkill -f` with our arguments meets the guard as well: it
// has to outlive us. The words of the command line are memory of ours that anyone may read, and the
// environment lies behind them: it is overwritten, and gives room for the mark.
void take_own_name(const char* mark) {
  (void)::prctl(PR_SET_NAME, kGuardName);
  const int fd = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  std::array<char, 1024> text{};
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  (void)::close(fd);
  const char* p = size > 0 ? std::strrchr(text.data(), ')') : nullptr;
  std::array<std::uint64_t, 52> fields{};  // by their numbers in proc(5)
  for (std::size_t field = 3; p != nullptr && field < fields.size(); ++field) {
    p = std::strchr(p, ' ');
    if (p == nullptr) return;
    for (++p; *p >= '0' && *p <= '9'; ++p) {
      fields[field] = fields[field] * 10 + static_cast<std::uint64_t>(*p - '0');
    }
  }
  const std::uint64_t begin = fields[48];
  const std::uint64_t end = fields[49] == fields[50] ? fields[51] : fields[49];
  if (begin == 0 || end < begin + sizeof kGuardName) return;
  // The kernel tells where the words lie as a number.
  auto* words = reinterpret_cast<char*>(begin);  // NOLINT(performance-no-int-to-ptr)
  std::memset(words, 0, end - begin);
  std::memcpy(words, kGuardName, sizeof kGuardName);
  // Where the words ended before, there must be no NUL, or the kernel shows what lies before it.
  const std::size_t length = std::strlen(mark);
  const std::size_t shown = sizeof kGuardName + length;
  const std::size_t before = fields[49] - begin;
  const std::size_t room = end - begin;
  if (length == 0 || room <= (shown > before ? shown : before)) return;
  words[sizeof kGuardName - 1] = ' ';
  for (std::size_t i = 0; i < length; ++i) words[sizeof kGuardName + i] = mark[i];
  if (shown < before) std::memset(words + shown, ' ', before - shown);
}

struct Failure {
  GuardReport::Stage stage;
  int error;
};

// The agent's side of the fork, up to the exec.
[[noreturn]] void become_agent(const GuardPlan& plan, int tell, pid_t guard) {
  const auto fail = [tell](GuardReport::Stage stage) {
    const Failure failure{stage, errno};
    (void)!::write(tell, &failure, sizeof failure);
    ::_exit(127);
  };
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guard) ::_exit(127);
  (void)::setsid();
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
    fail(GuardReport::Stage::directory);
  }
  if (plan.terminal && ::ioctl(plan.input, TIOCSCTTY, 0) != 0) fail(GuardReport::Stage::terminal);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.error, 2) < 0) {
    fail(GuardReport::Stage::descriptors);
  }
  if (plan.handed >= 0 && ::dup2(plan.handed, kHandedNumber) < 0) {
    fail(GuardReport::Stage::descriptors);
  }
  (void)::close_range(plan.handed >= 0 ? kHandedNumber + 1 : 3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (plan.descriptors.rlim_max != 0) (void)::setrlimit(RLIMIT_NOFILE, &plan.descriptors);
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  (void)::execve(plan.file, plan.arguments, plan.environment);
  fail(GuardReport::Stage::exec);
  ::_exit(127);
}

// Into the run's group from its first moment: to move it there later takes the kernel milliseconds.
pid_t fork_into_group(const GuardPlan& plan, int tell, pid_t guard) {
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP | CLONE_VFORK;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<std::uint64_t>(plan.group);
  const long agent = ::syscall(SYS_clone3, &how, sizeof how);
  if (agent == 0) become_agent(plan, tell, guard);
  return static_cast<pid_t>(agent);
}

// Until the agent is another program, or has said why it is not, it has our memory and we stand
// still: nothing is copied for a process that throws the copy away. Where vfork is no more than
// fork, as it may be and under sanitizers is, the pipe makes us wait just as long.
pid_t fork_agent(const GuardPlan& plan, Failure& failure) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  // Out of the way of the descriptors that the agent is given.
  const int tell = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kHandedNumber + 1);
  (void)::close(ends[1]);
  const pid_t guard = ::getpid();
  pid_t agent = tell >= 0 && plan.group >= 0 ? fork_into_group(plan, tell, guard) : -1;
  if (tell >= 0 && agent < 0) {
    agent = ::vfork();  // NOLINT(bugprone-unsafe-functions): the child only calls execve
    if (agent == 0) become_agent(plan, tell, guard);
  }
  if (tell >= 0) (void)::close(tell);
  if (agent > 0) {
    while (::read(ends[0], &failure, sizeof failure) < 0 && errno == EINTR) {
    }
  }
  (void)::close(ends[0]);
  return agent;
}

pid_t start_agent(const GuardPlan& plan) {
  GuardReport report;
  report.kind = GuardReport::Kind::start_failed;
  Failure failure{};
  const pid_t agent = fork_agent(plan, failure);
  if (agent < 0) {
    report.value = errno;
    send_report(plan.control, report);
    ::_exit(1);
  }
  for (const int fd : {plan.input, plan.output, plan.error, plan.handed, plan.group}) {
    if (fd >= 0) (void)::close(fd);
  }
  if (failure.error != 0) {
    while (::waitpid(agent, nullptr, 0) < 0 && errno == EINTR) {
    }
    report.value = failure.error;
    report.stage = failure.stage;
    send_report(plan.control, report);
    ::_exit(1);
  }
  TableEntry entry;
  (void)read_entry(agent, entry);
  report.kind = GuardReport::Kind::started;
  report.pid = agent;
  report.start_time = entry.start_time;
  send_report(plan.control, report);
  return agent;
}

}  // namespace

void run_guard(const GuardPlan& plan) {
  // All signals are blocked since before the fork: they are read from the signal descriptor.
  reset_signals();
  (void)::setsid();                   // a Ctrl-C of the terminal is for our process alone
  (void)::prctl(PR_SET_DUMPABLE, 0);  // nothing of the agent's reads our memory, or holds us
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)::prctl(PR_SET_PDEATHSIG, kParentDied);
  if (::getppid() != plan.supervisor) ::_exit(1);
  close_all_but({plan.control, plan.input, plan.output, plan.error, plan.handed, plan.group,
                 plan.group_killer});
  take_own_name(plan.mark);
  sigset_t heard;
  (void)::sigfillset(&heard);
  const int signals = ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t agent = start_agent(plan);
  (void)::chdir("/");  // nothing of ours keeps a file system busy
  GuardTree tree(agent, plan.control, plan.group_killer);
  std::array<pollfd, 2> waiting{{{plan.control, POLLIN, 0}, {signals, POLLIN, 0}}};
  for (;;) {
    tree.reap();
    tree.press_on();
    if (tree.is_gone()) {
      send_report(plan.control, tree.last_report());
      if (plan.group_path != nullptr) (void)::rmdir(plan.group_path);
      ::_exit(0);
    }
    (void)::poll(waiting.data(), waiting.size(), tree.patience());
    signalfd_siginfo info{};
    while (::read(signals, &info, sizeof info) == sizeof info) {
      const auto number = static_cast<int>(info.ssi_signo);
      // PR_SET_PDEATHSIG also comes when only the thread that forked is gone.
      const bool orphaned = number == kParentDied && ::getppid() != plan.supervisor;
      if (orphaned || number == SIGTERM) tree.stop(plan.grace_milliseconds);
    }
    if (waiting[0].revents == 0) continue;
    GuardOrder order;
    const ssize_t got = ::recv(plan.control, &order, sizeof order, MSG_DONTWAIT);
    if (got == sizeof order) {
      if (order.kind == GuardOrder::Kind::stop) tree.stop(order.value);
      if (order.kind == GuardOrder::Kind::signal) tree.signal_group(order.value);
    } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
      waiting[0].fd = -1;  // we are gone
      tree.stop(plan.grace_milliseconds);
    }
  }
}

}  // namespace dragoman::process
