// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/cli/completion.hpp"

namespace dragoman::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return cli::joined(std::vector<std::string_view>(words.begin(), words.end()));
}

std::string option_words(const std::vector<OptionSpec>& options) {
  std::vector<std::string> words = {"--help"};
  for (const OptionSpec& option : options) {
    if (option.hidden) continue;
    words.push_back("--" + option.name);
    if (option.letter != 0) words.push_back(fmt::format("-{}", option.letter));
  }
  return joined(words);
}

// What may follow an option that takes a value.
std::string value_cases(const std::string& command, const std::vector<OptionSpec>& options) {
  std::string out;
  for (const OptionSpec& option : options) {
    if (option.value.empty()) continue;
    const auto words = offered_words(option);
    const std::string what = !words.empty()
                                 ? fmt::format("_dragoman_words '{}'", cli::joined(words))
                             : option.takes_file ? "_dragoman_files"
                                                 : ":";
    out += fmt::format("    '{} --{}') {}; return ;;\n", command, option.name, what);
  }
  return out;
}

// The options that may stand before the command with a word behind them, as a pattern.
std::string with_values(const std::vector<OptionSpec>& options) {
  std::string out;
  for (const OptionSpec& option : options) {
    if (!option.value.empty()) out += (out.empty() ? "--" : " | --") + option.name;
  }
  return out;
}

std::string argument_case(const CommandSpec& command) {
  std::string what = ":";
  if (!command.parts.empty()) {
    std::vector<std::string> names;
    names.reserve(command.parts.size());
    for (const CommandSpec& part : command.parts) {
      names.push_back(part.name.substr(command.name.size() + 1));
    }
    what = fmt::format("_dragoman_words '{}'", joined(names));
  } else if (!command.arguments.empty()) {
    const ArgumentSpec& first = command.arguments.front();
    if (const auto words = offered_words(first); !words.empty()) {
      what = fmt::format("_dragoman_words '{}'", cli::joined(words));
    }
    if (first.takes_file) what = "_dragoman_files";
  }
  return fmt::format("    '{}') options='{}'; arguments=\"{}\" ;;\n", command.name,
                     option_words(command.options), what);
}

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  const auto& before = everywhere_options();
  std::string values = value_cases("", before);
  std::string cases;
  std::vector<std::string> names;
  names.reserve(commands.size());
  std::vector<std::string> with_parts;
  for (const CommandSpec& command : commands) {
    names.push_back(command.name);
    values += value_cases(command.name, command.options);
    cases += argument_case(command);
    if (!command.parts.empty()) with_parts.push_back(command.name);
    for (const CommandSpec& part : command.parts) {
      values += value_cases(part.name, part.options);
      cases += argument_case(part);
    }
  }
  return fmt::format(R"(# bash completion for dragoman; put it where bash-completion looks, or:
#   source <(dragoman completion bash)
_dragoman_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }}
_dragoman_files() {{ compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }}
_dragoman() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' options arguments i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {}) ((i++)) ;;
      -*) ;;
      *)
        command=${{command:+$command }}${{COMP_WORDS[i]}}
        [[ " {} " == *" $command "* ]] || break
        ;;
    esac
  done
  case "$command $prev" in
{}  esac
  case $command in
    '') options='--version {}'; arguments="_dragoman_words '{}'" ;;
{}    *) return ;;
  esac
  if [[ $cur == -* ]]; then _dragoman_words "$options"; else eval "$arguments"; fi
}}
complete -F _dragoman dragoman
)",
                     with_values(before), joined(with_parts), values, option_words(before),
                     joined(names), cases);
}

}  // namespace dragoman::cli
