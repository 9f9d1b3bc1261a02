// SPDX-License-Identifier: Apache-2.0
// What somebody wants an agent to do, whatever the agent.
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
  std::string sandbox;        // read-only, workspace-write, danger-full-access
  std::string output_schema;  // a path
  // Behind "--". command: all of it; executor: PROGRAM TASK_ID DESCRIPTION [PLAN]; claude and
  // codex: further arguments of theirs.
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

// What stands in the place of an answer to a secret question wherever something is kept or shown.
inline constexpr std::string_view kHidden = "[hidden]";

// `word` as it may be written down.
[[nodiscard]] std::string without_secrets(std::string word, std::span<const std::string> secrets);

}  // namespace dragoman::agent
