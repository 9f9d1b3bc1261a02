// SPDX-License-Identifier: Apache-2.0
// From the words of `dragoman task submit` to the task they mean.
#pragma once

#include "dragoman/base/result.hpp"
#include "dragoman/cli/command.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

[[nodiscard]] Result<task::Task> task_to_submit(const Invocation& invocation,
                                                task::Service& service);

}  // namespace dragoman::cli
