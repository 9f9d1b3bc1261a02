// SPDX-License-Identifier: Apache-2.0
// dragoman task list
#pragma once

#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

// The exit code.
[[nodiscard]] Result<int> list_tasks(const Invocation& invocation, Console& console,
                                     task::Service& service);

// What a task is about, on one line that a terminal may see: what came of it, else what is to be
// done.
[[nodiscard]] std::string title_of(const task::Task& task);

}  // namespace dragoman::cli
