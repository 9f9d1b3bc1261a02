// SPDX-License-Identifier: Apache-2.0
// Where a fleet keeps its log: nats://host:port,host:port/namespace?replicas=3&events_age=30d
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman {

struct NatsUrl {
  std::vector<std::string> servers;  // each "nats://[user:password@]host:port"
  bool tls = false;
  std::string space = "dragoman";  // what all names of this fleet begin with
  std::string credentials;         // a file as `nsc` writes it
  std::string ca;                  // files in PEM; empty: the system's
  std::string certificate;
  std::string key;
  std::int64_t replicas = 0;  // 0: three where there is a cluster, else one
  std::chrono::milliseconds events_age{std::chrono::hours(24 * 30)};
  std::int64_t events_bytes = -1;  // -1: as much as the server allows
  friend bool operator==(const NatsUrl&, const NatsUrl&) = default;
};

[[nodiscard]] bool is_nats_url(std::string_view text);
[[nodiscard]] Result<NatsUrl> parse_nats_url(std::string_view text);
// For people and logs: without user and password.
[[nodiscard]] std::string shown(const NatsUrl& url);

}  // namespace dragoman
