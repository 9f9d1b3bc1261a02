// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

std::vector<std::string> options_in_front(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  const auto add = [&names](const std::vector<OptionSpec>& options) {
    for (const OptionSpec& option : options) {
      const std::string name = "--" + option.name;
      if (!option.value.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(name);
    }
  };
  add(everywhere_options());
  for (const CommandSpec& command : commands) {
    if (!command.parts.empty()) add(command.options);
  }
  return names;
}

std::vector<std::string> unfinished_names(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) {
    if (command.parts.empty()) continue;
    names.push_back(command.name);
    names.push_back("help " + command.name);
  }
  names.emplace_back("help");
  return names;
}

std::vector<std::string> names_of_starters(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) {
    if (command.behind_dashes == "CMD…") names.push_back(command.name);
    for (const std::string& part : names_of_starters(command.parts)) names.push_back(part);
  }
  return names;
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
