// SPDX-License-Identifier: Apache-2.0
// Prompts, and what can be completed while somebody types.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/delegation_tools.hpp"
#include "dragoman/mcp/protocol.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

std::vector<std::string_view> agents() { return agent::agent_names(agent::kDelegatedAgent); }

// The arguments of a prompt are texts.
Result<std::string> argument(std::string_view arguments, std::string_view name, bool required) {
  const auto tree = schema::Tree::parse(std::string(arguments.empty() ? "{}" : arguments));
  if (!tree || !tree->is(schema::kRoot, json::Kind::object))
    return Error{ErrorCode::validation, "the arguments are no object"};
  const auto found = tree->member(schema::kRoot, name);
  if (found && tree->is(*found, json::Kind::string)) return std::string(tree->string(*found));
  if (found && !tree->is(*found, json::Kind::null_))
    return Error{ErrorCode::validation, fmt::format("argument {}: expected a text", name)};
  if (required) return Error{ErrorCode::validation, fmt::format("argument {} is missing", name)};
  return std::string();
}

PromptResult user_message(std::string description, std::string_view text) {
  PromptResult result;
  result.description = std::move(description);
  json::Writer w(result.messages);
  w.begin_array().begin_object().name("role").word("user").name("content").begin_object();
  w.name("type").word("text").name("text").string(text);
  w.end_object().end_object().end_array();
  return result;
}

Result<PromptResult> delegate(std::string_view arguments) {
  DRAGOMAN_TRY(const std::string task, argument(arguments, "task", true));
  DRAGOMAN_TRY(const std::string agent, argument(arguments, "agent", false));
  DRAGOMAN_TRY(const std::string mode, argument(arguments, "mode", false));
  DRAGOMAN_TRY(const std::string environment, argument(arguments, "environment", false));
  std::string text;
  if (environment.empty()) {
    text = fmt::format(
        "Delegate the task below with _codex_local_run (agent {}, mode {}), then call "
        "_codex_local_wait until it has ended.",
        agent.empty() ? agent::kDelegatedAgent : agent,
        mode.empty() ? agent::kModes.front() : mode);
  } else {
    text = fmt::format(
        "Delegate the task below with _codex_cloud_submit (env_id {}), then call "
        "_codex_cloud_wait until it has ended.",
        environment);
  }
  text +=
      " If it asks something, ask me and pass my answer on. Then tell me what was changed, which "
      "tests ran and what is left to do.\n\nTask:\n" +
      task;
  return user_message("Hand a task to an agent and report what it did", text);
}

Result<PromptResult> review(std::string_view arguments) {
  DRAGOMAN_TRY(const std::string what, argument(arguments, "what", false));
  DRAGOMAN_TRY(const std::string agent, argument(arguments, "agent", false));
  return user_message(
      "Have an agent review changes",
      fmt::format("Delegate a review of {} with _codex_local_run (agent {}, mode read-only). The "
                  "task for the agent: read the changes and the code around them; list faults by "
                  "severity with file and line, each with the input that shows it; say what was "
                  "checked and found right; change nothing. Wait with _codex_local_wait, read "
                  "the output with _codex_local_results, check every finding yourself, and show me "
                  "those that hold.",
                  what.empty() ? "the uncommitted changes" : what,
                  agent.empty() ? agent::kDelegatedAgent : agent));
}

void add_matching(Completion& to, std::string_view typed, std::string_view candidate) {
  if (candidate.starts_with(typed)) to.values.emplace_back(candidate);
}

}  // namespace

Result<std::vector<PromptSpec>> DelegationTools::prompts() {
  return std::vector<PromptSpec>{
      {"delegate",
       "Delegate a task",
       "Hand a task to an agent, wait for it and report",
       {{"task", "What the agent shall do", true},
        {"agent", listed(agents()), false},
        {"mode", listed({agent::kModes.begin(), agent::kModes.end()}), false},
        {"environment", "A cloud environment instead of this machine", false}}},
      {"review",
       "Review changes",
       "Have an agent review changes without changing anything",
       {{"what", "What to review: a branch, a commit, a directory", false},
        {"agent", listed(agents()), false}}},
  };
}

Result<PromptAnswer> DelegationTools::prompt(const Call& call) {
  if (call.name == "delegate") {
    DRAGOMAN_TRY(auto result, delegate(call.arguments));
    return PromptAnswer(std::move(result));
  }
  if (call.name == "review") {
    DRAGOMAN_TRY(auto result, review(call.arguments));
    return PromptAnswer(std::move(result));
  }
  return Error{ErrorCode::not_found, "Prompt not found: " + std::string(call.name.substr(0, 100))};
}

Result<Completion> DelegationTools::complete(const CompletionQuery& query) {
  Completion completion;
  if (query.resource && query.argument == "id") {
    DRAGOMAN_TRY(const auto tasks, service_.list({.limit = 1000}));
    for (const task::Task& each : tasks) {
      const bool by_id = each.id.starts_with(query.value);
      add_matching(completion, query.value, by_id ? each.id : task_id_of(each.id));
    }
  } else if (query.argument == "agent") {
    for (const auto agent : agents()) add_matching(completion, query.value, agent);
  } else if (query.argument == "mode") {
    for (const auto mode : agent::kModes) add_matching(completion, query.value, mode);
  } else if (query.argument == "environment") {
    // No file, or a broken one: nothing to offer.
    if (const auto known = cloud_.environments()) {
      for (const Environment& each : known->all) add_matching(completion, query.value, each.id);
    }
  }
  completion.total = completion.values.size();
  if (completion.values.size() > kMostCompletions) completion.values.resize(kMostCompletions);
  return completion;
}

}  // namespace dragoman::mcp
