// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/guard_tree.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace dragoman::process {
namespace {

// A process that KILL does not end in this time is stuck in the kernel: it is counted and left.
constexpr std::int64_t kGiveUpAfter = 5000;
constexpr std::int64_t kLongestPause = 50;

std::int64_t now_milliseconds() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t microseconds(const timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

}  // namespace

void GuardTree::reap() {
  for (;;) {
    int status = 0;
    rusage used{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) gone_ = true;  // ECHILD
    if (pid <= 0) return;
    if (pid != agent_) continue;
    agent_ended_ = true;
    GuardReport report;
    report.kind = GuardReport::Kind::exited;
    report.value = status;
    report.cpu_microseconds = microseconds(used.ru_utime) + microseconds(used.ru_stime);
    report.max_rss_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    while (::send(control_, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }
}

void GuardTree::stop(std::int32_t grace_milliseconds) {
  const std::int64_t kill_at = now_milliseconds() + std::max(grace_milliseconds, 0);
  if (stopping_) {
    kill_at_ = std::min(kill_at_, kill_at);
    next_kill_ = std::min(next_kill_, kill_at_);
    return;
  }
  stopping_ = true;
  kill_at_ = kill_at;
  next_kill_ = kill_at;
  reap();
  if (gone_) return;
  if (agent_ended_) leftovers_ = count();
  if (grace_milliseconds > 0) send_to_all(SIGTERM);
}

void GuardTree::signal_group(int number) {
  // Until it is reaped nobody else can have its number.
  if (!agent_ended_) (void)::kill(-agent_, number);
}

// The group first, in one step that no fork can slip through; then those outside of it, one by one.
void GuardTree::send_to_all(int number) {
  if (number == SIGKILL && killer_ >= 0) (void)!::write(killer_, "1", 1);
  const bool group_is_ours = !agent_ended_;
  if (group_is_ours) (void)::kill(-agent_, number);
  if (!table_.scan()) return;
  table_.mark_descendants(::getpid());
  for (const TableEntry& entry : table_) {
    if (!entry.chosen || entry.state == 'Z') continue;
    if (!(group_is_ours && entry.group == agent_)) (void)send_exactly(entry, number);
    // A stopped process would see the TERM only when somebody continues it.
    if (number == SIGTERM && entry.state == 'T') (void)send_exactly(entry, SIGCONT);
  }
}

// Is asked while there is a child that is not collected: where /proc cannot be read, at least that.
std::uint32_t GuardTree::count() {
  std::uint32_t living = 0;
  if (!table_.scan()) return 1;
  table_.mark_descendants(::getpid());
  for (const TableEntry& entry : table_) {
    if (entry.chosen && entry.state != 'Z') ++living;
  }
  return living;
}

void GuardTree::press_on() {
  if (gone_ || !stopping_) return;
  const std::int64_t now = now_milliseconds();
  if (now < next_kill_) return;
  send_to_all(SIGKILL);
  reap();
  next_kill_ = now + kill_pause_;
  kill_pause_ = std::min(kill_pause_ * 2, kLongestPause);
  if (!gone_ && now > kill_at_ + kGiveUpAfter) {
    survivors_ = count();
    gone_ = true;
  }
}

GuardReport GuardTree::last_report() const {
  GuardReport report;
  report.kind = GuardReport::Kind::gone;
  report.leftovers = leftovers_;
  report.survivors = survivors_;
  return report;
}

int GuardTree::patience() const {
  if (!stopping_) return -1;
  return static_cast<int>(std::clamp<std::int64_t>(next_kill_ - now_milliseconds(), 0, 60'000));
}

}  // namespace dragoman::process
