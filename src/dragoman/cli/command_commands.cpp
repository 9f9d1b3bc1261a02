// SPDX-License-Identifier: Apache-2.0
// dragoman commands: the WXCODE command catalogue.
#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::cli {
namespace {

void put_list(json::Writer& w, std::string_view key, std::span<const std::string_view> words) {
  w.key(key).begin_array();
  for (const std::string_view word : words) w.string(word);
  w.end_array();
}

std::string_view key_of(const ConditionalNext& row) {
  return row.outcome == CommandOutcome::gaps ? "next_after_gaps" : "next_after_success";
}

void put_command(json::Writer& w, const CatalogCommand& command) {
  w.begin_object();
  w.key("command").string(command.name).key("title").string(command.title);
  put_list(w, "status", command.status.view());
  put_list(w, "next", command.next.view());
  for (const ConditionalNext& row : conditional_next_actions()) {
    if (row.command == command.name) put_list(w, key_of(row), row.next.view());
  }
  w.end_object();
}

void print_table(Console& console) {
  for (const CatalogCommand& command : command_catalog()) {
    std::string line = fmt::format("{:<24} {:<24}", command.name, command.title);
    const auto next = command.next.view();
    if (!next.empty()) line += fmt::format(" → {}", fmt::join(next, " or "));
    while (line.back() == ' ') line.pop_back();
    console.out().write(line + "\n");
  }
}

void print_one(const CatalogCommand& command, Console& console) {
  const auto row = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) console.out().write(fmt::format("{:<8} {}\n", label, text));
  };
  row("command", fmt::format("/wxcode:{}", command.name));
  row("title", fmt::format("WXCODE ▶ {}", command.title));
  row("status", fmt::format("{}", fmt::join(command.status.view(), " · ")));
  row("next", fmt::format("{}", fmt::join(command.next.view(), " or ")));
  for (const ConditionalNext& one : conditional_next_actions()) {
    if (one.command != command.name) continue;
    row(one.outcome == CommandOutcome::gaps ? "gaps" : "success",
        fmt::format("{} ({})", fmt::join(one.next.view(), " or "), one.priority));
  }
}

int run_commands(const Invocation& invocation, Console& console) {
  const bool as_json = invocation.has("json");
  json::Writer w(console.out().buffer());
  if (invocation.arguments().empty()) {
    if (!as_json) {
      print_table(console);
      return kOk;
    }
    w.begin_array();
    for (const CatalogCommand& command : command_catalog()) put_command(w, command);
    w.end_array();
    console.out().write("\n");
    return kOk;
  }
  std::string_view wanted = invocation.arguments()[0];
  if (wanted.starts_with('/')) wanted.remove_prefix(1);
  if (wanted.starts_with("wxcode:")) wanted.remove_prefix(7);
  const CatalogCommand* const command = find_command(wanted);
  if (command == nullptr) {
    const auto names = catalog_names();
    const std::string meant = did_you_mean(wanted, {names.begin(), names.end()});
    return console.fail(
        fmt::format("commands: '{}' is not in the catalogue", printable(wanted)),
        meant.empty() ? "'dragoman commands' lists it; agents may use others as well" : meant);
  }
  if (!as_json) {
    print_one(*command, console);
    return kOk;
  }
  put_command(w, *command);
  console.out().write("\n");
  return kOk;
}

}  // namespace

std::vector<std::string_view> catalog_names() {
  std::vector<std::string_view> names;
  for (const CatalogCommand& command : command_catalog()) names.push_back(command.name);
  return names;
}

CommandSpec commands_command() {
  return {
      "commands",
      "the WXCODE command catalogue: title, status messages, next action",
      "X stands for the phase.",
      {json_option(), color_option()},
      {{.name = "NAME", .help = "one command, with or without /wxcode:", .offers = catalog_names}},
      {"dragoman commands", "dragoman commands plan-phase"},
      run_commands};
}

}  // namespace dragoman::cli
