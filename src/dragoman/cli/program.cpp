// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/words.hpp"
#include "dragoman/cli/arguments.hpp"
#include "dragoman/cli/help.hpp"
#include "dragoman/cli/screen.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::cli {
namespace {

bool is_word(const std::string& word) { return !word.starts_with('-') || word == "-"; }

// The command and what it is given. Options in front of the command belong to it as well:
// `dragoman --color never parse` is `dragoman parse --color never`.
struct CommandLine {
  std::vector<std::string> before;
  std::string command;
  std::vector<std::string> words;
};

// Whether the word is an option of the command, or of one of its parts, whose value is the next
// word.
bool takes_next(const CommandSpec& spec, const std::string& word) {
  const auto is_it = [&word](const OptionSpec& option) {
    return !option.value.empty() &&
           (word == "--" + option.name ||
            (option.letter != 0 && word == std::string{'-', option.letter}));
  };
  return std::ranges::any_of(spec.options, is_it) ||
         std::ranges::any_of(spec.parts,
                             [&word](const CommandSpec& part) { return takes_next(part, word); });
}

// An option in front of the command may be one of any command, but for our own.
bool takes_next(const std::string& word) {
  if (word == "--version" || word == "--help") return false;
  return std::ranges::any_of(all_commands(),
                             [&word](const CommandSpec& spec) { return takes_next(spec, word); });
}

CommandLine split(std::vector<std::string> words) {
  CommandLine line;
  std::size_t i = 0;
  for (; i < words.size() && !is_word(words[i]); ++i) {
    line.before.push_back(words[i]);
    if (takes_next(words[i]) && i + 1 < words.size()) line.before.push_back(words[++i]);
  }
  if (i < words.size()) line.command = words[i++];
  line.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return line;
}

bool has(const std::vector<std::string>& words, std::string_view one, std::string_view other,
         const CommandSpec* spec = nullptr) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == one || words[i] == other) return true;
    const bool takes = spec != nullptr ? takes_next(*spec, words[i]) : takes_next(words[i]);
    if (takes) ++i;  // the value of an option is nobody's option
  }
  return false;
}

int print_version(const CommandLine& line, std::string_view version, Console& console) {
  if (has(line.before, "--json", "--json")) {
    std::string& out = console.out().buffer();
    json::Writer w(out);
    w.begin_object();
    w.key("name").string("dragoman").key("version").string(version);
    w.end_object();
    out.push_back('\n');
  } else {
    console.out().write(fmt::format("dragoman {}\n", version));
  }
  return kOk;
}

// Colour counts for the complaint about the command line too, so it is looked for first.
void apply_color(const std::vector<std::string>& words, Console& console) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string_view value;
    if (words[i] == "--color" && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with("--color=")) value = std::string_view(words[i]).substr(8);
    if (const auto when = color_when_named(value)) console.set_color(*when);
  }
}

bool is_everywhere(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return std::ranges::any_of(everywhere_options(), [name](const OptionSpec& option) {
    return name == "--" + option.name ||
           (option.letter != 0 && name == std::string{'-', option.letter});
  });
}

int unknown_option(const std::string& word, Console& console) {
  std::vector<std::string> names = {"--version", "--help"};
  for (const OptionSpec& option : everywhere_options()) names.push_back("--" + option.name);
  const std::string meant = did_you_mean(word.substr(0, word.find('=')), names);
  return console.fail(fmt::format("unknown option '{}'", printable(word)),
                      meant.empty() ? "see 'dragoman help'" : meant);
}

int without_command(const CommandLine& line, std::string_view version, Console& console) {
  if (has(line.before, "--version", "-V")) return print_version(line, version, console);
  if (has(line.before, "--help", "-h")) {
    console.out().write(overview(console));
    return kOk;
  }
  if (!line.before.empty() && !is_everywhere(line.before[0]))
    return unknown_option(line.before[0], console);
  return console.fail("no command is given", "see 'dragoman help'");
}

// The first option that neither is taken everywhere nor belongs to any command.
const std::string* stranger_in(const std::vector<std::string>& before) {
  const auto known = [](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const auto is = [name](const OptionSpec& option) {
      return name == "--" + option.name ||
             (option.letter != 0 && name == std::string{'-', option.letter});
    };
    return is_everywhere(word) || word == "--version" || word == "--help" || word == "-h" ||
           std::ranges::any_of(all_commands(), [&is](const CommandSpec& command) {
             return std::ranges::any_of(command.options, is);
           });
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!known(before[i])) return &before[i];
    if (takes_next(before[i])) ++i;
  }
  return nullptr;
}

// `before`: the options in front of it. A value of one that nobody knows looks like a command.
int unknown_command(const std::string& word, const std::vector<std::string>& before,
                    Console& console) {
  if (const std::string* stranger = stranger_in(before)) return unknown_option(*stranger, console);
  std::vector<std::string> names;
  for (const CommandSpec& command : all_commands()) names.push_back(command.name);
  const std::string meant = did_you_mean(word, names);
  return console.fail(fmt::format("unknown command '{}'", printable(word)),
                      meant.empty() ? "see 'dragoman help'" : meant);
}

// The part of a command that the first word names: emit status.
const CommandSpec* part_of(const CommandSpec& spec, std::vector<std::string>& words) {
  auto first = words.begin();
  while (first != words.end() && !is_word(*first)) {
    if (takes_next(spec, *first) && first + 1 != words.end()) ++first;
    ++first;
  }
  if (first == words.end()) return nullptr;
  for (const CommandSpec& part : spec.parts) {
    if (part.name != spec.name + " " + *first) continue;
    words.erase(first);
    return &part;
  }
  return nullptr;
}

// How much is said on stderr: -q and -v, else what the environment wants.
void set_loudness(const Invocation& invocation, Console& console) {
  const bool told = invocation.has("quiet") || invocation.has("verbose");
  const std::string level = told ? "" : variable("DRAGOMAN_LOG");
  console.set_quiet(invocation.has("quiet") || level == "error");
  console.set_verbose(invocation.has("verbose") || level == "debug");
  static const std::vector<std::string_view> levels = {"error", "info", "debug"};
  if (level.empty() || std::ranges::find(levels, level) != levels.end()) return;
  console.warn(fmt::format("DRAGOMAN_LOG: '{}' is not {}", printable(level), listed(levels)));
}

}  // namespace

int run_program(std::vector<std::string> words, std::string_view version, Console& console) {
  apply_color(words, console);
  CommandLine line = split(std::move(words));
  if (line.command.empty()) return without_command(line, version, console);
  const CommandSpec* spec = find_command_spec(line.command);
  if (spec == nullptr) return unknown_command(line.command, line.before, console);
  line.words.insert(line.words.begin(), line.before.begin(), line.before.end());
  if (const CommandSpec* part = part_of(*spec, line.words)) spec = part;
  if (has(line.words, "--help", "-h", spec)) {
    console.out().write(help_for(*spec, console));
    return kOk;
  }
  const auto parsed = parse_arguments(*spec, std::move(line.words));
  if (const auto* const error = std::get_if<UsageError>(&parsed)) {
    return console.fail(error->message, error->hint, error->exit_code);
  }
  const auto& invocation = std::get<Invocation>(parsed);
  if (invocation.has("quiet") && invocation.has("verbose")) {
    return console.fail(fmt::format("{}: --quiet and --verbose contradict each other", spec->name),
                        fmt::format("see 'dragoman help {}'", spec->name));
  }
  set_loudness(invocation, console);
  return spec->run(invocation, console);
}

}  // namespace dragoman::cli
