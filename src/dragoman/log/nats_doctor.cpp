// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_library.hpp"
#include "dragoman/log/nats_log.hpp"
#include "dragoman/log/nats_space.hpp"

namespace dragoman {

namespace {

constexpr int kPatienceMs = 3000;
constexpr std::size_t kLongestGreeting = 64 * 1024;

struct Address {
  std::string host;
  std::string port;
};

// Of "nats://user:password@host:4222".
Address address_of(std::string_view server) {
  server.remove_prefix(server.find("://") + 3);
  if (const auto at = server.rfind('@'); at != std::string_view::npos) server.remove_prefix(at + 1);
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos || server.back() == ']') return {std::string(server), "4222"};
  return {std::string(server.substr(0, colon)), std::string(server.substr(colon + 1))};
}

int connect_to(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) return -1;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    const timeval limit{kPatienceMs / 1000, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(fd, one->ai_addr, one->ai_addrlen) == 0) return fd;
    ::close(fd);
  }
  return -1;
}

// A server introduces itself with one line, before any secret is exchanged: INFO {…}
std::string greeting_of(const Address& address) {
  const int fd = connect_to(address);
  if (fd < 0) return {};
  std::string line;
  std::array<char, 4096> buffer{};
  while (line.find('\n') == std::string::npos && line.size() < kLongestGreeting) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, kPatienceMs) <= 0) break;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) break;
    line.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  line.resize(std::min(line.find('\r'), line.size()));
  return line.starts_with("INFO ") ? line.substr(5) : std::string();
}

// Older than 2.9, which has what the queue needs.
bool is_old(std::string_view version) {
  int major = 0;
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, fault] = std::from_chars(version.data(), end, major);
  if (fault == std::errc() && dot != end) std::from_chars(dot + 1, end, minor);
  return major < 2 || (major == 2 && minor < 9);
}

ClusterFinding look_at_server(const std::string& server) {
  const Address address = address_of(server);
  const std::string name = fmt::format("{}:{}", address.host, address.port);
  const std::string greeting = greeting_of(address);
  if (greeting.empty())
    return {name, false, "does not answer as a NATS server", "start nats-server there"};
  const std::string version = json_text(json_member(greeting, "version"));
  const std::string cluster = json_text(json_member(greeting, "cluster"));
  const std::string facts =
      fmt::format("nats-server {}{}{}", version, cluster.empty() ? "" : " in cluster ", cluster);
  if (json_member(greeting, "jetstream") != "true") {
    return {name, false, facts + ", without JetStream",
            "start it with --jetstream and a store directory"};
  }
  if (is_old(version)) return {name, false, facts + ": too old", "2.9 or newer is needed"};
  return {name, true, facts, ""};
}

ClusterFinding look_at_stream(JetStream& stream, const std::string& name, const NatsUrl& url) {
  const auto state = stream.state(name);
  if (!state) return {name, false, state.error().message, "look at the servers' logs"};
  if (!*state) return {name, true, "not there yet: the first worker or server makes it", ""};
  const StreamState& found = **state;
  const std::string facts =
      fmt::format("{} messages, {} bytes, {} {}", found.messages, found.bytes, found.replicas,
                  found.replicas == 1 ? "replica" : "replicas");
  if (!found.behind.empty()) {
    return {name, false, fmt::format("{}; behind: {}", facts, fmt::join(found.behind, ", ")),
            "start or mend those servers"};
  }
  if (url.replicas > found.replicas) {
    return {name, false, fmt::format("{}, where {} are wanted", facts, url.replicas),
            fmt::format("nats stream update {} --replicas={}", name, url.replicas)};
  }
  return {name, true, facts, ""};
}

}  // namespace

std::vector<ClusterFinding> look_at_cluster(const NatsUrl& url) {
  std::vector<ClusterFinding> findings;
  const auto library = nats_library();
  if (!library) {
    findings.push_back({"libnats", false, library.error().message, "apt-get install libnats3.4"});
    return findings;
  }
  for (const auto& server : url.servers) findings.push_back(look_at_server(server));
  auto connection = NatsConnection::open(url);
  if (!connection) {
    findings.push_back({"cluster", false, connection.error().message,
                        "start nats-server there, or look at the credentials"});
    return findings;
  }
  JetStream stream(*connection);
  const auto account = stream.api("INFO", "");
  if (!account) {
    findings.push_back({"jetstream", false, account.error().message,
                        "start nats-server with --jetstream and a store directory"});
    return findings;
  }
  findings.push_back({"jetstream", true,
                      fmt::format("on; {} streams", json_number(json_member(*account, "streams"))),
                      ""});
  const NatsSpace space{url.space};
  for (const auto& name : {space.bucket_stream(), space.event_stream(), space.work_stream()})
    findings.push_back(look_at_stream(stream, name, url));
  return findings;
}

}  // namespace dragoman
