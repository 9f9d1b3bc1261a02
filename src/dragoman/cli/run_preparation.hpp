// SPDX-License-Identifier: Apache-2.0
// What every run gets besides what was asked for: settings, and the look at git around it.
#pragma once

#include <memory>
#include <string>

#include "dragoman/config/config.hpp"
#include "dragoman/engine/run_handle.hpp"

namespace dragoman::cli {

// What the settings say where the spec says nothing.
void fill_in(engine::RunSpec& spec, const config::Config& settings);

// Complains about a prompt that its agent cannot be given, and about options it has no use for.
[[nodiscard]] Result<void> check_run(const engine::RunSpec& spec);

// Ready to begin.
[[nodiscard]] Result<std::unique_ptr<engine::Job>> prepare_run(
    engine::RunSpec spec, const engine::Surroundings& surroundings);

// For the runs of tasks: with the settings of the place that each works in.
[[nodiscard]] engine::PrepareRun prepare_task_runs();

// The only event of a run whose program could not be started, as a line: finished, with why.
[[nodiscard]] std::string unstarted_line(const Error& error, int exit_code);

}  // namespace dragoman::cli
