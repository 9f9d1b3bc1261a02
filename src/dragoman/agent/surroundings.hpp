// SPDX-License-Identifier: Apache-2.0
// What an agent's program needs from the machine: where it is, and which of our variables it gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/table.hpp"

namespace dragoman::agent {

// The file behind a name. Where it is an agent's wrapper, the native program if that can be found:
// Codex's wrapper for Node leaves it running when it is killed.
[[nodiscard]] Result<std::string> locate_program(std::string_view name,
                                                 const std::vector<std::string>& environment);

// The names in `ours` (NAME=value) that are meant for the agent, without those by which an agent
// would believe that it runs inside another.
[[nodiscard]] std::vector<std::string> variables_for(const AgentRow& agent,
                                                     const std::vector<std::string>& ours);

}  // namespace dragoman::agent
