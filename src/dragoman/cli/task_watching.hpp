// SPDX-License-Identifier: Apache-2.0
// What `task wait` and `task results` print of a task.
#pragma once

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::cli {

// On the last line of the terminal that stderr is; nothing elsewhere.
void draw_progress(const task::Task& task);
void erase_progress();

// --output, --events, --max-output.
[[nodiscard]] Result<task::ResultsQuery> results_query(const Invocation& invocation);

void print_results(const task::TaskResults& results, Console& console);

}  // namespace dragoman::cli
