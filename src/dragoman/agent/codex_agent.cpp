// SPDX-License-Identifier: Apache-2.0
// Codex: one turn each start, the prompt on stdin, JSON lines out. It never asks by itself; what it
// wants to know it says in markers, and hears with the next turn of its thread.
#include <array>

#include "dragoman/agent/session_agent.hpp"

namespace dragoman::agent {
namespace {

class CodexAgent final : public SessionAgent {
 public:
  [[nodiscard]] std::string_view name() const override { return "codex"; }

  [[nodiscard]] Result<void> check(const Request& request) const override {
    static constexpr std::array<std::string_view, 4> kTaken = {"resume", "model", "sandbox",
                                                               "output-schema"};
    return check_options(name(), request, kTaken);
  }

  [[nodiscard]] std::optional<Dialect> dialect() const override { return Dialect::codex; }

  [[nodiscard]] std::span<const std::string_view> variables() const override {
    static constexpr std::array<std::string_view, 4> kNames = {"OPENAI_", "CODEX_", "AZURE_OPENAI_",
                                                               "TRACEPARENT"};
    return kNames;
  }

 private:
  // Options of `exec` stand before the word resume, which has fewer of its own.
  [[nodiscard]] Result<Launch> launch(const Request& request, std::string_view session,
                                      std::string_view text, const Locate& locate) const override {
    DRAGOMAN_TRY(std::string program, locate("codex"));
    Launch out{{std::move(program), "exec", "--json"}, std::string(text), Launch::Stdin::closed};
    add_option(out.argv, "--model", request.model);
    add_option(out.argv, "--sandbox", request.sandbox);
    add_option(out.argv, "--output-schema", request.output_schema);
    out.argv.insert(out.argv.end(), request.words.begin(), request.words.end());
    add_option(out.argv, "resume", session);
    out.argv.emplace_back("-");
    return out;
  }
};

}  // namespace

std::unique_ptr<Agent> make_codex_agent() { return std::make_unique<CodexAgent>(); }

}  // namespace dragoman::agent
