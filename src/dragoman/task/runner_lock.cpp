// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/runner_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "dragoman/task/runner.hpp"

namespace dragoman::task {

RunnerLock::RunnerLock(std::filesystem::path file) : file_(std::move(file)) {}

RunnerLock::RunnerLock(int descriptor) : fd_(descriptor) { ::fcntl(fd_, F_SETFD, FD_CLOEXEC); }

RunnerLock::~RunnerLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<bool> RunnerLock::take() {
  if (fd_ < 0) fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
  if (fd_ >= 0 && errno == EWOULDBLOCK) return false;
  return Error{ErrorCode::internal,
               fmt::format("lock {}: {}", file_.string(), std::strerror(errno))};
}

void RunnerLock::give_back() { ::flock(fd_, LOCK_UN); }

bool runner_lives(const std::filesystem::path& lock_file) {
  RunnerLock lock(lock_file);
  const auto taken = lock.take();
  return taken && !*taken;
}

Result<void> start_runner(const std::filesystem::path& lock_file,
                          const std::vector<std::string>& arguments) {
  RunnerLock lock(lock_file);
  DRAGOMAN_TRY(const bool taken, lock.take());
  if (!taken) return {};
  auto started = start_detached(arguments, lock.descriptor());
  if (!started) lock.give_back();  // the child that failed may not have closed it yet
  return started;
}

namespace {

Error not_started(const std::string& program, int why) {
  return {ErrorCode::internal, fmt::format("start '{}': {}", program, std::strerror(why)),
          "out_of_resources"};
}

// The rest of the second child's life as ours: nothing but what is allowed behind a fork. `trouble`
// closes with the program's start, or hears why there is none.
[[noreturn]] void become(char* const* argv, int handed, int trouble) {
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  (void)!::chdir("/");
  if (handed == kHandedLock) ::fcntl(handed, F_SETFD, 0);
  if (handed > kHandedLock) ::dup2(handed, kHandedLock);
  ::close_range(handed < 0 ? kHandedLock : kHandedLock + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(argv[0], argv);
  const int why = errno;
  (void)!::write(trouble, &why, sizeof why);
  ::_exit(127);
}

// Both ends of a pipe; the one to write to is above the descriptors that a program is given.
bool open_trouble(std::array<int, 2>& ends) {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const int low = std::exchange(ends[1], ::fcntl(ends[1], F_DUPFD_CLOEXEC, kHandedLock + 1));
  const int why = errno;
  ::close(low);
  if (ends[1] < 0) ::close(ends[0]);
  errno = why;
  return ends[1] >= 0;
}

}  // namespace

Result<void> start_detached(const std::vector<std::string>& arguments, int handed) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> trouble{};
  if (!open_trouble(trouble)) return not_started(arguments[0], errno);
  // Twice, so that init inherits it and nobody has to wait for it.
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) become(argv.data(), handed, trouble[1]);
    const int why = errno;
    if (grandchild < 0) (void)!::write(trouble[1], &why, sizeof why);
    ::_exit(0);
  }
  int why = child < 0 ? errno : 0;
  ::close(trouble[1]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  // Its end comes when the program has been started: by then nobody else has the pipe.
  while (child > 0 && ::read(trouble[0], &why, sizeof why) < 0 && errno == EINTR) {
  }
  ::close(trouble[0]);
  if (why != 0) return not_started(arguments[0], why);
  return {};
}

}  // namespace dragoman::task
