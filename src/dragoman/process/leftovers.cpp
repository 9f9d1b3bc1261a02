// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/leftovers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dragoman/process/descriptor.hpp"
#include "dragoman/process/guard.hpp"
#include "dragoman/process/process_table.hpp"
#include "dragoman/process/run_group.hpp"
#include "dragoman/process/run_mark.hpp"

namespace dragoman::process {
namespace {

std::string text_of_process(pid_t pid, const char* file) {
  constexpr std::size_t kMost = std::size_t{4} << 20U;
  const Descriptor fd(
      ::open(fmt::format("/proc/{}/{}", pid, file).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  std::string text;
  std::array<char, 16384> buffer{};
  while (fd.is_open() && text.size() < kMost) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// "agent-guard MARK", as the guard calls itself.
bool is_abandoned_guard(const TableEntry& entry) {
  if (std::strcmp(entry.name, kGuardName) != 0) return false;
  const std::string words = text_of_process(entry.pid, "cmdline");
  const std::string_view shown = std::string_view(words).substr(0, words.find('\0'));
  const std::size_t space = shown.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view mark = shown.substr(space + 1);
  return names_the_dead(mark.substr(0, mark.find(' ')));
}

bool carries_a_dead_mark(pid_t pid) {
  const std::string lines = text_of_process(pid, "environ");
  if (lines.find(kRunMark) == std::string::npos) return false;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\0', at), lines.size());
    const std::string_view line = std::string_view(lines).substr(at, end - at);
    if (line.starts_with(kRunMark) && names_the_dead(line.substr(kRunMark.size()))) return true;
    at = end + 1;
  }
  return false;
}

// Also kills what is in the group.
bool is_in_a_dead_group(pid_t pid) {
  const std::string groups = text_of_process(pid, "cgroup");
  const std::string mark = mark_in_group(groups);
  if (mark.empty() || !names_the_dead(mark)) return false;
  kill_group(groups);
  return true;
}

class Search {
 public:
  // How many are left that have to go; they were sent a KILL, guards when nothing is below them.
  std::uint32_t round() {
    if (!table_.scan()) return 0;
    spare_ourselves();
    choose();
    table_.mark_below_chosen();
    find_parents();
    std::uint32_t left = 0;
    for (const TableEntry& entry : table_) {
      // What belongs to another user is that user's business.
      if (!is_doomed(entry) || ::kill(entry.pid, 0) != 0) continue;
      ++left;
      // As long as its guard is there, nothing can get out of the tree. A guard never forks.
      constexpr int kRoundsForGuards = 40;
      if (guards_.contains(entry.pid) && parents_.contains(entry.pid) && rounds_ < kRoundsForGuards)
        continue;
      if (send_exactly(entry, SIGKILL)) found_.emplace(entry.pid, entry.start_time);
    }
    ++rounds_;
    return left;
  }
  [[nodiscard]] std::uint32_t found() const { return static_cast<std::uint32_t>(found_.size()); }

 private:
  [[nodiscard]] bool is_doomed(const TableEntry& entry) const {
    return entry.chosen && entry.state != 'Z' && !spared_.contains(entry.pid);
  }

  void spare_ourselves() {
    spared_.clear();
    for (const TableEntry* one = table_.find(::getpid()); one != nullptr;
         one = table_.find(one->parent)) {
      if (!spared_.insert(one->pid).second) return;
    }
  }

  void choose() {
    constexpr pid_t kKernelThreads = 2;
    guards_.clear();
    for (const TableEntry& entry : table_) {
      if (entry.parent == kKernelThreads || entry.pid == kKernelThreads || entry.state == 'Z' ||
          spared_.contains(entry.pid)) {
        continue;
      }
      const bool guard = is_abandoned_guard(entry);
      if (guard) guards_.insert(entry.pid);
      if (guard || is_in_a_dead_group(entry.pid) || carries_a_dead_mark(entry.pid))
        table_.choose(entry.pid);
    }
  }

  // Of those that have to go.
  void find_parents() {
    parents_.clear();
    for (const TableEntry& entry : table_) {
      if (is_doomed(entry)) parents_.insert(entry.parent);
    }
  }

  ProcessTable table_;
  std::set<pid_t> spared_;
  std::set<pid_t> guards_;
  std::set<pid_t> parents_;
  std::set<std::pair<pid_t, std::uint64_t>> found_;
  int rounds_ = 0;
};

}  // namespace

Leftovers end_leftovers(std::chrono::milliseconds patience) {
  constexpr int kLongestBreak = 50;  // milliseconds
  const auto deadline = std::chrono::steady_clock::now() + patience;
  Search search;
  for (int pause = 1;; pause = std::min(pause * 2, kLongestBreak)) {
    const std::uint32_t left = search.round();
    if (left == 0 || std::chrono::steady_clock::now() > deadline) return {search.found(), left};
    (void)::poll(nullptr, 0, pause);
  }
}

}  // namespace dragoman::process
