// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/command_catalog.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dragoman/json/writer.hpp"

namespace dragoman {
namespace {

using std::string_view;

constexpr string_view kTitlePrefix = "WXCODE \u25B6 ";

// By name, so that find_command() can halve it.
constexpr CatalogCommand kCommands[] = {
    {"add-phase", "ADDING PHASE", {{{"Updating roadmap"}}}, {{{"plan-phase"}}}},
    {"add-todo", "ADDING TODO", {{{"Creating todo"}}}, {{{"check-todos"}}}},
    {"audit-milestone",
     "AUDITING MILESTONE",
     {{{"Checking requirements", "Verifying integration"}}},
     {{{"complete-milestone"}}}},
    {"check-todos", "CHECKING TODOS", {{{"Loading todos"}}}, {{{"progress"}}}},
    {"complete-milestone",
     "COMPLETING MILESTONE",
     {{{"Archiving roadmap", "Creating tag"}}},
     {{{"new-milestone"}}}},
    {"create-start-dev",
     "CREATING START-DEV",
     {{{"Getting template", "Creating script"}}},
     {{{"start-dev"}}}},
    {"customize", "CUSTOMIZING WXCODE", {{{"Gathering preferences"}}}, {{{"status"}}}},
    {"dashboard",
     "GENERATING DASHBOARD",
     {{{"Parsing state", "Generating JSON"}}},
     {{{"progress"}}}},
    {"debug",
     "DEBUG SESSION",
     {{{"Analyzing", "Forming hypothesis", "Testing"}}},
     {{{"progress"}}}},
    {"design-system",
     "DESIGN SYSTEM",
     {{{"Collecting inputs", "Generating tokens"}}},
     {{{"progress"}}}},
    {"diff", "DIFF", {}, {}},
    {"discuss", "DISCUSSION", {{{"Exploring options"}}}, {{{"progress"}}}},
    {"discuss-phase",
     "DISCUSSING PHASE X",
     {{{"Analyzing phase", "Gathering decisions"}}},
     {{{"plan-phase X"}}}},
    {"execute-phase",
     "EXECUTING PHASE X",
     {{{"Executing waves", "Verifying"}}},
     {{{"discuss-phase X+1"}}}},
    {"help", "COMMAND REFERENCE", {}, {}},
    {"history", "HISTORY", {}, {}},
    {"init", "INITIALIZING WXCODE", {{{"Creating config", "Setting up remotes"}}}, {{{"help"}}}},
    {"insert-phase", "INSERTING PHASE", {{{"Updating roadmap"}}}, {{{"plan-phase"}}}},
    {"join-discord", "JOIN DISCORD", {}, {}},
    {"list-phase-assumptions", "PHASE ASSUMPTIONS", {{{"Analyzing phase"}}}, {{{"discuss-phase"}}}},
    {"map-codebase", "MAPPING CODEBASE", {{{"Analyzing architecture"}}}, {{{"progress"}}}},
    {"mcp-health-check", "MCP HEALTH CHECK", {}, {}},
    {"new-milestone", "NEW MILESTONE", {{{"Gathering requirements"}}}, {{{"plan-phase 1"}}}},
    {"new-project",
     "INITIALIZING PROJECT",
     {{{"Gathering context", "Running research"}}},
     {{{"plan-phase 1"}}}},
    {"new-project-greetings", "WELCOME", {}, {{{"new-project"}}}},
    {"override", "OVERRIDE", {}, {}},
    {"pause-work", "PAUSING WORK", {{{"Creating handoff"}}}, {{{"resume-work"}}}},
    {"plan-milestone-gaps", "PLANNING GAP CLOSURE", {{{"Analyzing gaps"}}}, {{{"execute-phase"}}}},
    {"plan-phase",
     "PLANNING PHASE X",
     {{{"Researching", "Creating plan", "Verifying"}}},
     {{{"execute-phase X"}}}},
    {"progress", "PROJECT PROGRESS", {{{"Phase X of Y"}}}, {{{"execute-phase", "plan-phase"}}}},
    {"quick", "QUICK TASK", {{{"Executing task"}}}, {{{"progress"}}}},
    {"remove-phase", "REMOVING PHASE", {{{"Updating roadmap"}}}, {{{"progress"}}}},
    {"research-phase", "RESEARCHING PHASE X", {{{"Gathering knowledge"}}}, {{{"plan-phase X"}}}},
    {"resume-work", "RESUMING WORK", {{{"Loading context"}}}, {{{"progress"}}}},
    {"rollback", "ROLLBACK", {}, {}},
    {"set-profile", "SET PROFILE", {}, {}},
    {"settings", "SETTINGS", {}, {}},
    {"start-dev", "STARTING DEV SERVER", {{{"Launching server"}}}, {{{"progress"}}}},
    {"status", "STATUS", {}, {}},
    {"sync", "SYNCING WITH UPSTREAM", {{{"Fetching", "Applying transformations"}}}, {{{"status"}}}},
    {"trace", "TRACING ELEMENT", {{{"Finding legacy", "Locating converted"}}}, {{{"progress"}}}},
    {"update", "UPDATING WXCODE", {{{"Checking", "Installing"}}}, {{{"version"}}}},
    {"verify-work", "VERIFYING PHASE X", {{{"Testing: [item]"}}}, {{{"execute-phase --gaps"}}}},
    {"version", "VERSION", {}, {}},
};

// The table's suggestion after verify-work mends gaps; without any there is nothing to mend.
constexpr ConditionalNext kConditional[] = {
    {"execute-phase",
     CommandOutcome::success,
     {{{"discuss-phase X+1", "audit-milestone"}}},
     "recommended"},
    {"execute-phase", CommandOutcome::gaps, {{{"plan-phase X --gaps"}}}, "recommended"},
    {"verify-work", CommandOutcome::gaps, {{{"execute-phase X --gaps-only"}}}, "required"},
};

constexpr CatalogError kErrors[] = {
    {"MCP_UNAVAILABLE", "MCP server not connected", Recoverable::true_},
    {"FILE_NOT_FOUND", "Required file missing", Recoverable::unknown},
    {"PHASE_NOT_FOUND", "Phase does not exist in the roadmap", Recoverable::false_},
    {"PLAN_NOT_FOUND", "Plan file not found", Recoverable::false_},
    {"GIT_DIRTY", "Uncommitted changes block the operation", Recoverable::true_},
    {"VALIDATION_FAILED", "Plan or phase validation failed", Recoverable::true_},
    {"AUTH_REQUIRED", "Authentication is needed", Recoverable::true_},
    {"TOOL_FAILED", "Tool execution failed", Recoverable::unknown},
    {"UAT_GAPS_FOUND", "Acceptance tests failed", Recoverable::true_},
    {"TIMEOUT", "The operation took too long", Recoverable::true_},
};

constexpr string_view kStatusValues[] = {"pending", "in_progress", "completed", "failed", "paused"};
constexpr string_view kPriorityValues[] = {"required", "recommended", "optional"};

struct Purpose {
  string_view command;
  string_view words;
};

// What the suggested commands are for. The documents word four of them.
constexpr Purpose kPurposes[] = {
    {"audit-milestone", "Check the milestone against its requirements"},
    {"check-todos", "See the open todos"},
    {"complete-milestone", "Archive the milestone and tag it"},
    {"discuss-phase", "Gather context for next phase"},
    {"execute-phase", "Execute the planned tasks"},
    {"help", "See what the commands do"},
    {"new-milestone", "Start the next milestone"},
    {"new-project", "Set up the project"},
    {"plan-phase", "Create the plan for the phase"},
    {"progress", "See where the project stands"},
    {"resume-work", "Go on where the work was paused"},
    {"start-dev", "Start the dev server"},
    {"status", "See the current state"},
    {"verify-work", "Validate the implemented features"},
    {"version", "See which version is installed"},
};

string_view next_word(string_view& rest) {
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == string_view::npos) return rest = {};
  const std::size_t end = std::min(rest.find(' ', begin), rest.size());
  const string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

// The phase as it is spelled in the arguments; empty when there is none.
string_view phase_word(string_view args) {
  for (string_view word = next_word(args); !word.empty(); word = next_word(args)) {
    const auto number = json::parse_number(word);
    if (number.fault == json::NumberFault::none && number.value.real >= 0) return word;
  }
  return {};
}

// Puts the phase where the pattern says X or X+1; without a phase the word goes.
std::string with_phase(string_view pattern, string_view phase) {
  std::string out;
  for (string_view word = next_word(pattern); !word.empty(); word = next_word(pattern)) {
    std::string shown(word);
    if (word == "X") shown = phase;
    if (word == "X+1" && phase.empty()) shown.clear();
    if (word == "X+1" && !phase.empty()) {
      // After phase 2.1, which was inserted behind phase 2, comes phase 3.
      const double next = std::floor(json::parse_number(phase).value.real) + 1;
      shown.clear();
      json::append_number(shown, Number::of(next));
    }
    if (!out.empty() && !shown.empty()) out.push_back(' ');
    out.append(shown);
  }
  return out;
}

CatalogAction suggestion(string_view pattern, string_view phase, string_view priority) {
  const string_view command = next_word(pattern);
  CatalogAction action{std::string(command), with_phase(pattern, phase), {}, std::string(priority)};
  action.description = purpose_of(action.command, action.args);
  return action;
}

}  // namespace

std::span<const CatalogCommand> command_catalog() { return kCommands; }

string_view bare_command(string_view command) {
  if (command.starts_with("wxcode:")) command.remove_prefix(7);
  while (command.starts_with("/wxcode:")) command.remove_prefix(8);
  return command;
}

const CatalogCommand* find_command(string_view name) {
  const auto* const found = std::ranges::lower_bound(kCommands, name, {}, &CatalogCommand::name);
  return found != std::end(kCommands) && found->name == name ? found : nullptr;
}

std::optional<CommandOutcome> command_outcome_named(string_view name) {
  if (name == "success") return CommandOutcome::success;
  if (name == "gaps") return CommandOutcome::gaps;
  return std::nullopt;
}

std::optional<Number> phase_in(string_view args) {
  const string_view word = phase_word(args);
  if (word.empty()) return std::nullopt;
  return json::parse_number(word).value;
}

std::optional<std::string> title_for(string_view command, string_view args) {
  const CatalogCommand* known = find_command(command);
  if (known == nullptr) return std::nullopt;
  return std::string(kTitlePrefix) + with_phase(known->title, phase_word(args));
}

std::span<const ConditionalNext> conditional_next_actions() { return kConditional; }

std::vector<CatalogAction> next_actions_for(string_view command, string_view args,
                                            CommandOutcome outcome) {
  const string_view phase = phase_word(args);
  std::vector<CatalogAction> actions;
  const auto suggest = [&](std::span<const string_view> patterns, string_view priority) {
    for (const string_view pattern : patterns)
      actions.push_back(suggestion(pattern, phase, priority));
  };
  if (std::ranges::count(kConditional, command, &ConditionalNext::command) > 0) {
    // Who says nothing else means that it went well.
    if (outcome == CommandOutcome::unstated) outcome = CommandOutcome::success;
    for (const ConditionalNext& row : kConditional) {
      if (row.command == command && row.outcome == outcome) suggest(row.next.view(), row.priority);
    }
  } else if (const CatalogCommand* known = find_command(command); known != nullptr) {
    suggest(known->next.view(), "recommended");
  }
  return actions;
}

string_view purpose_of(string_view command, string_view args) {
  if (args.find("--gaps") != string_view::npos) {
    if (command == "execute-phase") return "Execute gap fix plans";
    if (command == "plan-phase") return "Plan the fixes for the gaps";
  }
  const auto* const found = std::ranges::find(kPurposes, command, &Purpose::command);
  return found != std::end(kPurposes) ? found->words : string_view();
}

std::span<const CatalogError> error_catalog() { return kErrors; }

Recoverable recoverable_by_code(string_view code) {
  const auto* const found = std::ranges::find(kErrors, code, &CatalogError::code);
  return found != std::end(kErrors) ? found->recoverable : Recoverable::unknown;
}

std::span<const string_view> status_values() { return kStatusValues; }

std::span<const string_view> priority_values() { return kPriorityValues; }

}  // namespace dragoman
