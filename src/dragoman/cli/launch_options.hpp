// SPDX-License-Identifier: Apache-2.0
// What `run` and `task submit` have in common: options about starting an agent, and settings.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::cli {

[[nodiscard]] std::vector<OptionSpec> launch_options();
// The agents that have a use for an option: "claude, codex".
[[nodiscard]] std::string takers(agent::AgentOption option);

// The length of time behind --option; absent when it was not given.
[[nodiscard]] Result<std::optional<std::chrono::milliseconds>> duration_of(
    const Invocation& invocation, std::string_view option);

// Why neither can be started without --cwd.
inline constexpr const char* kNoDirectory =
    "the directory that we were started in is not there any more; give --cwd";

// What the settings say about how long a task may take.
void take_limits(const config::Config& settings, task::Task& task);

// Whether the words behind -- start a program: no program's name begins with a dash, so that is a
// prompt, or an argument of the agent.
[[nodiscard]] bool starts_a_program(const Invocation& invocation);

// Refused: an --env with a name that no shell could give a variable.
[[nodiscard]] Result<void> check_variables(const Invocation& invocation);

// Why settings could not be loaded: a line of a file, or a variable, is wrong.
constexpr std::string_view kBadSettings = "bad_settings";

// The configuration, or that of --config where the command has it. What in its files has no effect
// is said as a warning.
[[nodiscard]] Result<config::Config> load_settings(const Invocation& invocation, Console& console);
// For a run that has other surroundings than our process; nobody is warned.
[[nodiscard]] Result<config::Config> load_settings(const Invocation& invocation,
                                                   std::vector<std::string> environment,
                                                   std::filesystem::path working_directory);

}  // namespace dragoman::cli
