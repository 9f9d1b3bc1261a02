// SPDX-License-Identifier: Apache-2.0
// The list of commands, by hand, and the options they share.
#include <algorithm>
#include <array>

#include "dragoman/cli/command_specs.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::cli {
namespace {

bool has_own(const CommandSpec& command, const OptionSpec& option) {
  return std::ranges::any_of(command.options, [&option](const OptionSpec& own) {
    return own.name == option.name || (option.letter != 0 && own.letter == option.letter);
  });
}

void add_everywhere_options(CommandSpec& command) {
  for (const OptionSpec& option : everywhere_options()) {
    if (!has_own(command, option)) command.options.push_back(option);
  }
  for (CommandSpec& part : command.parts) add_everywhere_options(part);
}

// Made when it is first asked for: a start that needs one command does not pay for all of them.
template <CommandSpec (*Make)()>
const CommandSpec& made() {
  static const CommandSpec kCommand = [] {
    CommandSpec command = Make();
    add_everywhere_options(command);
    return command;
  }();
  return kCommand;
}

struct Entry {
  std::string_view name;
  const CommandSpec& (*command)();
};
constexpr std::array kEntries = {
    Entry{"parse", made<parse_command>},
    Entry{"emit", made<emit_command>},
    Entry{"check", made<check_command>},
    Entry{"convert", made<convert_command>},
    Entry{"show", made<show_command>},
    Entry{"run", made<run_command>},
    Entry{"replay", made<replay_command>},
    Entry{"verdict", made<verdict_command>},
    Entry{"task", made<task_command>},
    Entry{"send", made<send_command>},
    Entry{"interrupt", made<interrupt_command>},
    Entry{"worker", made<worker_command>},
    Entry{"ask", made<ask_command>},
    Entry{"answer", made<answer_command>},
    Entry{"serve", made<serve_command>},
    Entry{"mcp", made<mcp_command>},
    Entry{"schema", made<schema_command>},
    Entry{"commands", made<commands_command>},
    Entry{"prompt", made<prompt_command>},
    Entry{"completion", made<completion_command>},
    Entry{"doctor", made<doctor_command>},
    Entry{"help", made<help_command>},
};

std::vector<CommandSpec> list() {
  std::vector<CommandSpec> commands;
  commands.reserve(kEntries.size());
  for (const Entry& entry : kEntries) commands.push_back(entry.command());
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
  const auto* const entry = std::ranges::find(kEntries, name, &Entry::name);
  return entry == kEntries.end() ? nullptr : &entry->command();
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

OptionSpec line_cap_option() {
  return {"line-cap", "SIZE", "longer JSON lines are not read but counted: 16MiB, at most 1GiB"};
}

ArgumentSpec files_argument() { return {"FILE", "what to read; '-' is stdin", false, true, true}; }

}  // namespace dragoman::cli
