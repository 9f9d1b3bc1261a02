// SPDX-License-Identifier: Apache-2.0
// Our child processes: those that we started, and those that became ours because their parent is
// gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

namespace dragoman::process {

// From here on a process below us that loses its parent becomes our child, not init's: so what a
// killed guard leaves is known exactly, whatever it did to hide.
void adopt_orphans();

// Every child that we start ourselves is started by `fork`, which returns its number or -1, so that
// it is never taken for an adopted one.
pid_t start_child(const std::function<pid_t()>& fork);
// The same for a child's child that is to live on without us, and that nobody waits for.
void start_detached_child(const std::function<pid_t()>& fork);
// Waits for its end; the wait status.
int wait_for_child(pid_t pid);

// Kills the processes that we adopted and everything below them, and collects those that have
// ended. One that started before `since`, in clock ticks since boot, is left alone. How many are
// left: call it again.
[[nodiscard]] std::uint32_t end_adopted(std::uint64_t since);

}  // namespace dragoman::process
