// SPDX-License-Identifier: Apache-2.0
// What the user wants an agent to do, whatever the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::agent {

struct Request {
  std::string prompt;
  std::string cwd;         // absolute
  std::string resume;      // the session to go on with
  std::string session_id;  // the id that a new session shall have
  std::string model;
  std::string permission_mode;
  std::vector<std::string> allowed_tools;
  std::vector<std::string> mcp_configs;
  std::string budget_usd;     // as given: a number that was checked
  std::string sandbox;        // of kSandboxes
  std::string output_schema;  // a path
  // Behind "--", as the agent's row says: a command line, or further arguments.
  std::vector<std::string> words;
  // Answers to secret questions that stand in `words` by now.
  std::vector<std::string> secrets;

  friend bool operator==(const Request&, const Request&) = default;
};

// One start of an agent's program.
struct Launch {
  std::vector<std::string> argv;  // the program as a path
  std::string input;              // the first bytes on its stdin
  // What becomes of stdin behind them.
  enum class Stdin : std::uint8_t {
    closed,        // at once: these agents wait for the end of input before they start
    conversation,  // open for answers until the last result has come
  };
  Stdin stdin_then = Stdin::closed;
  bool secret = false;  // `input` must not be written down

  friend bool operator==(const Launch&, const Launch&) = default;
};

// 8-4-4-4-12 hex digits.
[[nodiscard]] bool is_uuid(std::string_view text);

// They become words of the agent's command line, where "--settings=…" would be an option: what is
// allowed is named, not what is forbidden.
inline constexpr std::string_view kModelNames = "^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$";
inline constexpr std::string_view kPermissionModes = "^[A-Za-z][A-Za-z0-9-]{0,63}$";
[[nodiscard]] bool is_model_name(std::string_view text);
[[nodiscard]] bool is_permission_mode(std::string_view text);

// `word` as it may be written down.
[[nodiscard]] std::string without_secrets(std::string word, std::span<const std::string> secrets);

}  // namespace dragoman::agent
