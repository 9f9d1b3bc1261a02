// SPDX-License-Identifier: Apache-2.0
// dragoman task list, dragoman task status
#pragma once

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

}  // namespace dragoman::cli
