// SPDX-License-Identifier: Apache-2.0
// Completion scripts, generated from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

[[nodiscard]] std::string bash_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace dragoman::cli
