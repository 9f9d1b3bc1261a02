// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/help_rows.hpp"

#include <fmt/format.h>

#include "dragoman/base/words.hpp"

namespace dragoman::cli {

std::string usage_of(const CommandSpec& spec) {
  std::string line = "dragoman " + spec.name;
  if (!spec.usage.empty()) return line + " " + spec.usage;
  for (const OptionSpec& option : spec.options) {
    if (option.required) line += fmt::format(" --{} {}", option.name, option.value);
  }
  if (!spec.options.empty()) line += " [OPTIONS]";
  for (const ArgumentSpec& argument : spec.arguments) {
    const std::string name = argument.name + (argument.many ? "…" : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  if (!spec.behind_dashes.empty()) line += fmt::format(" [-- {}]", spec.behind_dashes);
  return line;
}

HelpRow option_row(const OptionSpec& option) {
  std::string left = option.letter == 0 ? fmt::format("    --{}", option.name)
                                        : fmt::format("-{}, --{}", option.letter, option.name);
  if (!option.value.empty()) left += " " + option.value;
  std::string right = option.help;
  if (!option.choices.empty()) right += fmt::format(": {}", listed(option.choices));
  return {std::move(left), std::move(right)};
}

std::vector<HelpRow> option_rows(const CommandSpec& spec) {
  std::vector<HelpRow> rows;
  for (const OptionSpec& option : spec.options) {
    if (!option.everywhere && !option.hidden) rows.push_back(option_row(option));
  }
  return rows;
}

std::vector<HelpRow> argument_rows(const CommandSpec& spec) {
  std::vector<HelpRow> rows;
  for (const ArgumentSpec& argument : spec.arguments) {
    std::string right = argument.help;
    if (!argument.choices.empty()) right += ": " + listed(argument.choices);
    rows.push_back({argument.name, std::move(right)});
  }
  return rows;
}

std::vector<HelpRow> part_rows(const CommandSpec& spec) {
  std::vector<HelpRow> rows;
  rows.reserve(spec.parts.size());
  for (const CommandSpec& part : spec.parts) rows.push_back({part.name, part.summary});
  return rows;
}

}  // namespace dragoman::cli
