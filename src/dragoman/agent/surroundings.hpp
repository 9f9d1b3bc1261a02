// SPDX-License-Identifier: Apache-2.0
// What an agent's program needs from the machine: where it is, and which of our variables it gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/agent.hpp"

namespace dragoman::agent {

// The file behind a name. For Codex the native program where it can be found: its wrapper for Node
// leaves it running when it is killed.
[[nodiscard]] Result<std::string> locate_program(std::string_view name,
                                                 const std::vector<std::string>& environment);

// The native Codex that belongs to the wrapper at `path`; empty when there is none.
[[nodiscard]] std::string native_codex(const std::string& path);

// The names in `ours` (NAME=value) that are meant for the agent, without those by which an agent
// would believe that it runs inside another.
[[nodiscard]] std::vector<std::string> variables_for(const Agent& agent,
                                                     const std::vector<std::string>& ours);

}  // namespace dragoman::agent
