// SPDX-License-Identifier: Apache-2.0
// Why an agent failed, in words that do not depend on the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// What an agent says about a failure. All of it may be absent.
struct FailureSigns {
  std::optional<std::int64_t> http_status;
  std::string_view error;     // the agent's own name for it: rate_limit, overloaded_error, …
  std::string_view terminal;  // terminal_reason or stop_reason: max_turns, refusal, …
  std::string_view message;   // decoded words; only looked at for phrases the agents are known for
};

// rate_limited, overloaded, network, auth_required, quota, not_a_git_repo, context_too_long,
// output_limit, max_turns, budget, refusal, session_expired, interrupted, or agent_error.
[[nodiscard]] std::string_view failure_reason(const FailureSigns& signs);

// Whether trying again later can help.
[[nodiscard]] Recoverable recoverable_by(std::string_view reason);

}  // namespace dragoman
