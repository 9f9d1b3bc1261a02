// SPDX-License-Identifier: Apache-2.0
// `dragoman run` as a thread of this process, for a worker that starts many (ADR 13).
#pragma once

#include "dragoman/task/run_handle.hpp"

namespace dragoman::cli {

// Understands the words of `run` that tasks use: nobody is at a terminal, events go out as JSON
// lines, the list of tasks is left alone (--no-store).
[[nodiscard]] task::StartRun run_as_thread();

}  // namespace dragoman::cli
