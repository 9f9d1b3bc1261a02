// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/process/children.hpp"
#include "dragoman/process/command.hpp"
#include "dragoman/process/descriptor.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::task {

namespace {

using process::Descriptor;

constexpr std::chrono::seconds kPatience(20);
constexpr std::size_t kMostOutput = std::size_t{64} << 20U;
constexpr std::size_t kMostComplaint = 4096;
// Of ten million files. What is larger was made so by an agent, perhaps of nothing but a hole, and
// a copy would be the whole disk.
constexpr std::uintmax_t kLargestIndex = std::uintmax_t{1} << 30U;

Error failed(std::string message) {
  return {ErrorCode::tool_error, std::move(message), "git_failed"};
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("git: no pipe to be had");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// A file, not a pipe: nobody has to write while git does.
Result<Descriptor> input_of(std::string_view bytes) {
  Descriptor file(::memfd_create("git-input", MFD_CLOEXEC));
  if (!file.is_open()) return failed("git: no memory for its input");
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed("git: no memory for its input");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& words,
                    const std::vector<std::string>& environment, int in, int out, int err) {
  std::vector<char*> argv;
  std::vector<char*> envp;
  argv.reserve(words.size() + 2);
  envp.reserve(environment.size() + 1);
  std::string name = "git";
  argv.push_back(name.data());
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  for (const auto& word : environment) envp.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&actions, err, 2);
  int error = 0;
  const pid_t pid = process::start_child([&] {
    pid_t child = -1;
    error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
    return error == 0 ? child : -1;
  });
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failed(fmt::format("git: {}", std::strerror(error)));
  return pid;
}

// Reads both ends until they close. False: it took too long or said too much.
bool drain(const Descriptor& out, const Descriptor& err, std::string& said,
           std::string& complaint) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::array<pollfd, 2> open = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
  std::array<char, 65536> buffer{};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(open.data(), open.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    for (pollfd& end : open) {
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t count = ::read(end.fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        end.fd = -1;
        continue;
      }
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
      const bool is_out = &end == open.data();
      if (is_out && said.size() + bytes.size() > kMostOutput) return false;
      if (is_out) said.append(bytes);
      if (!is_out && complaint.size() < kMostComplaint) complaint.append(bytes);
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> Git::words(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {"-C",
                                    directory_,
                                    "--no-pager",
                                    "-c",
                                    "core.fsmonitor=false",
                                    "-c",
                                    "core.hooksPath=/dev/null",
                                    "-c",
                                    "core.untrackedCache=false",
                                    "-c",
                                    "core.compression=0",
                                    "-c",
                                    "gc.auto=0"};
  words.insert(words.end(), settings_.begin(), settings_.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// Who it is asked for, and where it finds its own configuration; nothing of our GIT_*. Objects that
// a partial clone lacks would be fetched in a way that the repository names: no protocol is called
// "none".
std::vector<std::string> Git::surroundings(const std::vector<std::string>& environment) const {
  std::vector<std::string> named = {
      "LC_ALL=C",      "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
      "GIT_PAGER=cat", "GIT_NO_LAZY_FETCH=1",  "GIT_ALLOW_PROTOCOL=none",
      "HOME",          "XDG_CONFIG_HOME",      "PATH"};
  named.insert(named.end(), environment_.begin(), environment_.end());
  named.insert(named.end(), environment.begin(), environment.end());
  return process::make_environment(process::EnvironmentPolicy::clean, process::own_environment(),
                                   named);
}

Result<std::string> Git::run(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment, std::string_view input,
                             int also_fine) const {
  const std::vector<std::string> variables = surroundings(environment);
  DRAGOMAN_TRY(const std::string program, process::find_program("git", variables));
  DRAGOMAN_TRY(const Descriptor in, input_of(input));
  DRAGOMAN_TRY(Pipe out, make_pipe());
  DRAGOMAN_TRY(Pipe err, make_pipe());
  DRAGOMAN_TRY(const pid_t pid, spawn(program, words(arguments), variables, in.get(),
                                      out.write.get(), err.write.get()));
  out.write.close();
  err.write.close();
  std::string said;
  std::string complaint;
  const bool whole = drain(out.read, err.read, said, complaint);
  if (!whole) ::kill(pid, SIGKILL);
  const int status = process::wait_for_child(pid);
  if (!whole) return failed(fmt::format("git {}: takes too long", arguments[0]));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != 0 && code != also_fine)
    return failed(fmt::format("git {}: {}", arguments[0], one_line(complaint)));
  return said;
}

void copy_index(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code wrong;
  const auto time = std::filesystem::last_write_time(from, wrong);
  const std::uintmax_t size = wrong ? 0 : std::filesystem::file_size(from, wrong);
  if (size > kLargestIndex) wrong = std::make_error_code(std::errc::file_too_large);
  if (!wrong)
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, wrong);
  if (!wrong) std::filesystem::last_write_time(to, time, wrong);
  if (wrong) std::filesystem::remove(to, wrong);  // git makes one, and reads every file
}

}  // namespace dragoman::task
