// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stand_in.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/ascii.hpp"
#include "tests/support/loopback.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;

WireRequest parse(const std::string& head) {
  WireRequest request;
  std::istringstream lines(head);
  std::string target;
  lines >> request.method >> target;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string value = line.substr(std::min(line.size(), colon + 2));
    if (value.ends_with('\r')) value.pop_back();
    request.fields[ascii::lowered(line.substr(0, colon))] = value;
  }
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  std::istringstream pairs(mark == std::string::npos ? "" : target.substr(mark + 1));
  for (std::string pair; std::getline(pairs, pair, '&');) {
    const std::size_t equals = pair.find('=');
    request.query[pair.substr(0, equals)] =
        equals == std::string::npos ? "" : url_decoded(pair.substr(equals + 1));
  }
  return request;
}

}  // namespace

std::string url_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out.push_back(static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

StandIn::StandIn() : listener_(listen_on_loopback()) {
  port_ = port_of(listener_);
  thread_ = std::thread([this] { accept_all(); });
}

StandIn::~StandIn() { stop(); }

void StandIn::stop() {
  if (listener_ < 0) return;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (auto& talk : talks_) talk.join();
  ::close(std::exchange(listener_, -1));
}

std::string StandIn::url() const {
  // Whoever comes with this address finds everything that was set up before.
  const std::lock_guard lock(mutex_);
  return fmt::format("http://127.0.0.1:{}", port_);
}

void StandIn::accept_all() {
  for (;;) {
    const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    const timeval patience{5, 0};
    ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    talks_.emplace_back([this, peer] { talk(peer); });
  }
}

void StandIn::talk(int peer) {
  std::string bytes;
  std::array<char, 8192> buffer;
  const auto more = [&] {
    const auto got = ::read(peer, buffer.data(), buffer.size());
    if (got > 0) bytes.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = 0;
  while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) {
      ::close(peer);
      return;
    }
  }
  WireRequest request = parse(bytes.substr(0, end + 2));
  const std::size_t length = std::strtoul(request.fields["content-length"].c_str(), nullptr, 10);
  while (bytes.size() < end + 4 + length && more()) {
  }
  request.body = bytes.substr(end + 4, length);
  WireResponse response;
  bool dropped = false;
  {
    const std::lock_guard lock(mutex_);
    ++requests_;
    response = answer(request);
    dropped = request.method != "GET" && response.status < 300 &&
              std::uniform_real_distribution<>(0, 1)(random_) < drop_;
  }
  if (!dropped) {
    std::string out =
        fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", response.status,
                    response.status == 204 || response.status == 304 ? 0 : response.body.size());
    for (const auto& [name, value] : response.fields) out += name + ": " + value + "\r\n";
    out += "\r\n";
    if (response.status != 204 && response.status != 304) out += response.body;
    (void)!::send(peer, out.data(), out.size(), MSG_NOSIGNAL);
  }
  ::close(peer);
}

WireResponse StandIn::answer(const WireRequest& request) {
  const auto now = std::chrono::steady_clock::now();
  if (throttled_ && now < closed_until_) {
    if (std::exchange(announced_, true)) ++early_;
    return *throttled_;
  }
  throttled_.reset();
  if (unread_status_ != 0 && request.method == "GET" && request.path.ends_with(unread_path_))
    return {.status = unread_status_};
  if (failing_status_ != 0 && request.path.ends_with(failing_path_))
    return {.status = std::exchange(failing_status_, 0)};
  return serve(request);
}

void StandIn::fail_next(std::string path_end, int status) {
  const std::lock_guard lock(mutex_);
  failing_path_ = std::move(path_end);
  failing_status_ = status;
}

void StandIn::refuse_reads(std::string path_end, int status) {
  const std::lock_guard lock(mutex_);
  unread_path_ = std::move(path_end);
  unread_status_ = status;
}

void StandIn::throttle(std::chrono::milliseconds time, WireResponse answer) {
  const std::lock_guard lock(mutex_);
  throttled_ = std::move(answer);
  closed_until_ = std::chrono::steady_clock::now() + time;
  announced_ = false;
}

std::vector<std::string> StandIn::complaints() const {
  const std::lock_guard lock(mutex_);
  return complaints_;
}

WireResponse StandIn::refuse(int status, const std::string& why) {
  complaints_.push_back(why);
  return {status, {}, json{{"message", why}}.dump()};
}

}  // namespace dragoman::test
