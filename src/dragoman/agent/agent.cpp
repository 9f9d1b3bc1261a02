// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/agent.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman::agent {

namespace {

// Letters, digits and `others`; the first one is no sign.
bool is_word_of(std::string_view text, std::string_view others, std::size_t most) {
  return !text.empty() && text.size() <= most && ascii::is_alnum(text.front()) &&
         std::ranges::all_of(text, [others](char c) {
           return ascii::is_alnum(c) || others.find(c) != std::string_view::npos;
         });
}

Error no_such_value(std::string_view option, std::string_view expected) {
  return {ErrorCode::validation, fmt::format("--{}: expected {}", option, expected), "bad_value"};
}

Result<void> check_values(const Request& request) {
  if (!request.model.empty() && !is_model_name(request.model))
    return no_such_value("model", kModelNames);
  if (!request.permission_mode.empty() && !is_permission_mode(request.permission_mode))
    return no_such_value("permission-mode", kPermissionModes);
  if (!request.sandbox.empty() && !is_sandbox_mode(request.sandbox)) {
    return no_such_value("sandbox", fmt::format("one of {}", fmt::join(sandbox_modes(), ", ")));
  }
  return {};
}

}  // namespace

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

// "sonnet[1m]", "claude-sonnet@20250514"
bool is_model_name(std::string_view text) { return is_word_of(text, "._:/-@[]", 128); }

bool is_permission_mode(std::string_view text) {
  return is_word_of(text, "-", 64) && !ascii::is_digit(text.front());
}

std::span<const std::string_view> sandbox_modes() {
  static constexpr std::array<std::string_view, 3> kModes = {"read-only", "workspace-write",
                                                             "danger-full-access"};
  return kModes;
}

bool is_sandbox_mode(std::string_view text) {
  return std::ranges::find(sandbox_modes(), text) != sandbox_modes().end();
}

Result<void> check_options(std::string_view agent, const Request& request,
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
  return check_values(request);
}

}  // namespace dragoman::agent
