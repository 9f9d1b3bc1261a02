// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/completion.hpp"

namespace dragoman::cli {
namespace {

int run_completion(const Invocation& invocation, Console& console) {
  const std::string& shell = invocation.arguments()[0];
  const auto& commands = all_commands();
  console.out().write(shell == "bash"  ? bash_completion(commands)
                      : shell == "zsh" ? zsh_completion(commands)
                                       : fish_completion(commands));
  return kOk;
}

}  // namespace

std::string joined(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

CommandSpec completion_command() {
  return {"completion",
          "a completion script for your shell",
          "",
          {color_option()},
          {{"SHELL", "which shell", true, false, false, {"bash", "zsh", "fish"}}},
          {"source <(dragoman completion bash)",
           "dragoman completion fish > ~/.config/fish/completions/dragoman.fish"},
          run_completion};
}

}  // namespace dragoman::cli
