// SPDX-License-Identifier: Apache-2.0
// dragoman task list, dragoman task status
#pragma once

#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

// The exit code.
[[nodiscard]] Result<int> list_tasks(const Invocation& invocation, Console& console,
                                     task::Service& service);

// Whether the last lines of what runs are shown.
enum class LastLines { no, yes };
void print_status(const task::Snapshot& snapshot, LastLines lines, Console& console);

// What is to be done and what came of it, on one line that a terminal may see.
[[nodiscard]] std::string title_of(const task::Task& task);

// The line with its end; on a terminal it takes two lines at most.
[[nodiscard]] std::string fitted(const std::string& line);

}  // namespace dragoman::cli
