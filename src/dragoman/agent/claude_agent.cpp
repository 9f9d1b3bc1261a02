// SPDX-License-Identifier: Apache-2.0
// Claude Code: a conversation in JSON lines on stdin and stdout, so that its questions and its
// requests for permission reach us and wait for the answer.
#include <array>

#include "dragoman/agent/agent.hpp"
#include "dragoman/agent/control.hpp"

namespace dragoman::agent {
namespace {

class ClaudeAgent final : public Agent {
 public:
  [[nodiscard]] std::string_view name() const override { return "claude"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    const std::array<UnwantedOption, 2> unwanted = {
        UnwantedOption{"sandbox", !request.sandbox.empty()},
        {"output-schema", !request.output_schema.empty()}};
    return refuse_options(name(), unwanted);
  }

  [[nodiscard]] Result<Launch> start(const Request& request, const Locate& locate) const override {
    return launch(request, request.resume, request.prompt, locate);
  }

  [[nodiscard]] Result<Launch> go_on(const Request& request, std::string_view session,
                                     std::span<const Answered> answers,
                                     const Locate& locate) const override {
    return launch(request, session, answers.empty() ? request.prompt : answers_as_prompt(answers),
                  locate);
  }

  [[nodiscard]] GoesOn goes_on() const override { return GoesOn::by_session; }
  [[nodiscard]] std::optional<Dialect> dialect() const override { return Dialect::claude; }
  [[nodiscard]] bool is_session_id(std::string_view id) const override { return is_uuid(id); }

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
  [[nodiscard]] static Result<Launch> launch(const Request& request, std::string_view session,
                                             std::string_view text, const Locate& locate) {
    DRAGOMAN_TRY(std::string program, locate("claude"));
    Launch out{{std::move(program), "-p", "--input-format", "stream-json", "--output-format",
                "stream-json", "--verbose", "--permission-prompt-tool", "stdio"},
               user_message(text),
               Launch::Stdin::conversation};
    const auto add = [&out](std::string_view option, std::string_view value) {
      if (value.empty()) return;
      out.argv.emplace_back(option);
      out.argv.emplace_back(value);
    };
    add("--resume", session);
    if (session.empty()) add("--session-id", request.session_id);
    add("--model", request.model);
    add("--permission-mode", request.permission_mode);
    add("--max-budget-usd", request.budget_usd);
    // These two take every word up to the next option.
    for (const std::string& tools : request.allowed_tools) add("--allowedTools", tools);
    for (const std::string& config : request.mcp_configs) add("--mcp-config", config);
    out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
    return out;
  }
};

}  // namespace

std::unique_ptr<Agent> make_claude_agent() { return std::make_unique<ClaudeAgent>(); }

}  // namespace dragoman::agent
