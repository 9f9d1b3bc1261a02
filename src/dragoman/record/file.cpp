// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace dragoman::record {
namespace {

Error failure(std::string_view what, const std::filesystem::path& path) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::internal;
  return {code, fmt::format("{} '{}': {}", what, path.string(), std::strerror(errno))};
}

int create_new(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                S_IRUSR | S_IWUSR);
}

}  // namespace

File::~File() {
  if (fd_ >= 0) (void)::close(fd_);
}
File::File(File&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), later_(std::exchange(other.later_, {})) {}
File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(later_, other.later_);
  return *this;
}

Result<File> File::create(const std::filesystem::path& path) {
  const int fd = create_new(path);
  if (fd < 0) return failure("create", path);
  return File(fd);
}

File File::when_written(std::filesystem::path path) {
  File file;
  file.later_ = std::move(path);
  return file;
}

Result<File> File::open(const std::filesystem::path& path) {
  // An agent may have put a link there, to what its user may read and others must not see.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return failure("open", path);
  File file(fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::validation, fmt::format("open '{}': not a file", path.string())};
  }
  return file;
}

Result<File> File::go_on(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return when_written(path);
  if (fd < 0) return failure("open", path);
  File file(fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::validation, fmt::format("open '{}': not a file", path.string())};
  }
  return file;
}

Result<File> File::go_on_with_lines(const std::filesystem::path& path, bool& cut) {
  DRAGOMAN_TRY(File file, go_on(path));
  if (file.fd_ < 0) return file;
  const std::uint64_t size = file.size();
  std::uint64_t whole = size;
  for (std::array<char, 4096> piece; whole > 0;) {
    const std::uint64_t from = whole - std::min<std::uint64_t>(whole, piece.size());
    const std::string_view bytes(piece.data(), file.read(piece.data(), whole - from, from));
    const std::size_t newline = bytes.rfind('\n');
    whole = newline == std::string_view::npos ? from : from + newline + 1;
    if (newline != std::string_view::npos) break;
  }
  cut = cut || whole < size;
  if (whole < size && ::ftruncate(file.fd_, static_cast<off_t>(whole)) != 0)
    return failure("cut", path);
  return file;
}

File::Appended File::append(std::string_view bytes) {
  Appended done;
  if (fd_ < 0 && !later_.empty()) {
    fd_ = create_new(later_);
    if (fd_ < 0) return {0, errno};
    later_.clear();
  }
  while (done.bytes < bytes.size()) {
    const ssize_t got = ::write(fd_, bytes.data() + done.bytes, bytes.size() - done.bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      done.error = errno;
      break;
    }
    done.bytes += static_cast<std::size_t>(got);
  }
  return done;
}

File::Appended File::append_whole(std::string_view bytes) {
  Appended done = append(bytes);
  if (done.error == 0 || done.bytes == 0) return done;
  // Where even that fails it is as after a crash.
  if (::ftruncate(fd_, static_cast<off_t>(size() - done.bytes)) == 0) done.bytes = 0;
  return done;
}

std::size_t File::read(char* to, std::size_t size, std::uint64_t offset) const {
  for (;;) {
    const ssize_t got = ::pread(fd_, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }
}

std::uint64_t File::size() const {
  if (fd_ < 0) return 0;
  struct stat info {};
  return ::fstat(fd_, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  (void)::unlink(fresh.c_str());  // what a crash left behind
  DRAGOMAN_TRY(File file, File::create(fresh));
  const File::Appended done = file.append(bytes);
  if (done.error != 0) {
    errno = done.error;
    return failure("write", path);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failure("write", path);
  return {};
}

Result<std::optional<std::string>> read_whole(const std::filesystem::path& path,
                                              std::uint64_t most) {
  auto file = File::open(path);
  if (!file && file.error().code == ErrorCode::not_found) return std::optional<std::string>();
  if (!file) return std::move(file).error();
  const std::uint64_t size = file->size();
  if (size > most) {
    return Error{ErrorCode::validation, fmt::format("read '{}': {} bytes, at most {} are expected",
                                                    path.string(), size, most)};
  }
  std::string text(size, '\0');
  text.resize(file->read(text.data(), text.size(), 0));
  return std::optional<std::string>(std::move(text));
}

}  // namespace dragoman::record
