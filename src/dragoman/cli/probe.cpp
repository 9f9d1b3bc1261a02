// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "dragoman/cli/io.hpp"

extern char** environ;

namespace dragoman::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Starts the program in a process group of its own with nothing to read and stderr thrown away.
std::optional<pid_t> start(const std::string& program, const std::vector<std::string>& arguments,
                           int out) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  (void)::posix_spawn_file_actions_init(&files);
  (void)::posix_spawnattr_init(&how);
  (void)::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  (void)::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  (void)::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, &how, argv.data(), environ);
  (void)::posix_spawn_file_actions_destroy(&files);
  (void)::posix_spawnattr_destroy(&how);
  return error == 0 ? std::optional(pid) : std::nullopt;
}

// Everything until the end of the pipe, the deadline, or more than anybody needs.
bool read_until_end(int fd, Clock::time_point deadline, std::string& text) {
  constexpr std::size_t kEnough = 64 * 1024;
  while (text.size() < kEnough) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) <= 0) return false;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return false;
}

// Whether it has ended well before the deadline; killed with its children where it has not.
bool ended_well(pid_t pid, bool in_time, Clock::time_point deadline) {
  int status = 0;
  while (in_time && Clock::now() < deadline) {
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    (void)::poll(nullptr, 0, 2);
  }
  (void)::kill(-pid, SIGKILL);
  (void)::waitpid(pid, &status, 0);
  return false;
}

}  // namespace

std::optional<std::string> find_program(std::string_view name) {
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "" : variable;
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string directory(path.substr(0, colon));
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    // An empty entry means the current directory: nothing is run from there by accident.
    if (directory.empty()) continue;
    std::string program = directory + "/" + std::string(name);
    if (is_program(program)) return program;
  }
  return std::nullopt;
}

std::optional<std::string> first_line_of(const std::string& program,
                                         const std::vector<std::string>& arguments,
                                         std::chrono::milliseconds patience) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const auto pid = start(program, arguments, writing.get());
  if (!pid.has_value()) return std::nullopt;
  writing = Descriptor();
  const auto deadline = Clock::now() + patience;
  std::string text;
  const bool in_time = read_until_end(reading.get(), deadline, text);
  if (!ended_well(*pid, in_time, deadline)) return std::nullopt;
  return text.substr(0, text.find('\n'));
}

}  // namespace dragoman::cli
