// SPDX-License-Identifier: Apache-2.0
// Completion scripts, generated from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/command.hpp"

namespace dragoman::cli {

// The words that are worth offering for an option or an argument; none: it can be anything.
template <typename Spec>
[[nodiscard]] std::vector<std::string_view> offered_words(const Spec& spec) {
  return spec.offers == nullptr ? spec.choices : spec.offers();
}
// "a b c"
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words);

// The options that may stand before the command, or before the part of one, with a word behind
// them: --color, …
[[nodiscard]] std::vector<std::string> options_in_front(const std::vector<CommandSpec>& commands);
// The names behind which another word belongs to the name: emit (status), help, help emit.
[[nodiscard]] std::vector<std::string> unfinished_names(const std::vector<CommandSpec>& commands);
// The names of those that take a command line behind "--".
[[nodiscard]] std::vector<std::string> names_of_starters(const std::vector<CommandSpec>& commands);

[[nodiscard]] std::string bash_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace dragoman::cli
