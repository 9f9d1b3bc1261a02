// SPDX-License-Identifier: Apache-2.0
// The list of commands, by hand, and the options they share.
#include <algorithm>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::cli {
namespace {

bool has_own(const CommandSpec& command, const OptionSpec& option) {
  return std::ranges::any_of(command.options, [&option](const OptionSpec& own) {
    return own.name == option.name || (option.letter != 0 && own.letter == option.letter);
  });
}

void add_everywhere_options(std::vector<CommandSpec>& commands) {
  for (CommandSpec& command : commands) {
    for (const OptionSpec& option : everywhere_options()) {
      if (!has_own(command, option)) command.options.push_back(option);
    }
    add_everywhere_options(command.parts);
  }
}

std::vector<CommandSpec> list() {
  std::vector<CommandSpec> commands = {
      parse_command(),  emit_command(),       check_command(),  convert_command(),
      show_command(),   run_command(),        replay_command(), verdict_command(),
      task_command(),   worker_command(),     ask_command(),    answer_command(),
      serve_command(),  mcp_command(),        schema_command(), commands_command(),
      prompt_command(), completion_command(), doctor_command(), help_command(),
  };
  add_everywhere_options(commands);
  return commands;
}

}  // namespace

const std::vector<CommandSpec>& all_commands() {
  static const std::vector<CommandSpec> kCommands = list();
  return kCommands;
}

const std::vector<OptionSpec>& everywhere_options() {
  static const std::vector<OptionSpec> kOptions = {
      color_option(),
      quiet_option(),
      verbose_option(),
      {"no-input", "", "ask nobody anything", {}, 0, false, false, true},
      {"config", "FILE", "settings instead of the user's own file", {}, 0, false, true, true},
      {"store",
       "URL",
       "where tasks are kept: sqlite:PATH, or nats://HOST of a fleet",
       {},
       0,
       false,
       true,
       true},
  };
  return kOptions;
}

const CommandSpec* find_command_spec(std::string_view name) {
  for (const CommandSpec& command : all_commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

OptionSpec color_option() {
  return {"color", "WHEN", "colour what people read", {"auto", "always", "never"}, 0, false,
          false,   true};
}

OptionSpec quiet_option() {
  return {"quiet", "", "say nothing on stderr but errors", {}, 'q', false, false, true};
}

OptionSpec verbose_option() {
  return {"verbose", "", "say on stderr what was found out", {}, 'v', false, false, true};
}

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
