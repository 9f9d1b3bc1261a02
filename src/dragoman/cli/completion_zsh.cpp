// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/cli/completion.hpp"

namespace dragoman::cli {
namespace {

// Inside '…' and inside the brackets and colons of _arguments.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == ':' || c == '[' || c == ']' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string action(const std::vector<std::string_view>& choices, bool takes_file) {
  if (!choices.empty()) return fmt::format("({})", joined(choices));
  return takes_file ? "_files" : " ";
}

std::string action(Live live, bool takes_file) {
  return fmt::format("{} {}", takes_file ? "_dragoman_files_or" : "_dragoman_live", name(live));
}

std::string action(const OptionSpec& option) {
  const auto words = offered_words(option);
  if (option.live != Live::none) return action(option.live, option.takes_file);
  if (option.lists) return fmt::format("_values -s , word {}", joined(words));
  if (option.takes_directory) return "_files -/";
  return action(words, option.takes_file);
}

std::string option_line(const OptionSpec& option) {
  const std::string value = option.value.empty()
                                ? std::string()
                                : fmt::format(":{}:{}", zsh_quoted(option.value), action(option));
  // With its value behind '=' or as the next word.
  const std::string name = "--" + option.name + (option.value.empty() ? "" : "=");
  const std::string names = option.letter == 0
                                ? fmt::format("'{}{}", option.repeatable ? "*" : "", name)
                                : fmt::format("{{-{},{}}}'", option.letter, name);
  return fmt::format("        {}[{}]{}' \\\n", names, zsh_quoted(option.help), value);
}

std::string argument_line(const ArgumentSpec& argument) {
  return fmt::format("        '{}:{}:{}' \\\n", argument.many ? "*" : "", zsh_quoted(argument.name),
                     argument.live != Live::none
                         ? action(argument.live, argument.takes_file)
                         : action(offered_words(argument), argument.takes_file));
}

std::string function_name(const CommandSpec& command) {
  std::string name = "_dragoman_" + command.name;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

std::string arguments_of(const CommandSpec& command) {
  std::string out;
  if (command.behind_dashes == "CMD…")
    out += "      if (($words[(i)--] < CURRENT)); then _dragoman_behind; return; fi\n";
  out += "      _arguments -s \\\n        '(- *)--help[explain the command]' \\\n";
  for (const OptionSpec& option : command.options) {
    if (!option.hidden) out += option_line(option);
  }
  if (command.name == "help") out += "        '2:PART:_dragoman_help_parts' \\\n";
  for (const ArgumentSpec& argument : command.arguments) out += argument_line(argument);
  out.resize(out.size() - 3);  // the last backslash
  return out + "\n";
}

// The second word behind help. It is called where $words begins with the command.
std::string help_parts(const std::vector<CommandSpec>& commands) {
  std::string cases;
  for (const CommandSpec& command : commands) {
    if (command.parts.empty()) continue;
    std::string names;
    for (const CommandSpec& part : command.parts) names += part.name.substr(command.name.size());
    cases += fmt::format("    {}) compadd --{} ;;\n", command.name, names);
  }
  return fmt::format("_dragoman_help_parts() {{\n  case $words[2] in\n{}  esac\n}}\n", cases);
}

std::string description_list(const std::vector<CommandSpec>& commands, std::size_t skip) {
  std::string out;
  for (const CommandSpec& command : commands) {
    out += fmt::format("      '{}:{}'\n", zsh_quoted(command.name.substr(skip)),
                       zsh_quoted(command.summary));
  }
  return out;
}

// A list of commands to choose from, then the options of the chosen one. `options` stand before.
std::string chooser(const std::string& function, const std::vector<CommandSpec>& commands,
                    std::size_t skip, const std::vector<OptionSpec>& options) {
  std::string before;
  for (const OptionSpec& option : options) before += option_line(option);
  std::string cases;
  for (const CommandSpec& command : commands) {
    cases += fmt::format("    {}) {} ;;\n", command.name.substr(skip), function_name(command));
  }
  return fmt::format(R"({}() {{
  local line state
  _arguments -C \
{}        '(- *)--help[explain]' '1: :->command' '*::arg:->arguments'{}
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands
      ;;
    arguments)
      case $line[1] in
{}      esac
      ;;
  esac
}}
)",
                     function, before, skip == 0 ? " '(- *)--version[the version]'" : "",
                     description_list(commands, skip), cases);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandSpec>& commands) {
  std::string out =
      "#compdef dragoman\n# zsh completion for dragoman; put it into a directory of $fpath as "
      "_dragoman.\n"
      "_dragoman_live() {\n"
      "  local -a found=(${(f)\"$(dragoman completion zsh --of $1 2>/dev/null)\"})\n"
      "  _describe -V $1 found\n}\n"
      "_dragoman_files_or() { _alternative 'files:file:_files' \"$1:$1:_dragoman_live $1\" }\n"
      // Somebody else's command line begins there.
      "_dragoman_behind() {\n  local -i dashes=$words[(i)--]\n"
      "  shift dashes words\n  ((CURRENT -= dashes))\n  _normal\n}\n";
  for (const CommandSpec& command : commands) {
    for (const CommandSpec& part : command.parts) {
      out += fmt::format("{}() {{\n{}}}\n", function_name(part), arguments_of(part));
    }
    out += command.parts.empty()
               ? fmt::format("{}() {{\n{}}}\n", function_name(command), arguments_of(command))
               : chooser(function_name(command), command.parts, command.name.size() + 1,
                         command.options);
  }
  out += help_parts(commands) + chooser("_dragoman", commands, 0, everywhere_options());
  return out +
         "if [[ $funcstack[1] == _dragoman ]]; then _dragoman \"$@\"; else compdef _dragoman "
         "dragoman; fi\n";
}

}  // namespace dragoman::cli
