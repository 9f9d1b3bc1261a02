// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace dragoman {

namespace fs = std::filesystem;

namespace {

// Whether all of it is on the disk; errno says why not.
bool write_and_sync(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file) == 0;
}

Error cannot_write(const fs::path& path, int reason) {
  return {ErrorCode::internal,
          fmt::format("{}: cannot be written: {}", path.string(), std::strerror(reason)), "store"};
}

}  // namespace

std::error_code make_private_directories(const fs::path& directory) {
  std::error_code failed;
  fs::path made;
  for (const auto& part : fs::absolute(directory, failed)) {
    made /= part;
    if (part.empty() || ::mkdir(made.c_str(), S_IRWXU) == 0) continue;
    // A root that cannot be written says so before it says that the directory is there.
    const std::error_code reason(errno, std::generic_category());
    if (!fs::is_directory(made, failed)) return reason;
  }
  return {};
}

Result<void> write_private_file(const fs::path& path, std::string_view bytes) {
  std::error_code failed = make_private_directories(path.parent_path());
  fs::permissions(path.parent_path(), fs::perms::owner_all, failed);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(path, errno);
  const bool written = write_and_sync(file, bytes);
  const int reason = errno;
  ::close(file);
  if (written) return {};
  ::unlink(path.c_str());
  return cannot_write(path, reason);
}

std::optional<std::string> read_private_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream all;
  all << file.rdbuf();
  return std::move(all).str();
}

void remove_private_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace dragoman
