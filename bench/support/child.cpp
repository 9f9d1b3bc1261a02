// SPDX-License-Identifier: Apache-2.0
#include "bench/support/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <fstream>

extern char** environ;

namespace dragoman::bench {
namespace {

std::optional<pid_t> start(const std::vector<std::string>& argv, int input) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  return pid;
}

// getrusage() would say the peak of whoever called vfork() if that is larger;
// this line of the child's own memory map is exact, but gone with its end.
long peak_kilobytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    long kilobytes = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kilobytes);
    return kilobytes;
  }
  return 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::optional<ChildUsage> wait_for(pid_t pid, long peak) {
  int status = 0;
  rusage usage{};
  if (::wait4(pid, &status, 0, &usage) != pid) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) return std::nullopt;
  return ChildUsage{seconds(usage.ru_utime) + seconds(usage.ru_stime), peak};
}

}  // namespace

std::optional<ChildUsage> run_child(const std::vector<std::string>& argv) {
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto pid = start(argv, input);
  ::close(input);
  if (!pid) return std::nullopt;
  return wait_for(*pid, 0);
}

std::optional<ChildUsage> run_child_fed(const std::vector<std::string>& argv,
                                        const std::function<void(const Feed&)>& write) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  ::signal(SIGPIPE, SIG_IGN);
  const auto pid = start(argv, ends[0]);
  ::close(ends[0]);
  if (!pid) {
    ::close(ends[1]);
    return std::nullopt;
  }
  bool open = true;
  write([&](std::string_view bytes) {
    while (open && !bytes.empty()) {
      const ssize_t written = ::write(ends[1], bytes.data(), bytes.size());
      if (written < 0) open = false;
      if (open) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  });
  const long peak = peak_kilobytes(*pid);
  ::close(ends[1]);
  return wait_for(*pid, peak);
}

}  // namespace dragoman::bench
