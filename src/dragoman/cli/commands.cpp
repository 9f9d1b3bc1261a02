// SPDX-License-Identifier: Apache-2.0
// The list of commands, by hand, and the options they share.
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::cli {

const std::vector<CommandSpec>& all_commands() {
  static const std::vector<CommandSpec> kCommands = {
      parse_command(),    emit_command(),   check_command(),      convert_command(),
      show_command(),     run_command(),    replay_command(),     verdict_command(),
      task_command(),     ask_command(),    answer_command(),     schema_command(),
      commands_command(), prompt_command(), completion_command(), doctor_command(),
      help_command(),
  };
  return kCommands;
}

const CommandSpec* find_command_spec(std::string_view name) {
  for (const CommandSpec& command : all_commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

OptionSpec color_option() {
  return {"color", "WHEN", "colour what people read", {"auto", "always", "never"}};
}

OptionSpec quiet_option() { return {"quiet", "", "say nothing on stderr but errors", {}, 'q'}; }

OptionSpec verbose_option() { return {"verbose", "", "say on stderr what was found out", {}, 'v'}; }

OptionSpec json_option() { return {"json", "", "as one JSON document"}; }

OptionSpec from_option() {
  return {"from",
          "DIALECT",
          "what the input is; auto finds out",
          {"auto", "wxcode", "question", "claude", "codex", "markers", "delegator", "text"}};
}

OptionSpec mode_option() {
  return {"mode", "MODE", "how much is forgiven", {"default", "strict", "compat"}};
}

ArgumentSpec files_argument() { return {"FILE", "what to read; '-' is stdin", false, true, true}; }

}  // namespace dragoman::cli
