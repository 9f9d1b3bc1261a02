// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/io.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/cli/console.hpp"
#include "dragoman/cli/interrupt.hpp"

namespace dragoman::cli {
namespace {

constexpr std::size_t kBuffer = 256 * 1024;
// read(2) is three times slower into a buffer that is not aligned to a vector.
constexpr std::size_t kAlignment = 4096;

Error cannot_read(std::string_view name, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::tool_error;
  return {code, fmt::format("cannot read {}: {}", name, std::strerror(error))};
}

std::string display_name(const std::string& path) {
  return path == "-" ? "stdin" : fmt::format("'{}'", printable(path));
}

Error is_directory(const std::string& path) {
  Error error = cannot_read(display_name(path), EISDIR);
  if (::access((path + "/command.json").c_str(), F_OK) == 0)
    error.message +=
        "; it is a recorded run: 'dragoman replay' plays it, its words are in 'stdout'";
  return error;
}

}  // namespace

void fill_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // Opened the wrong way round, so that using it fails as it would have.
      (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
  }
}

Descriptor::~Descriptor() {
  if (fd_ > 2) (void)::close(fd_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  Descriptor old(fd_);
  fd_ = other.release();
  return *this;
}

void Input::FreeBuffer::operator()(char* p) const { std::free(p); }

Result<void> Input::check(const std::string& path) {
  if (path == "-") return {};
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return cannot_read(display_name(path), errno);
  if (S_ISDIR(info.st_mode)) return is_directory(path);
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    return cannot_read(display_name(path), errno);
  }
  return {};
}

Result<Input> Input::open(const std::string& path) {
  Input input;
  input.name_ = display_name(path);
  input.fd_ = Descriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.fd_.get() < 0) return cannot_read(input.name_, errno);
  struct stat info {};
  if (::fstat(input.fd_.get(), &info) != 0) return cannot_read(input.name_, errno);
  if (S_ISDIR(info.st_mode)) return is_directory(path);
  input.live_ = !S_ISREG(info.st_mode) && !S_ISBLK(info.st_mode);
  input.buffer_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, kBuffer)));
  if (input.buffer_ == nullptr) return cannot_read(input.name_, ENOMEM);
  return input;
}

Result<std::string_view> Input::read() {
  for (;;) {
    const ssize_t got = ::read(fd_.get(), buffer_.get(), kBuffer);
    if (got >= 0) return std::string_view(buffer_.get(), static_cast<std::size_t>(got));
    if (errno == EINTR) {
      if (interrupted() != 0) return std::string_view();
      continue;
    }
    if (errno != EAGAIN) return cannot_read(name_, errno);
    (void)wait(-1);  // somebody made our stdin non-blocking
  }
}

Result<void> Input::skip_to(std::size_t offset) {
  if (::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    return cannot_read(name_, errno);
  return {};
}

Input::Wait Input::wait(int milliseconds) const {
  pollfd waiting{fd_.get(), POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  if (ready < 0 && errno == EINTR) return Wait::interrupted;
  return ready == 0 ? Wait::silence : Wait::ready;
}

bool Output::abandoned_within(int milliseconds) const {
  pollfd waiting{fd_, 0, 0};
  return ::poll(&waiting, 1, milliseconds) > 0 && (waiting.revents & (POLLERR | POLLNVAL)) != 0;
}

bool Output::flush() {
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{fd_, POLLOUT, 0};
      (void)::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
  return error_ == 0;
}

}  // namespace dragoman::cli
