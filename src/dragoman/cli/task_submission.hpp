// SPDX-License-Identifier: Apache-2.0
// From the words of `dragoman task submit` to the task they mean.
#pragma once

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

// Says on the console which run --resume means where the word did not say it.
[[nodiscard]] Result<task::Task> task_to_submit(const Invocation& invocation, Console& console,
                                                task::Service& service);

}  // namespace dragoman::cli
