// SPDX-License-Identifier: Apache-2.0
// Claude Code: a conversation in JSON lines on stdin and stdout, so that its questions and its
// requests for permission reach us and wait for the answer.
#include <array>

#include "dragoman/agent/control.hpp"
#include "dragoman/agent/session_agent.hpp"

namespace dragoman::agent {
namespace {

class ClaudeAgent final : public SessionAgent {
 public:
  [[nodiscard]] std::string_view name() const override { return "claude"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    static constexpr std::array<std::string_view, 7> kTaken = {
        "resume",        "session-id", "model", "permission-mode",
        "allowed-tools", "mcp-config", "budget"};
    return check_options(name(), request, kTaken);
  }

  [[nodiscard]] std::optional<Dialect> dialect() const override { return Dialect::claude; }

  [[nodiscard]] std::span<const std::string_view> variables() const override {
    static constexpr std::array<std::string_view, 15> kNames = {"ANTHROPIC_",
                                                                "CLAUDE_",
                                                                "AWS_",
                                                                "GOOGLE_APPLICATION_CREDENTIALS",
                                                                "CLOUD_ML_",
                                                                "VERTEX_",
                                                                "DISABLE_TELEMETRY",
                                                                "DISABLE_ERROR_REPORTING",
                                                                "DISABLE_AUTOUPDATER",
                                                                "IS_SANDBOX",
                                                                "MCP_TIMEOUT",
                                                                "MCP_TOOL_TIMEOUT",
                                                                "MAX_THINKING_TOKENS",
                                                                "MAX_MCP_OUTPUT_TOKENS",
                                                                "TRACEPARENT"};
    return kNames;
  }

 private:
  [[nodiscard]] Result<Launch> launch(const Request& request, std::string_view session,
                                      std::string_view text, const Locate& locate) const override {
    DRAGOMAN_TRY(std::string program, locate("claude"));
    Launch out{{std::move(program), "-p", "--input-format", "stream-json", "--output-format",
                "stream-json", "--verbose", "--permission-prompt-tool", "stdio"},
               user_message(text),
               Launch::Stdin::conversation};
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
};

}  // namespace

std::unique_ptr<Agent> make_claude_agent() { return std::make_unique<ClaudeAgent>(); }

}  // namespace dragoman::agent
