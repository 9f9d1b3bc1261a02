// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <fmt/format.h>

#include "dragoman/cli/completion.hpp"

namespace dragoman::cli {
namespace {

std::string bash_words(const std::vector<std::string>& words) {
  return joined(std::vector<std::string_view>(words.begin(), words.end()));
}

std::string option_words(const std::vector<OptionSpec>& options) {
  std::vector<std::string> words = {"--help"};
  for (const OptionSpec& option : options) {
    if (option.hidden) continue;
    words.push_back("--" + option.name);
    if (option.letter != 0) words.push_back(fmt::format("-{}", option.letter));
  }
  return bash_words(words);
}

// What may follow an option that takes a value.
std::string value_cases(const std::string& command, const std::vector<OptionSpec>& options) {
  std::string out;
  for (const OptionSpec& option : options) {
    if (option.value.empty()) continue;
    const auto words = offered_words(option);
    const std::string what =
        !words.empty()
            ? fmt::format("_dragoman_{} '{}'", option.lists ? "list" : "words", joined(words))
        : option.live != Live::none ? fmt::format("_dragoman_live {}", name(option.live))
        : option.takes_directory    ? "_dragoman_directories"
        : option.takes_file         ? "_dragoman_files"
                                    : ":";
    out += fmt::format("    '{} --{}') {}; return ;;\n", command, option.name, what);
  }
  return out;
}

std::string part_words(const CommandSpec& command) {
  std::vector<std::string> names;
  names.reserve(command.parts.size());
  for (const CommandSpec& part : command.parts) {
    names.push_back(part.name.substr(command.name.size() + 1));
  }
  return fmt::format("_dragoman_words '{}'", bash_words(names));
}

std::string argument_case(const CommandSpec& command) {
  std::string what = ":";
  if (!command.parts.empty()) {
    what = part_words(command);
  } else if (!command.arguments.empty()) {
    const ArgumentSpec& first = command.arguments.front();
    if (const auto words = offered_words(first); !words.empty()) {
      what = fmt::format("_dragoman_words '{}'", joined(words));
    }
    const bool live = first.live != Live::none;
    if (live) what = fmt::format("_dragoman_live {}", name(first.live));
    if (first.takes_file) what = live ? "_dragoman_files; " + what : "_dragoman_files";
  }
  return fmt::format("    '{}') options='{}'; arguments=\"{}\" ;;\n", command.name,
                     option_words(command.options), what);
}

// What is the same for every table of commands. bash ends words at '=' too: "--to=ot" comes as
// three of them.
constexpr std::string_view kHelpers =
    R"(# bash completion for dragoman; put it where bash-completion looks, or:
#   source <(dragoman completion bash)
_dragoman_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_dragoman_list() {
  local before=''
  if [[ $cur == *,* ]]; then before=${cur%,*},; fi
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}
_dragoman_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
_dragoman_directories() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); }
# Ids with titles where several fit; beside files, and where a key steps through them, ids alone.
_dragoman_live() {
  local line found=() bare=${#COMPREPLY[@]}
  case ${COMP_TYPE-} in 37 | 42) bare=1 ;; esac
  while IFS= read -r line; do
    if [[ $line == "$cur"* ]]; then found+=("$line"); fi
  done < <("${COMP_WORDS[0]}" completion bash --of "$1" 2>/dev/null)
  if ((${#found[@]} == 1)); then bare=1; fi
  for line in "${found[@]}"; do
    if ((bare)); then line=${line%%$'\t'*}; else line=${line/$'\t'/  }; fi
    COMPREPLY+=("$line")
  done
}
_dragoman_behind() {
  if declare -F _command_offset >/dev/null; then _command_offset "$1"; return; fi
  local kind=f
  if ((COMP_CWORD == $1)); then kind=c; fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "-$kind" -- "$cur")
}
_dragoman() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' options arguments i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)";

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  const auto& before = everywhere_options();
  std::string values = value_cases("", before);
  std::string cases;
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CommandSpec& command : commands) {
    names.push_back(command.name);
    values += value_cases(command.name, command.options);
    cases += argument_case(command);
    for (const CommandSpec& part : command.parts) {
      values += value_cases(part.name, part.options);
      cases += argument_case(part);
    }
    if (!command.parts.empty()) {
      cases += fmt::format("    'help {}') options='--help'; arguments=\"{}\" ;;\n", command.name,
                           part_words(command));
    }
  }
  return std::string(kHelpers) + fmt::format(R"(      {})
        ((i++))
        if [[ ${{COMP_WORDS[i]}} == '=' ]]; then ((i++)); fi
        ;;
      -*) ;;
      *)
        command=${{command:+$command }}${{COMP_WORDS[i]}}
        [[ '|{}|' == *"|$command|"* ]] || break
        ;;
    esac
  done
  for ((; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == -- && '|{}|' == *"|$command|"* ]]; then
      _dragoman_behind $((i + 1))
      return
    fi
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
                                             fmt::join(options_in_front(commands), " | "),
                                             fmt::join(unfinished_names(commands), "|"),
                                             fmt::join(names_of_starters(commands), "|"), values,
                                             option_words(before), bash_words(names), cases);
}

}  // namespace dragoman::cli
