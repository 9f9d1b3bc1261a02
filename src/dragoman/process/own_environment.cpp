// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/own_environment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "dragoman/process/environment.hpp"
#include "dragoman/process/run_mark.hpp"

extern char** environ;

namespace dragoman::process {
namespace {

// Names the descriptor with the secret lines.
constexpr std::string_view kHanded = "DRAGOMAN_ENVIRONMENT=";

std::optional<std::vector<std::string>> sealed;

// What getenv() finds once the lines that the kernel shows are overwritten.
struct OpenLines {
  std::vector<std::string> lines;
  std::vector<char*> pointers;
} open_lines;

std::vector<std::string> lines_of(char** environment) {
  std::vector<std::string> lines;
  for (char** line = environment; line != nullptr && *line != nullptr; ++line)
    lines.emplace_back(*line);
  return lines;
}

std::string all_of(const Descriptor& file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got =
        ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// A message with one descriptor in it.
struct Parcel {
  Parcel() {
    head.msg_iov = &body;
    head.msg_iovlen = 1;
    head.msg_control = room.data();
    head.msg_controllen = room.size();
  }
  char byte = 0;
  iovec body{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr head{};
};

// A file can be opened by /proc/PID/fd as well, a socket cannot: the descriptor is in a message
// that waits in one.
Descriptor in_a_parcel(int file) {
  constexpr int kAbove = 16;  // the descriptors that a program is given
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return Descriptor();
  const Descriptor sending(ends[0]);
  const Descriptor receiving(ends[1]);
  Parcel parcel;
  cmsghdr* const content = CMSG_FIRSTHDR(&parcel.head);
  content->cmsg_level = SOL_SOCKET;
  content->cmsg_type = SCM_RIGHTS;
  content->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(content), &file, sizeof file);
  if (::sendmsg(sending.get(), &parcel.head, MSG_NOSIGNAL) != 1) return Descriptor();
  return Descriptor(::fcntl(receiving.get(), F_DUPFD_CLOEXEC, kAbove));
}

Descriptor out_of_parcel(int socket) {
  Parcel parcel;
  const bool came = ::recvmsg(socket, &parcel.head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) == 1;
  const cmsghdr* const content = came ? CMSG_FIRSTHDR(&parcel.head) : nullptr;
  if (content == nullptr || content->cmsg_type != SCM_RIGHTS) return Descriptor();
  int file = -1;
  std::memcpy(&file, CMSG_DATA(content), sizeof file);
  return Descriptor(file);
}

// Takes the line that announces a descriptor out of `lines`, and puts what it leads to in.
void take_handed(std::vector<std::string>& lines) {
  const auto said = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with(kHanded); });
  if (said == lines.end()) return;
  int number = -1;
  const char* const end = said->data() + said->size();
  const auto [rest, error] = std::from_chars(said->data() + kHanded.size(), end, number);
  lines.erase(said);
  if (error != std::errc() || number < 3) return;
  const Descriptor socket(number);
  const std::string text = all_of(out_of_parcel(number));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find('\0', at), text.size());
    lines.push_back(text.substr(at, stop - at));
    at = stop + 1;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::vector<std::string> own_environment() { return sealed ? *sealed : lines_of(environ); }

void seal_environment() {
  (void)::prctl(PR_SET_DUMPABLE, 0);
  if (sealed) return;
  std::vector<std::string> all = lines_of(environ);
  take_handed(all);
  for (const std::string& line : all) {
    if (!is_secret_line(line)) open_lines.lines.push_back(line);
  }
  for (std::string& line : open_lines.lines) open_lines.pointers.push_back(line.data());
  open_lines.pointers.push_back(nullptr);
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    // By this one processes are found again.
    if (!std::string_view(*line).starts_with(kRunMark)) ::explicit_bzero(*line, std::strlen(*line));
  }
  environ = open_lines.pointers.data();
  sealed = std::move(all);
}

Result<HandedEnvironment> hand_over(std::vector<std::string> environment) {
  HandedEnvironment handed;
  std::string secret;
  for (std::string& line : environment) {
    if (!is_secret_line(line)) {
      handed.shown.push_back(std::move(line));
    } else {
      secret += line;
      secret.push_back('\0');
    }
  }
  if (secret.empty()) return handed;
  const Descriptor file(::memfd_create("environment", MFD_CLOEXEC));
  const bool whole = file.is_open() && write_all(file.get(), secret);
  if (whole) handed.secret = in_a_parcel(file.get());
  if (handed.secret.is_open()) return handed;
  return Error{ErrorCode::internal,
               fmt::format("hand over the environment: {}", std::strerror(errno))};
}

void HandedEnvironment::announce(int number) {
  if (secret.is_open()) shown.push_back(fmt::format("{}{}", kHanded, number));
}

}  // namespace dragoman::process
