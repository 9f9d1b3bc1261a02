// SPDX-License-Identifier: Apache-2.0
// Which queues a fleet has: one that everybody works, and one for each set of labels asked for.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"

namespace dragoman::task {

[[nodiscard]] Result<std::vector<std::string>> known_queues(Log& log);
// Before the first key is put into it, so that workers look there.
[[nodiscard]] Result<void> announce_queue(Log& log, const std::string& queue);

}  // namespace dragoman::task
