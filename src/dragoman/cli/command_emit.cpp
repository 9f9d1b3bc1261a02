// SPDX-License-Identifier: Apache-2.0
// dragoman emit: one marker, for scripts that speak a dialect.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/dialect/emit.hpp"

namespace dragoman::cli {
namespace {

std::string kind_of(const CommandSpec& spec) { return spec.name.substr(spec.name.find(' ') + 1); }

// Each field as it was given: by its name, or where it may stand without one.
std::vector<EmitArgument> given(const Invocation& invocation, const EmitKind& kind) {
  std::vector<EmitArgument> out;
  for (const EmitField& field : kind.fields) {
    const std::string name(field.name);
    if (field.type == EmitType::boolean && invocation.has(name) &&
        invocation.values(name).empty()) {
      out.push_back({name, "true"});
    }
    for (const std::string& value : invocation.values(name)) out.push_back({name, value});
    if (!field.positional) continue;
    for (const std::string& value : invocation.arguments()) out.push_back({name, value});
  }
  return out;
}

// Errors begin with the field they are about. People know it as an option.
std::string as_typed(const EmitKind& kind, const std::string& message) {
  const std::string field = message.substr(0, message.find(':'));
  const bool known = std::ranges::find(kind.fields, field, &EmitField::name) != kind.fields.end();
  return known ? "--" + message : message;
}

int run_emit_kind(const Invocation& invocation, Console& console) {
  const std::string name = kind_of(invocation.spec());
  const EmitKind* const kind = find_emit_kind(name);
  if (kind == nullptr) return console.fail(fmt::format("emit: no kind '{}'", name));
  std::optional<Target> dialect;
  if (const auto wanted = invocation.value("dialect")) dialect = target_named(*wanted);
  const auto marker = emit(name, given(invocation, *kind), dialect);
  if (!marker) {
    const std::string message = as_typed(*kind, marker.error().message);
    return console.fail(fmt::format("emit {}: {}", name, printable(message)),
                        fmt::format("see 'dragoman help emit {}'", name),
                        marker.error().reason == kMisused ? kUsage : kFindings);
  }
  console.out().write(*marker);
  if (!marker->ends_with('\n')) console.out().write("\n");
  return kOk;
}

int run_emit(const Invocation& invocation, Console& console) {
  std::vector<std::string> names;
  for (const EmitKind& kind : emit_kinds()) names.emplace_back(kind.name);
  const std::string& word = invocation.arguments()[0];
  const std::string meant = did_you_mean(word, names);
  return console.fail(fmt::format("emit: no kind '{}'", printable(word)),
                      meant.empty() ? "see 'dragoman help emit'" : meant);
}

// What the help calls the value of a field.
std::string_view value_of(EmitType type) {
  switch (type) {
    case EmitType::number:
      return "N";
    case EmitType::boolean:
      return "BOOL";
    case EmitType::choice:
      return "WORD";
    case EmitType::text:
    case EmitType::list:
      break;
  }
  return "TEXT";
}

// A command of the catalogue, though agents may use others; a tool's command is a shell's.
bool names_command(const EmitField& field) {
  return field.name == "after" || (field.name == "command" && field.positional);
}

std::vector<std::string_view> error_codes() {
  std::vector<std::string_view> codes;
  for (const CatalogError& error : error_catalog()) codes.push_back(error.code);
  return codes;
}

OptionSpec option_of(const EmitField& field) {
  OptionSpec option{std::string(field.name), std::string(value_of(field.type)),
                    std::string(field.help)};
  if (field.type == EmitType::boolean) option.choices = {"true", "false"};
  if (field.type == EmitType::choice)
    option.choices.assign(field.choices.begin(), field.choices.end());
  option.refusal = kFindings;  // the words are the dialect's
  option.repeatable = field.type == EmitType::list;
  if (names_command(field)) option.offers = catalog_names;
  if (field.name == "code") option.offers = error_codes;
  if (field.required) option.help += " (required)";
  return option;
}

std::vector<std::string_view> names_of(std::span<const Target> dialects) {
  std::vector<std::string_view> names;
  for (const Target dialect : dialects) names.push_back(name(dialect));
  return names;
}

// All that have a marker for some kind.
std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const EmitKind& kind : emit_kinds()) {
    for (const std::string_view dialect : names_of(kind.dialects)) {
      if (std::ranges::find(names, dialect) == names.end()) names.push_back(dialect);
    }
  }
  return names;
}

OptionSpec dialect_option(std::vector<std::string_view> dialects) {
  return {"dialect", "DIALECT", "whose marker, where several dialects have one",
          std::move(dialects)};
}

CommandSpec part_of(const EmitKind& kind) {
  CommandSpec part;
  part.name = fmt::format("emit {}", kind.name);
  part.summary = kind.help;
  part.run = run_emit_kind;
  for (const EmitField& field : kind.fields) {
    part.options.push_back(option_of(field));
    if (!field.positional) continue;
    std::string upper(field.name);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c == '-' ? '_' : ascii::upper(c); });
    part.arguments.push_back({.name = upper,
                              .help = fmt::format("the same as --{}", field.name),
                              .many = field.type == EmitType::list,
                              .offers = names_command(field) ? catalog_names : nullptr});
  }
  part.options.push_back(dialect_option(names_of(kind.dialects)));
  part.options.push_back(color_option());
  return part;
}

}  // namespace

CommandSpec emit_command() {
  CommandSpec spec{
      "emit",
      "one marker of a dialect with its human-readable line",
      "'dragoman help emit KIND' lists the fields of a kind. What the dialect forbids, a field "
      "that\n"
      "is missing and a value that a field cannot have, is refused with exit code 3; options that\n"
      "nobody knows, are given twice or do not go together with 2. Nothing is written then.",
      {dialect_option(dialect_names()), color_option()},
      {{"KIND", "what to emit", true, true}},
      {"dragoman emit header --command execute-phase --args 3",
       "dragoman emit status --status in_progress --progress 25 'Executing wave 1 of 2'",
       "dragoman emit progress 'Reading the tests'",
       "dragoman emit question 'Which store?' --option 'SQLite - one file' --option Postgres"},
      run_emit};
  for (const EmitKind& kind : emit_kinds()) spec.parts.push_back(part_of(kind));
  spec.usage = "KIND [OPTIONS] [ARGUMENTS]";
  return spec;
}

}  // namespace dragoman::cli
