// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/suggest.hpp"

namespace dragoman::cli {
namespace {

struct Row {
  std::string left;
  std::string right;
};

// Two columns. A left side that is too long gets a line of its own.
std::string table(const std::vector<Row>& rows) {
  constexpr std::size_t kWidest = 26;
  std::size_t width = 0;
  for (const Row& row : rows) {
    const std::size_t length = utf8::count(row.left);
    if (length <= kWidest) width = std::max(width, length);
  }
  std::string out;
  for (const Row& row : rows) {
    const std::size_t length = utf8::count(row.left);
    out += "  " + row.left;
    out +=
        length > width ? "\n" + std::string(width + 4, ' ') : std::string(width + 2 - length, ' ');
    out += row.right + "\n";
  }
  return out;
}

std::string usage(const CommandSpec& spec) {
  std::string line = "dragoman " + spec.name;
  if (!spec.options.empty()) line += " [OPTIONS]";
  for (const ArgumentSpec& argument : spec.arguments) {
    const std::string name = argument.name + (argument.many ? "…" : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  if (!spec.behind_dashes.empty()) line += fmt::format(" [-- {}]", spec.behind_dashes);
  return line;
}

Row option_row(const OptionSpec& option) {
  std::string left = option.letter == 0 ? fmt::format("    --{}", option.name)
                                        : fmt::format("-{}, --{}", option.letter, option.name);
  if (!option.value.empty()) left += " " + option.value;
  std::string right = option.help;
  if (!option.choices.empty()) right += fmt::format(": {}", listed(option.choices));
  return {std::move(left), std::move(right)};
}

std::vector<Row> argument_rows(const CommandSpec& spec) {
  std::vector<Row> rows;
  for (const ArgumentSpec& argument : spec.arguments) {
    std::string right = argument.help;
    if (!argument.choices.empty()) right += ": " + listed(argument.choices);
    rows.push_back({argument.name, std::move(right)});
  }
  return rows;
}

// The options that are not this command's own, in short: "-q, -v, --color WHEN".
std::string everywhere(const CommandSpec& spec) {
  std::string out;
  for (const OptionSpec& option : everywhere_options()) {
    const bool own = std::ranges::any_of(spec.options, [&option](const OptionSpec& one) {
      return one.name == option.name && !one.everywhere;
    });
    if (own) continue;
    if (!out.empty()) out += ", ";
    out += option.letter != 0 ? fmt::format("-{}", option.letter) : "--" + option.name;
    if (!option.value.empty()) out += " " + option.value;
  }
  return out;
}

// `prefix` is what the names of all candidates begin with.
int no_such(const std::string& name, std::string_view prefix,
            const std::vector<CommandSpec>& candidates, Console& console) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const CommandSpec& command : candidates) names.push_back(command.name.substr(prefix.size()));
  return console.fail(fmt::format("help: no command '{}'", printable(name)),
                      did_you_mean(std::string_view(name).substr(prefix.size()), names));
}

int run_help(const Invocation& invocation, Console& console) {
  if (invocation.arguments().empty()) {
    console.out().write(overview(console));
    return kOk;
  }
  const std::string& name = invocation.arguments()[0];
  const CommandSpec* spec = find_command_spec(name);
  if (spec == nullptr) return no_such(name, "", all_commands(), console);
  if (invocation.arguments().size() > 1) {
    const std::string part_name = name + " " + invocation.arguments()[1];
    const auto part = std::find_if(spec->parts.begin(), spec->parts.end(),
                                   [&](const CommandSpec& p) { return p.name == part_name; });
    if (part == spec->parts.end()) return no_such(part_name, name + " ", spec->parts, console);
    spec = &*part;
  }
  console.out().write(help_for(*spec, console));
  return kOk;
}

}  // namespace

std::string overview(const Console& console) {
  std::vector<Row> rows;
  for (const CommandSpec& command : all_commands()) rows.push_back({command.name, command.summary});
  std::vector<Row> global = {{"    --version", "the version; --version --json as JSON"},
                             {"-h, --help", "this list; after a command, that command"}};
  for (const OptionSpec& option : everywhere_options()) global.push_back(option_row(option));
  return fmt::format(
      "dragoman stands between coding agents and the people and programs that work with them.\n\n"
      "{}  dragoman COMMAND [OPTIONS] [ARGUMENTS]\n\n{}\n{}\n{}\n{}"
      "\nData goes to stdout, talk to stderr; '-' is stdin. NO_COLOR and CLICOLOR_FORCE are "
      "heeded.\n"
      "'dragoman help COMMAND' explains a command and its options.\n",
      console.styled(Style::bold, "usage:"), console.styled(Style::bold, "commands:"), table(rows),
      console.styled(Style::bold, "options:"), table(global));
}

std::string help_for(const CommandSpec& spec, const Console& console) {
  std::string out = fmt::format("{}\n\n{}  {}\n", spec.summary,
                                console.styled(Style::bold, "usage:"), usage(spec));
  if (!spec.details.empty()) out += "\n" + spec.details + "\n";
  const auto section = [&](std::string_view title, const std::vector<Row>& rows) {
    if (rows.empty()) return;
    out += fmt::format("\n{}\n{}", console.styled(Style::bold, title), table(rows));
  };
  std::vector<Row> parts;
  parts.reserve(spec.parts.size());
  for (const CommandSpec& part : spec.parts) parts.push_back({part.name, part.summary});
  section("kinds:", parts);
  section("arguments:", argument_rows(spec));
  std::vector<Row> options;
  for (const OptionSpec& option : spec.options) {
    if (!option.everywhere && !option.hidden) options.push_back(option_row(option));
  }
  section("options:", options);
  if (!spec.examples.empty()) {
    out += fmt::format("\n{}\n", console.styled(Style::bold, "examples:"));
    for (const std::string& example : spec.examples) out += "  " + example + "\n";
  }
  out += fmt::format("\n{} {}\n", console.styled(Style::bold, "everywhere:"), everywhere(spec));
  return out;
}

CommandSpec help_command() {
  return {"help",
          "what a command does and which options it takes",
          "",
          {color_option()},
          {{"COMMAND", "a command; for emit also the kind: 'help emit status'", false, true}},
          {"dragoman help parse"},
          run_help};
}

}  // namespace dragoman::cli
