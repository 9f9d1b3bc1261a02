// SPDX-License-Identifier: Apache-2.0
// The lines that an agent itself wrote, read back from the recording of its run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/task/task.hpp"

namespace dragoman::task {

struct AgentLines {
  std::uint64_t count = 0;        // of all, as far as they were kept
  std::vector<std::string> last;  // JSON objects, oldest first
};

// The last lines of JSON, at most `most` of together at most `bytes`. Absent where there are none
// to be had: the agent does not speak JSON, nothing was recorded, or it was recorded elsewhere.
[[nodiscard]] std::optional<AgentLines> agent_lines(const Task& task, std::size_t most,
                                                    std::size_t bytes);

// The last of the lines that fit into `room` bytes together, in their order. One that is longer
// than that by itself is left out, not all that is before it.
[[nodiscard]] std::vector<std::string> last_that_fit(std::vector<std::string> lines,
                                                     std::size_t room);

}  // namespace dragoman::task
