// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/listen.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace dragoman::http {

namespace {

constexpr int kBacklog = 4096;

Error failure(std::string_view where, std::string_view what) {
  return {ErrorCode::tool_error, fmt::format("listen at {}: {}", where, what), "listen"};
}

Error failure(std::string_view where) {
  const int code = errno;
  std::string why = std::strerror(code);
  if (code == EADDRINUSE) why += "; stop what listens there, or choose another port";
  return failure(where, why);
}

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

bool fill(const std::string& address, std::uint16_t port, Address& out) {
  sockaddr_in four{};
  if (::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&out.storage, &four, sizeof four);
    out.size = sizeof four;
    return true;
  }
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) != 1) return false;
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  std::memcpy(&out.storage, &six, sizeof six);
  out.size = sizeof six;
  return true;
}

const sockaddr* as_address(const void* address) { return static_cast<const sockaddr*>(address); }

bool somebody_listens(const sockaddr_un& at) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool there = ::connect(fd, as_address(&at), sizeof at) == 0;
  ::close(fd);
  return there;
}

bool set_path(const std::string& path, sockaddr_un& at) {
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) return false;
  std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
  return true;
}

// Binds inside a new directory that only we may enter, then moves the socket to its place.
Result<int> bind_and_move(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  std::string directory = (parent.empty() ? std::string(".") : parent.string()) + "/.XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) return failure(path);
  const std::string fresh = directory + "/s";
  sockaddr_un at{};
  Result<int> made = failure(path, "the path is too long for a socket");
  if (set_path(fresh, at)) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ::bind(fd, as_address(&at), sizeof at) == 0 &&
        ::chmod(fresh.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(fd, kBacklog) == 0 &&
        ::rename(fresh.c_str(), path.c_str()) == 0) {
      made = fd;
    } else {
      made = failure(path);
      if (fd >= 0) ::close(fd);
    }
  }
  ::unlink(fresh.c_str());
  ::rmdir(directory.c_str());
  return made;
}

}  // namespace

Result<int> listen_tcp(const std::string& address, std::uint16_t port) {
  const std::string where = fmt::format("{}:{}", address, port);
  Address at;
  if (!fill(address, port, at)) {
    return Error{ErrorCode::validation,
                 fmt::format("listen at {}: not an address; such as 127.0.0.1 or ::1", address)};
  }
  const int fd = ::socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure(where);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd, as_address(&at.storage), at.size) == 0 && ::listen(fd, kBacklog) == 0) return fd;
  Error error = failure(where);
  ::close(fd);
  return error;
}

Result<int> listen_unix(const std::string& path) {
  sockaddr_un at{};
  if (!set_path(path, at)) return failure(path, "the path is too long for a socket");
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return failure(path, "there is a file that is no socket");
    if (somebody_listens(at)) return failure(path, "another server listens there");
  }
  return bind_and_move(path);
}

std::uint16_t port_of(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  // POSIX has it that every kind of address begins alike.
  if (::getsockname(socket, static_cast<sockaddr*>(static_cast<void*>(&storage)), &size) != 0)
    return 0;
  if (storage.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &storage, sizeof four);
    return ntohs(four.sin_port);
  }
  if (storage.ss_family != AF_INET6) return 0;
  sockaddr_in6 six{};
  std::memcpy(&six, &storage, sizeof six);
  return ntohs(six.sin6_port);
}

}  // namespace dragoman::http
