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

// When the words so far are the name of the command; "": when there is none yet.
std::string condition(const std::string& name) { return fmt::format("__dragoman_at \"{}\"", name); }

// Functions that the conditions ask. The words of a list are quoted: names have blanks.
std::string functions(const std::vector<CommandSpec>& commands) {
  const auto quoted = [](const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out.append(" ").append(fish_quoted(name));
    return out;
  };
  return fmt::format(R"(function __dragoman_at -a wanted
    set -l name
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
        else if contains -- $word{}
            set value 1
        else if not string match -q -- '-*' $word
            set -a name $word
            contains -- "$name"{}; or break
        end
    end
    test "$name" = "$wanted"
end
function __dragoman_live
    set -l words (commandline -opc)
    command -q $words[1]; and $words[1] completion fish --of $argv 2>/dev/null
end
function __dragoman_behind
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words); or return
    set -e words[1..$at]
    complete -C (string join -- ' ' (string escape -- $words) (commandline -ct))
end
)",
                     quoted(options_in_front(commands)), quoted(unfinished_names(commands)));
}

// In the order in which the program gives them.
std::string live_words(Live live) {
  return fmt::format(" -k -a '(__dragoman_live {})'", name(live));
}

std::string option_line(const std::string& when, const OptionSpec& option) {
  std::string line =
      fmt::format("complete -c dragoman -n {} -l {}", fish_quoted(when), option.name);
  if (option.letter != 0) line += fmt::format(" -s {}", option.letter);
  const bool any_file = option.takes_file && !option.takes_directory;
  if (!option.value.empty()) line += any_file ? " -r -F" : " -x";
  std::string before;
  if (option.live != Live::none) {
    line += live_words(option.live);
  } else if (option.takes_directory) {
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
    if (argument.live != Live::none)
      out += fmt::format("complete -c dragoman -n {}{}\n", fish_quoted(when),
                         live_words(argument.live));
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
  const std::string nowhere = fish_quoted(condition(""));
  std::string out =
      "# fish completion for dragoman; put it into ~/.config/fish/completions/dragoman.fish\n" +
      functions(commands) +
      fmt::format(
          "complete -c dragoman -f\n"
          "complete -c dragoman -l help -s h -d 'explain a command'\n"
          "complete -c dragoman -n {} -l version -d 'the version'\n",
          nowhere);
  for (const OptionSpec& option : everywhere_options()) out += option_line(condition(""), option);
  for (const CommandSpec& command : commands) {
    out += fmt::format("complete -c dragoman -n {} -a {} -d {}\n", nowhere, command.name,
                       fish_quoted(command.summary));
    for (const CommandSpec& part : command.parts) {
      const std::string name = part.name.substr(command.name.size() + 1);
      for (const std::string& before : {command.name, "help " + command.name}) {
        out += fmt::format("complete -c dragoman -n {} -a {} -d {}\n",
                           fish_quoted(condition(before)), name, fish_quoted(part.summary));
      }
      out += lines_of(part);
    }
    out += lines_of(command);
  }
  for (const std::string& name : names_of_starters(commands)) {
    out += fmt::format("complete -c dragoman -n {} -a '(__dragoman_behind)'\n",
                       fish_quoted(condition(name)));
  }
  return out;
}

}  // namespace dragoman::cli
