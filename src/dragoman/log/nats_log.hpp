// SPDX-License-Identifier: Apache-2.0
// The log of a fleet: JetStream streams, a key-value bucket and a work queue (ADR 11).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/log/nats_url.hpp"

namespace dragoman {

struct NatsLogOptions {
  NatsUrl url;
  // A directory for the copy of records and events that lists and searches are answered from.
  // Empty: a temporary one.
  std::string projections;
  // How long a call repeats itself while no server answers.
  std::chrono::milliseconds patience{10'000};
};

// Makes the fleet's streams where there are none.
[[nodiscard]] Result<std::unique_ptr<Log>> open_nats_log(const NatsLogOptions& options);

// What `dragoman doctor` says about a cluster.
struct ClusterFinding {
  std::string what;
  bool good = true;
  std::string detail;
  std::string mend;
};
[[nodiscard]] std::vector<ClusterFinding> look_at_cluster(const NatsUrl& url);

}  // namespace dragoman
