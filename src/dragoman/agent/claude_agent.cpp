// SPDX-License-Identifier: Apache-2.0
// Claude Code: a conversation in JSON lines on stdin and stdout, so that its questions and its
// requests for permission reach us and wait for the answer.
#include "dragoman/agent/control.hpp"
#include "dragoman/agent/protocols.hpp"

namespace dragoman::agent {

Result<Launch> launch_claude(const AgentRow& agent, const Request& request,
                             std::string_view session, std::span<const Answered> answers,
                             const Locate& locate) {
  DRAGOMAN_TRY(std::string program, locate(agent.program));
  Launch out{{std::move(program), "-p", "--input-format", "stream-json", "--output-format",
              "stream-json", "--verbose", "--permission-prompt-tool", "stdio"},
             user_message(words_for(request, answers))};
  add_option(out.argv, "--resume", session);
  if (session.empty()) add_option(out.argv, "--session-id", request.session_id);
  add_option(out.argv, "--model", request.model);
  add_option(out.argv, "--permission-mode", request.permission_mode);
  add_option(out.argv, "--max-budget-usd", request.budget_usd);
  // These two take every word up to the next option.
  for (const std::string& tools : request.allowed_tools)
    add_option(out.argv, "--allowedTools", tools);
  for (const std::string& config : request.mcp_configs)
    add_option(out.argv, "--mcp-config", config);
  out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
  return out;
}

}  // namespace dragoman::agent
