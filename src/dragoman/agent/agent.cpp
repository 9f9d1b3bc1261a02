// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/agent.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman::agent {

std::span<const std::string_view> agent_names() {
  static constexpr std::array<std::string_view, 4> kNames = {"claude", "codex", "executor",
                                                             "command"};
  return kNames;
}

std::unique_ptr<Agent> make_agent(std::string_view name) {
  if (name == "claude") return make_claude_agent();
  if (name == "codex") return make_codex_agent();
  if (name == "executor") return make_executor_agent();
  if (name == "command") return make_command_agent();
  return nullptr;
}

std::string answers_as_prompt(std::span<const Answered> answers) {
  if (answers.size() == 1) return answer_words(answers[0].asked, answers[0].answer);
  std::string out;
  for (const Answered& answered : answers) {
    const Asked& asked = answered.asked;
    if (!out.empty()) out.push_back('\n');
    out += fmt::format("{}: {}", asked.header.empty() ? asked.text : asked.header,
                       answer_words(asked, answered.answer));
  }
  return out;
}

bool any_secret(std::span<const Answered> answers) {
  return std::ranges::any_of(answers, [](const Answered& one) { return one.asked.secret; });
}

std::string without_secrets(std::string word, std::span<const std::string> secrets) {
  for (const std::string& secret : secrets) {
    if (secret.empty()) continue;
    for (std::size_t at = word.find(secret); at != std::string::npos;
         at = word.find(secret, at + kHidden.size())) {
      word.replace(at, secret.size(), kHidden);
    }
  }
  return word;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
    } else if (ascii::hex_value(c) < 0) {
      return false;
    }
  }
  return true;
}

Result<void> refuse_other_options(std::string_view agent, const Request& request,
                                  std::span<const std::string_view> taken) {
  struct Option {
    std::string_view name;
    bool given;
  };
  const std::array<Option, 9> options = {{{"resume", !request.resume.empty()},
                                          {"session-id", !request.session_id.empty()},
                                          {"model", !request.model.empty()},
                                          {"permission-mode", !request.permission_mode.empty()},
                                          {"allowed-tools", !request.allowed_tools.empty()},
                                          {"mcp-config", !request.mcp_configs.empty()},
                                          {"budget", !request.budget_usd.empty()},
                                          {"sandbox", !request.sandbox.empty()},
                                          {"output-schema", !request.output_schema.empty()}}};
  for (const Option& option : options) {
    if (option.given && std::ranges::find(taken, option.name) == taken.end()) {
      return Error{ErrorCode::validation,
                   fmt::format("--{} has no meaning for --agent {}", option.name, agent)};
    }
  }
  return {};
}

}  // namespace dragoman::agent
