// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/base/result.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::mcp {

// Why a task that ended badly did, as the error of the call that waited for it: TOOL_ERROR, TIMEOUT
// or NOT_FOUND with the reason, the place, the end of stderr and, of a timeout, what there was.
[[nodiscard]] Error failure_of(task::Service& service, const task::Task& task);

}  // namespace dragoman::mcp
