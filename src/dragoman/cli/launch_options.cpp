// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/launch_options.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/ascii.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {

std::string takers(agent::AgentOption option) {
  const auto takes = [option](const agent::AgentRow& row) { return row.options.has(option); };
  return fmt::format("{}", fmt::join(agent::agent_names({}, takes), ", "));
}

std::vector<OptionSpec> launch_options() {
  return {
      {"agent", "NAME",
       fmt::format("who does it; {} unless said, with -- CMD… {}", agent::kUsualAgent,
                   agent::kProgramAgent),
       agent::agent_names()},
      {.name = "cwd", .value = "DIR", .help = "where the agent works", .takes_directory = true},
      {"model", "NAME", fmt::format("which model ({})", takers(agent::AgentOption::model))},
      {"permission-mode", "MODE", "what Claude may do unasked"},
      {"sandbox",
       "MODE",
       "what Codex's commands may touch",
       {agent::kSandboxes.begin(), agent::kSandboxes.end()}},
      {"idle-timeout", "DUR", "end it after that long without output: 300s; 0 is off"},
      {"hard-timeout", "DUR", "end it after that long in any case: 20m; 0 is off"},
      {"grace", "DUR", "between asking it to end and killing it: 5s"},
      {"keep", "DUR", "how long the agent stays after a turn, to be told more: 0"},
      {"surface", "NAME", "where its questions go, of your configuration", {}, 0, true},
      {"env", "NAME[=VALUE]", "a variable for the agent, ours or with that value", {}, 0, true},
      {"env-policy",
       "POLICY",
       "which variables it gets besides",
       {"clean", "allow-list", "inherit"}},
  };
}

Result<std::optional<std::chrono::milliseconds>> duration_of(const Invocation& invocation,
                                                             std::string_view option) {
  const auto given = invocation.value(option);
  if (!given) return std::optional<std::chrono::milliseconds>();
  auto duration = parse_duration(*given);
  if (duration) return std::optional(*duration);
  Error error = std::move(duration).error().while_doing(fmt::format("--{}", option));
  error.reason = "bad_value";
  return error;
}

void take_limits(const config::Config& settings, task::Task& task) {
  for (const auto& [setting, slot] : {std::pair{"run.idle_timeout", &task.idle_ms},
                                      {"run.hard_timeout", &task.hard_ms},
                                      {"run.grace", &task.grace_ms}}) {
    const auto time = parse_duration(settings.text(setting));  // it was checked when it was read
    if (time) *slot = time->count();
  }
}

bool starts_a_program(const Invocation& invocation) {
  const auto& words = invocation.behind_dashes();
  return words.has_value() && (words->empty() || !words->front().starts_with('-'));
}

Result<void> check_variables(const Invocation& invocation) {
  for (const std::string& word : invocation.values("env")) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool good =
        !name.empty() && !ascii::is_digit(name.front()) &&
        std::ranges::all_of(name, [](char c) { return c == '_' || ascii::is_alnum(c); });
    if (good) continue;
    return Error{ErrorCode::validation,
                 fmt::format("--env: '{}' is not the name of a variable", name), "bad_value"};
  }
  return {};
}

Result<config::Config> load_settings(const Invocation& invocation, Console& console) {
  std::error_code gone;
  DRAGOMAN_TRY(auto settings, load_settings(invocation, process::own_environment(),
                                            std::filesystem::current_path(gone)));
  for (const std::string& warning : settings.warnings()) console.warn(printable(warning));
  return settings;
}

Result<config::Config> load_settings(const Invocation& invocation,
                                     std::vector<std::string> environment,
                                     std::filesystem::path working_directory) {
  config::Places places;
  places.environment = std::move(environment);
  places.working_directory = std::move(working_directory);
  if (const auto file = invocation.value("config")) places.file = *file;
  auto settings = config::Config::load(places);
  if (settings) return settings;
  Error error = std::move(settings).error();
  if (error.reason.empty()) error.reason = kBadSettings;
  return error;
}

}  // namespace dragoman::cli
