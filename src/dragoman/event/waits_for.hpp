// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// What an agent waits for that says it was limited. Codex says "Reconnecting" whatever the reason
// is, and so few of its waits are for a limit.
enum class WaitsFor : std::uint8_t { limit, service, connection };

[[nodiscard]] inline WaitsFor waits_for(const RateLimited& p) {
  if (p.limit == "overloaded") return WaitsFor::service;  // whoever asks
  const bool other = p.status == "retrying" && (p.limit == "network" || p.limit == "agent_error" ||
                                                p.limit == "auth_required");
  return other ? WaitsFor::connection : WaitsFor::limit;
}

}  // namespace dragoman
