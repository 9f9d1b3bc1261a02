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

#include "dragoman/process/children.hpp"
#include "dragoman/process/environment.hpp"
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

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const auto& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

Error not_started(const std::string& program, int why) {
  return {ErrorCode::internal, fmt::format("start '{}': {}", program, std::strerror(why)),
          "out_of_resources"};
}

// Under which number a runner gets what is secret in our environment.
constexpr int kHandedEnvironment = kHandedLock + 1;

struct Detached {
  char* const* arguments;
  char* const* environment;
  int lock;     // -1: it is not handed one
  int secrets;  // of its environment; -1: there are none
};

void hand(int from, int number) {
  if (from == number) ::fcntl(from, F_SETFD, 0);
  if (from > number) ::dup2(from, number);
}

// The rest of the second child's life as ours: nothing but what is allowed behind a fork. `trouble`
// closes with the program's start, or hears why there is none.
[[noreturn]] void become(const Detached& wanted, int trouble) {
  const pid_t self = ::getpid();
  (void)!::write(trouble, &self, sizeof self);
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  (void)!::chdir("/");
  ::close_range(kHandedLock, ~0U, CLOSE_RANGE_CLOEXEC);
  hand(wanted.lock, kHandedLock);
  hand(wanted.secrets, kHandedEnvironment);
  ::execve(wanted.arguments[0], wanted.arguments, wanted.environment);
  const int why = errno;
  (void)!::write(trouble, &why, sizeof why);
  ::_exit(127);
}

// Both ends of a pipe; the one to write to is above the descriptors that a program is given.
bool open_trouble(std::array<int, 2>& ends) {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const int low = std::exchange(ends[1], ::fcntl(ends[1], F_DUPFD_CLOEXEC, kHandedEnvironment + 1));
  const int why = errno;
  ::close(low);
  if (ends[1] < 0) ::close(ends[0]);
  errno = why;
  return ends[1] >= 0;
}

// Twice, so that nobody has to wait for it. The number of the second child, or -1 and `why`.
pid_t fork_twice(const Detached& wanted, std::array<int, 2> trouble, int& why) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) become(wanted, trouble[1]);
    const std::array<int, 2> none = {-1, errno};
    if (grandchild < 0) (void)!::write(trouble[1], none.data(), sizeof none);
    ::_exit(0);
  }
  why = child < 0 ? errno : 0;
  ::close(trouble[1]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const auto next = [&](int& value) {
    ssize_t got = -1;
    while (child > 0 && (got = ::read(trouble[0], &value, sizeof value)) < 0 && errno == EINTR) {
    }
    return got == sizeof value;
  };
  // Its end comes when the program has been started: by then nobody else has the pipe.
  pid_t started = -1;
  if (next(started)) (void)next(why);
  ::close(trouble[0]);
  return started;
}

}  // namespace

Result<void> start_detached(const std::vector<std::string>& arguments, int handed) {
  auto environment = process::own_environment();
  process::HandedEnvironment given;
  if (handed >= 0) {  // a runner of ours
    DRAGOMAN_TRY(given, process::hand_over(std::move(environment)));
    given.announce(kHandedEnvironment);
  } else {
    std::erase_if(environment, process::is_secret_line);
    given.shown = std::move(environment);
  }
  const std::vector<char*> words = pointers_to(arguments);
  const std::vector<char*> variables = pointers_to(given.shown);
  std::array<int, 2> trouble{};
  if (!open_trouble(trouble)) return not_started(arguments[0], errno);
  int why = 0;
  process::start_detached_child([&] {
    return fork_twice({words.data(), variables.data(), handed, given.secret.get()}, trouble, why);
  });
  if (why != 0) return not_started(arguments[0], why);
  return {};
}

}  // namespace dragoman::task
