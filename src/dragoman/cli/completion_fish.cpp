// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dragoman/cli/completion.hpp"

namespace dragoman::cli {
namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "'";
}

// When the words so far are those of the command.
std::string condition(const std::string& name) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string::npos) return fmt::format("__fish_seen_subcommand_from {}", name);
  return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                     name.substr(0, blank), name.substr(blank + 1));
}

std::string option_line(const std::string& when, const OptionSpec& option) {
  std::string line =
      fmt::format("complete -c dragoman -n {} -l {}", fish_quoted(when), option.name);
  if (option.letter != 0) line += fmt::format(" -s {}", option.letter);
  const bool any_file = option.takes_file && !option.takes_directory;
  if (!option.value.empty()) line += any_file ? " -r -F" : " -x";
  std::string before;
  if (option.takes_directory) {
    line += " -a '(__fish_complete_directories)'";
  } else if (const auto words = offered_words(option); option.lists) {
    before =
        fmt::format("function __dragoman_{}; printf '%s\\n' {}; end\n", option.name, joined(words));
    line += fmt::format(" -a '(__fish_complete_list , __dragoman_{})'", option.name);
  } else if (!words.empty()) {
    line += " -a " + fish_quoted(joined(words));
  }
  return before + line + " -d " + fish_quoted(option.help) + "\n";
}

std::string lines_of(const CommandSpec& command) {
  const std::string when = condition(command.name);
  std::string out;
  for (const OptionSpec& option : command.options) {
    if (!option.hidden) out += option_line(when, option);
  }
  for (const ArgumentSpec& argument : command.arguments) {
    if (argument.takes_file) {
      out += fmt::format("complete -c dragoman -n {} -F\n", fish_quoted(when));
    } else if (const auto words = offered_words(argument); !words.empty()) {
      out += fmt::format("complete -c dragoman -n {} -a {}\n", fish_quoted(when),
                         fish_quoted(joined(words)));
    }
  }
  return out;
}

}  // namespace

std::string fish_completion(const std::vector<CommandSpec>& commands) {
  std::string out =
      "# fish completion for dragoman; put it into ~/.config/fish/completions/dragoman.fish\n"
      "complete -c dragoman -f\n"
      "complete -c dragoman -l help -s h -d 'explain a command'\n"
      "complete -c dragoman -n __fish_use_subcommand -l version -d 'the version'\n";
  for (const OptionSpec& option : everywhere_options())
    out += option_line("__fish_use_subcommand", option);
  for (const CommandSpec& command : commands) {
    out += fmt::format("complete -c dragoman -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_quoted(command.summary));
    std::string kinds;
    for (const CommandSpec& part : command.parts) {
      kinds.append(" ").append(part.name, command.name.size() + 1);
    }
    for (const CommandSpec& part : command.parts) {
      const std::string name = part.name.substr(command.name.size() + 1);
      out += fmt::format("complete -c dragoman -n {} -a {} -d {}\n",
                         fish_quoted(fmt::format("__fish_seen_subcommand_from {}; and not "
                                                 "__fish_seen_subcommand_from{}",
                                                 command.name, kinds)),
                         name, fish_quoted(part.summary));
      out += lines_of(part);
    }
    out += lines_of(command);
  }
  return out;
}

}  // namespace dragoman::cli
