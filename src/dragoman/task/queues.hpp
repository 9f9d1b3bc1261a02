// SPDX-License-Identifier: Apache-2.0
// Which queues a fleet has: one that every worker works, one for each set of labels asked for, one
// for each worker, and one in which each worker says that it is there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::task {

[[nodiscard]] Result<std::vector<std::string>> known_queues(Log& log);
// Before the first key is put into it, so that workers look there.
[[nodiscard]] Result<void> announce_queue(Log& log, const std::string& queue);
// The queue whose only key is the name of the worker, which holds it as long as it lives.
[[nodiscard]] std::string presence_queue(std::string_view worker);
[[nodiscard]] Result<bool> worker_lives(Log& log, std::string_view worker);

}  // namespace dragoman::task
