// SPDX-License-Identifier: Apache-2.0
// Completion scripts, generated from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

// The words that an argument can be; none: anything.
[[nodiscard]] std::vector<std::string_view> offered_words(const ArgumentSpec& argument);
// "a b c"
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words);

[[nodiscard]] std::string bash_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace dragoman::cli
