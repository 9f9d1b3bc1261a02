// SPDX-License-Identifier: Apache-2.0
// Wakes those who wait for the fleet's log to grow.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/log/nats_follower.hpp"
#include "dragoman/log/nats_space.hpp"

namespace dragoman {

// Sees the subject of every message that was stored since it began, not its content. Each subject
// belongs to one of many counters; a neighbour in the same counter wakes for nothing, and looks
// again.
class NatsWatch {
 public:
  using Milliseconds = std::chrono::milliseconds;

  NatsWatch(JetStream& stream, const NatsSpace& space);

  // How often something came for this subject; for all of them without one.
  [[nodiscard]] std::uint64_t count(std::string_view subject);
  [[nodiscard]] std::uint64_t count();
  std::uint64_t wait(std::string_view subject, std::uint64_t seen, Milliseconds timeout);
  std::uint64_t wait(std::uint64_t seen, Milliseconds timeout);

 private:
  static constexpr std::size_t kCounters = 4096;
  [[nodiscard]] static std::size_t counter_of(std::string_view subject);
  void saw(const std::vector<JetMessage>& messages);

  Mutex mutex_;
  Condition changed_;
  std::uint64_t all_ DRAGOMAN_GUARDED_BY(mutex_) = 1;
  std::array<std::uint64_t, kCounters> counters_ DRAGOMAN_GUARDED_BY(mutex_) = {};
  std::vector<std::unique_ptr<NatsFollower>> followers_;
};

}  // namespace dragoman
