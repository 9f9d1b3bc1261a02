// SPDX-License-Identifier: Apache-2.0
// Codex: one turn each start, the prompt on stdin, JSON lines out. It never asks by itself; what it
// wants to know it says in markers, and hears with the next turn of its thread.
#include <array>

#include "dragoman/agent/agent.hpp"

namespace dragoman::agent {
namespace {

class CodexAgent final : public Agent {
 public:
  [[nodiscard]] std::string_view name() const override { return "codex"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    const std::array<UnwantedOption, 5> unwanted = {
        UnwantedOption{"session-id", !request.session_id.empty()},
        {"permission-mode", !request.permission_mode.empty()},
        {"allowed-tools", !request.allowed_tools.empty()},
        {"mcp-config", !request.mcp_configs.empty()},
        {"budget", !request.budget_usd.empty()}};
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
  [[nodiscard]] std::optional<Dialect> dialect() const override { return Dialect::codex; }
  [[nodiscard]] bool is_session_id(std::string_view id) const override { return is_uuid(id); }

  [[nodiscard]] std::span<const std::string_view> variables() const override {
    static constexpr std::array<std::string_view, 4> kNames = {"OPENAI_", "CODEX_", "AZURE_OPENAI_",
                                                               "TRACEPARENT"};
    return kNames;
  }

 private:
  // Options of `exec` stand before the word resume, which has fewer of its own.
  [[nodiscard]] static Result<Launch> launch(const Request& request, std::string_view session,
                                             std::string_view text, const Locate& locate) {
    DRAGOMAN_TRY(std::string program, locate("codex"));
    Launch out{{std::move(program), "exec", "--json"}, std::string(text), Launch::Stdin::closed};
    const auto add = [&out](std::string_view option, std::string_view value) {
      if (value.empty()) return;
      out.argv.emplace_back(option);
      out.argv.emplace_back(value);
    };
    add("--model", request.model);
    add("--sandbox", request.sandbox);
    add("--output-schema", request.output_schema);
    out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
    add("resume", session);
    out.argv.emplace_back("-");
    return out;
  }
};

}  // namespace

std::unique_ptr<Agent> make_codex_agent() { return std::make_unique<CodexAgent>(); }

}  // namespace dragoman::agent
