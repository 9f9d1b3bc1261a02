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

[[nodiscard]] std::string bash_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandSpec>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace dragoman::cli
