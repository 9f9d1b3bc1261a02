// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "dragoman/base/ascii.hpp"

namespace dragoman::test {

namespace {

RawResponse parse_head(std::string_view text) {
  RawResponse response;
  response.status = std::atoi(std::string(text.substr(9, 3)).c_str());
  std::size_t at = text.find("\r\n") + 2;
  while (at < text.size()) {
    const std::size_t end = text.find("\r\n", at);
    const std::string_view line = text.substr(at, end - at);
    if (line.empty()) break;
    const std::size_t colon = line.find(": ");
    response.fields[ascii::lowered(std::string(line.substr(0, colon)))] =
        std::string(line.substr(colon + 2));
    at = end + 2;
  }
  return response;
}

}  // namespace

RawClient::RawClient(std::uint16_t port) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const void* const address = &at;
  if (::connect(fd_, static_cast<const sockaddr*>(address), sizeof at) != 0) close();
}

RawClient::RawClient(const std::string& unix_path) {
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, unix_path.c_str(), std::min(unix_path.size(), sizeof at.sun_path - 1));
  const void* const address = &at;
  if (::connect(fd_, static_cast<const sockaddr*>(address), sizeof at) != 0) close();
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void RawClient::shrink_receive_buffer(int bytes) const {
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::receive(std::chrono::milliseconds patience) {
  pollfd ready{fd_, POLLIN, 0};
  if (fd_ < 0 || ::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

bool RawClient::ends_within(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
    std::array<char, 65536> bytes;
    if (::recv(fd_, bytes.data(), bytes.size(), 0) <= 0) return true;
  }
}

std::optional<RawResponse> RawClient::head() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!receive()) return std::nullopt;
  RawResponse response = parse_head(std::string_view(buffer_).substr(0, end + 4));
  buffer_.erase(0, end + 4);
  return response;
}

std::optional<RawResponse> RawClient::response(bool has_body) {
  auto response = head();
  if (!response || !has_body || response->status == 204 || response->status == 304) return response;
  if (response->fields.count("transfer-encoding") > 0) {
    while (!dechunk() && receive()) {
    }
    response->body = std::exchange(stream_, {});
    return response;
  }
  const auto length =
      static_cast<std::size_t>(std::atoll(response->fields["content-length"].c_str()));
  while (buffer_.size() < length)
    if (!receive()) return std::nullopt;
  response->body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return response;
}

// Moves complete chunks to stream_; true at the last one.
bool RawClient::dechunk() {
  for (;;) {
    const std::size_t line = buffer_.find("\r\n");
    if (line == std::string::npos) return false;
    const std::size_t size = std::strtoul(buffer_.c_str(), nullptr, 16);
    if (buffer_.size() < line + 2 + size + 2) return false;
    stream_.append(buffer_, line + 2, size);
    buffer_.erase(0, line + 2 + size + 2);
    if (size == 0) return true;
  }
}

std::optional<std::string> RawClient::next_event(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    dechunk();
    const std::size_t end = stream_.find("\n\n");
    if (end != std::string::npos) {
      std::string event = stream_.substr(0, end);
      stream_.erase(0, end + 2);
      if (event.empty() || event.front() == ':') continue;
      return event;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !receive(left)) return std::nullopt;
  }
}

std::optional<RawResponse> ask_once(std::uint16_t port, std::string_view request) {
  RawClient client(port);
  client.send(request);
  return client.response(request.substr(0, 5) != "HEAD ");
}

std::string event_field(std::string_view event, std::string_view name) {
  while (!event.empty()) {
    const std::string_view line = event.substr(0, event.find('\n'));
    event.remove_prefix(std::min(event.size(), line.size() + 1));
    if (line.substr(0, name.size()) != name || line.substr(name.size(), 2) != ": ") continue;
    return std::string(line.substr(name.size() + 2));
  }
  return {};
}

}  // namespace dragoman::test
