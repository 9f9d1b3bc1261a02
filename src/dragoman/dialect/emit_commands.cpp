// SPDX-License-Identifier: Apache-2.0
// Events about WXCODE commands, filled from the command catalogue.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/dialect/command_catalog.hpp"
#include "dragoman/dialect/emit_events.hpp"
#include "dragoman/dialect/refused.hpp"

namespace dragoman {
namespace {

using std::string_view;

string_view command_in(const EmitArguments& a, string_view field) {
  return bare_command(a.text(field));
}

// The words of `args`, with "03" as the number that it is to people. JSON has no such numbers, and
// the catalogue reads them as JSON does.
std::string with_plain_numbers(string_view args) {
  std::string out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool begins = i == 0 || args[i - 1] == ' ';
    const string_view word = args.substr(i, args.substr(i).find(' '));
    const auto number = [](char c) { return ascii::is_digit(c) || c == '.'; };
    if (begins && std::ranges::all_of(word, number)) {
      while (i + 1 < args.size() && args[i] == '0' && ascii::is_digit(args[i + 1])) ++i;
    }
    out.push_back(args[i]);
  }
  return out;
}

// What is given has to say something.
Result<void> refuse_blank(string_view field, string_view value) {
  if (value.data() == nullptr || !ascii::is_blank(value)) return {};
  return refused(fmt::format("{}: is empty", field));
}

// What the documents suggest after a command, of which the caller may have named one.
Result<CatalogAction> suggested(const EmitArguments& a, string_view after, string_view command) {
  const auto outcome = command_outcome_named(a.text("outcome")).value_or(CommandOutcome::unstated);
  const std::string args = with_plain_numbers(a.text("after-args"));
  const auto actions = next_actions_for(after, args, outcome);
  const bool unstated = actions.empty() && outcome == CommandOutcome::unstated;
  if (unstated && !next_actions_for(after, args, CommandOutcome::gaps).empty()) {
    return refused(fmt::format(
        "outcome: is missing, and what the documents suggest after '{}' depends on it", after));
  }
  if (actions.empty())
    return refused(fmt::format("after: the documents suggest nothing after '{}'", after));
  if (command.data() == nullptr) return actions.front();
  const auto meant = std::ranges::find(actions, command, &CatalogAction::command);
  if (meant != actions.end()) return *meant;
  std::vector<string_view> names;
  names.reserve(actions.size());
  for (const CatalogAction& action : actions) names.emplace_back(action.command);
  return misused(fmt::format("after: behind '{}' the documents suggest {}, not '{}'", after,
                             fmt::join(names, " or "), command));
}

}  // namespace

Result<Payload> emit_header(const EmitArguments& a) {
  CommandStarted p;
  p.command = command_in(a, "command");
  p.args = a.text("args").data() != nullptr ? a.text("args") : string_view("");
  p.title = a.text("title");
  DRAGOMAN_CHECK(refuse_blank("command", p.command));
  DRAGOMAN_CHECK(refuse_blank("title", p.title));
  p.phase = a.number("phase");
  p.plan = a.text("plan");
  // What --phase says goes before a number in the arguments, in the title as well.
  const std::string phase =
      p.phase ? std::string(a.text("phase")) : with_plain_numbers(a.text("args"));
  if (p.title.data() == nullptr) {
    const auto title = title_for(p.command, phase);
    if (!title) {
      return refused(
          fmt::format("title: is missing, and the catalogue has none for '{}'", p.command));
    }
    p.title = a.arena().copy(string_view(*title));
  }
  const CatalogCommand* known = find_command(p.command);
  if (!p.phase && known != nullptr && known->title.ends_with(" X")) p.phase = phase_in(phase);
  return Payload(p);
}

Result<Payload> emit_next_action(const EmitArguments& a) {
  NextAction p;
  p.command = command_in(a, "command");
  p.args = a.text("args");
  p.description = a.text("description");
  p.priority = a.text("priority");
  DRAGOMAN_CHECK(refuse_blank("command", p.command));
  DRAGOMAN_CHECK(refuse_blank("description", p.description));
  const string_view after = command_in(a, "after");
  for (const string_view field : {"after-args", "outcome"}) {
    if (after.data() == nullptr && a.text(field).data() != nullptr)
      return misused(fmt::format("{}: has no meaning without --after COMMAND", field));
  }
  if (after.data() != nullptr) {
    DRAGOMAN_TRY(const CatalogAction action, suggested(a, after, p.command));
    Arena& arena = a.arena();
    if (p.args.data() == nullptr && !action.args.empty())
      p.args = arena.copy(string_view(action.args));
    if (p.priority.data() == nullptr) p.priority = arena.copy(string_view(action.priority));
    p.command = arena.copy(string_view(action.command));
  }
  if (p.command.data() == nullptr) return refused("command: is missing; or say --after COMMAND");
  if (p.description.data() == nullptr) {
    p.description = purpose_of(p.command, p.args);
    if (p.description.empty() && find_command(p.command) == nullptr)
      return refused("description: is missing");
    if (p.description.empty())
      return refused(fmt::format(
          "description: is missing: the catalogue does not say what '{}' would be run for",
          p.command));
  }
  return Payload(p);
}

}  // namespace dragoman
