// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/run_spec.hpp"

#include <fmt/format.h>

namespace dragoman::engine {
namespace {

Error refused(std::string_view id, std::string_view why) {
  return {ErrorCode::validation, fmt::format("--resume {}: {}", id, why)};
}

}  // namespace

Result<void> resume(RunSpec& spec, const std::string& id,
                    const std::optional<StoredSession>& stored, HasPrompt prompt) {
  const agent::AgentRow& agent = *spec.agent;
  if (!stored) {
    if (!agent.is_session_id(id)) {
      return Error{ErrorCode::validation,
                   fmt::format("--resume: '{}' is neither a session of {} nor a run that is known",
                               id, agent.name)};
    }
    spec.request.resume = id;
    return {};
  }
  if (stored->agent != agent.name) {
    return refused(id,
                   fmt::format("that session is one of {}, not of {}", stored->agent, agent.name));
  }
  spec.request.resume = stored->session_id;
  if (agent.goes_on == agent::GoesOn::by_invocation) {
    spec.request.words = stored->words;
    spec.request.secrets = stored->secrets;
    spec.resumed = stored->run;
  }
  if (prompt == HasPrompt::no) spec.left_open = stored->pending;
  if (prompt == HasPrompt::no && stored->pending.empty())
    return refused(id, "no question is open there; give a prompt");
  if (spec.request.resume.empty()) return refused(id, "that run named no session to go on with");
  return {};
}

}  // namespace dragoman::engine
