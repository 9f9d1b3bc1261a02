// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/runner_lock.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/task/runner.hpp"

namespace dragoman::task {

RunnerLock::RunnerLock(const std::filesystem::path& file)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}

RunnerLock::RunnerLock(int descriptor) : fd_(descriptor) { ::fcntl(fd_, F_SETFD, FD_CLOEXEC); }

RunnerLock::~RunnerLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool RunnerLock::take() { return fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
void RunnerLock::give_back() { ::flock(fd_, LOCK_UN); }

bool runner_lives(const std::filesystem::path& lock_file) {
  RunnerLock lock(lock_file);
  return !lock.take();
}

Result<void> start_runner(const std::filesystem::path& lock_file,
                          const std::vector<std::string>& arguments) {
  RunnerLock lock(lock_file);
  if (!lock.take()) return {};
  return start_detached(arguments, lock.descriptor());
}

Result<void> start_detached(const std::vector<std::string>& arguments, int handed) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // Twice, so that init inherits it and nobody has to wait for it.
  const pid_t child = ::fork();
  if (child < 0) {
    return Error{ErrorCode::internal, fmt::format("start the runner: {}", std::strerror(errno)),
                 "out_of_resources"};
  }
  if (child == 0) {
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild != 0) ::_exit(grandchild < 0 ? 1 : 0);
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
    (void)!::chdir("/");
    if (handed == kHandedLock) ::fcntl(handed, F_SETFD, 0);
    if (handed > kHandedLock) ::dup2(handed, kHandedLock);
    ::close_range(handed < 0 ? kHandedLock : kHandedLock + 1, ~0U, 0);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return Error{ErrorCode::internal, "start the runner: no process to be had"};
  return {};
}

}  // namespace dragoman::task
