// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/children.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>

#include "dragoman/base/mutex.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {
namespace {

// A child is entered before anybody can look for those that are not.
struct KnownChildren {
  Mutex mutex;
  std::set<pid_t> pids DRAGOMAN_GUARDED_BY(mutex);
  std::set<pid_t> detached DRAGOMAN_GUARDED_BY(mutex);
} known_children;

// Adopted as well, they are ours to collect.
void collect_detached() DRAGOMAN_REQUIRES(known_children.mutex) {
  std::erase_if(known_children.detached,
                [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace

void adopt_orphans() { (void)::prctl(PR_SET_CHILD_SUBREAPER, 1); }

pid_t start_child(const std::function<pid_t()>& fork) {
  const Lock lock(known_children.mutex);
  const pid_t pid = fork();
  const int error = errno;
  if (pid > 0) known_children.pids.insert(pid);
  errno = error;
  return pid;
}

void start_detached_child(const std::function<pid_t()>& fork) {
  const Lock lock(known_children.mutex);
  collect_detached();
  if (const pid_t pid = fork(); pid > 0) known_children.detached.insert(pid);
}

int wait_for_child(pid_t pid) {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  // Its number can be another child's as soon as it is collected.
  const Lock lock(known_children.mutex);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  known_children.pids.erase(pid);
  return status;
}

std::uint32_t end_adopted(std::uint64_t since) {
  const Lock lock(known_children.mutex);
  ProcessTable table;
  if (!table.scan()) return 1;  // who cannot look does not know that nothing is there
  const pid_t self = ::getpid();
  for (const TableEntry& entry : table) {
    const bool adopted = entry.parent == self && entry.start_time >= since &&
                         !known_children.pids.contains(entry.pid) &&
                         !known_children.detached.contains(entry.pid);
    if (adopted) table.choose(entry.pid);
  }
  table.mark_below_chosen();
  std::uint32_t left = 0;
  for (const TableEntry& entry : table) {
    if (!entry.chosen) continue;
    if (entry.state != 'Z') (void)send_exactly(entry, SIGKILL);
    const bool collected = entry.parent == self && ::waitpid(entry.pid, nullptr, WNOHANG) != 0;
    if (!collected) ++left;
  }
  return left;
}

}  // namespace dragoman::process
