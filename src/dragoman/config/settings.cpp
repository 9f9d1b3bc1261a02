// SPDX-License-Identifier: Apache-2.0
#include "dragoman/config/settings.hpp"

#include <algorithm>

#include "dragoman/agent/table.hpp"

namespace dragoman::config {
namespace {

constexpr InProject kAllowed = InProject::allowed;
constexpr InProject kRefused = InProject::refused;

Setting number(std::string_view name, std::string_view standard, std::string_view variable,
               std::string_view help, std::int64_t least) {
  return {name, Type::integer, kRefused, standard, variable, help, {}, least, 256};
}

const std::vector<Setting>& table() {
  static const std::vector<std::string_view> kPolicies = {"clean", "allow-list", "inherit"};
  static const std::vector<Setting> kTable = {
      {"store", Type::text, kRefused, "", "DRAGOMAN_STORE",
       "where tasks, questions and events are kept: sqlite:PATH"},
      {"run.agent", Type::choice, kRefused, "", "DRAGOMAN_AGENT", "the agent that run starts",
       agent::agent_names()},
      {"run.model", Type::text, kAllowed, "", "DRAGOMAN_MODEL", "the model that the agent uses"},
      {"run.idle_timeout", Type::duration, kAllowed, "300s", "DRAGOMAN_IDLE_TIMEOUT",
       "end an agent that is silent for that long; 0: never"},
      {"run.hard_timeout", Type::duration, kAllowed, "20m", "DRAGOMAN_HARD_TIMEOUT",
       "end an agent after that long in all; 0: never"},
      {"run.after_result", Type::duration, kAllowed, "30s", "",
       "end an agent that does not go away after its result; 0: never"},
      {"run.grace", Type::duration, kAllowed, "5s", "", "between the signals TERM and KILL"},
      {"run.permission_mode", Type::text, kRefused, "", "",
       "what Claude may do without asking, as its --permission-mode"},
      {"run.sandbox", Type::text, kRefused, "", "", "Codex's sandbox, as its --sandbox"},
      {"run.env_policy", Type::choice, kRefused, "allow-list", "",
       "what an agent gets of our environment", kPolicies},
      {"run.env", Type::list, kRefused, "", "",
       "more variables for the agent: NAME, or NAME=value"},
      {"run.register", Type::flag, kRefused, "true", "",
       "whether run enters itself in the list of tasks, where others see and answer it"},
      {"ask.policy",
       Type::choice,
       kRefused,
       "all",
       "",
       "questions go to all surfaces at once, or to one after the other by their order",
       {"all", "order"}},
      {"ask.escalate_after", Type::duration, kRefused, "10m", "",
       "how long the next surface waits for the one before it"},
      {"ask.quiet_hours", Type::text, kRefused, "", "",
       "questions wait for their end: 22:00-07:00, in UTC"},
      {"ask.default_answer", Type::text, kRefused, "", "",
       "what counts when nobody has answered, where the question allows it"},
      {"ask.default_after", Type::duration, kRefused, "1h", "", "when that is"},
      number("tasks.concurrency", "2", "CODEX_MAX_CONCURRENCY", "how many tasks run at once", 1),
      number("tasks.waiting", "8", "",
             "how many agents may wait beside them, for an answer or for more to be said", 0),
      {"mcp.command", Type::list, kRefused, "", "",
       "the program and its words that agent 'command' of the MCP tools starts; the task comes on "
       "its stdin"},
      {"mcp.executor", Type::text, kRefused, "", "",
       "the program that agent 'executor' of the MCP tools starts"},
      {"mcp.environments", Type::text, kRefused, "", "",
       "the environments.json of the cloud tools"},
      {"mcp.roots", Type::list, kRefused, "", "",
       "directories that the tasks of MCP clients may work in, and below; all unless said"},
  };
  return kTable;
}

}  // namespace

std::string_view name(Type type) {
  switch (type) {
    case Type::text:
      return "text";
    case Type::choice:
      return "choice";
    case Type::flag:
      return "true or false";
    case Type::integer:
      return "whole number";
    case Type::duration:
      return "length of time";
    case Type::list:
      return "list of texts";
  }
  return "";
}

std::span<const Setting> settings() { return table(); }

const Setting* find_setting(std::string_view key) {
  const auto found = std::ranges::find(table(), key, &Setting::key);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace dragoman::config
