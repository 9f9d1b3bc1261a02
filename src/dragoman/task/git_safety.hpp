// SPDX-License-Identifier: Apache-2.0
// Git commands that destroy work, found in what an agent is asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::task {

enum class GitTier : std::uint8_t { safe, confirmation, blocked };

struct GitRisk {
  GitTier tier = GitTier::safe;  // the worst that was found
  std::vector<std::string> operations;
  friend bool operator==(const GitRisk&, const GitRisk&) = default;
};

// What is matched are git commands, not words about them: "explain how git rebase works" is safe.
[[nodiscard]] GitRisk judge_git(std::string_view text);

// One command line, as an agent asks to run it.
[[nodiscard]] GitRisk judge_git_command(std::string_view command);

// The refusal of a task, with what a client needs to ask a person; success when it may start.
[[nodiscard]] Result<void> allow_git(const GitRisk& risk, bool allow_destructive);

}  // namespace dragoman::task
