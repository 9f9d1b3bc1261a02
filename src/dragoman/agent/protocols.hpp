// SPDX-License-Identifier: Apache-2.0
// What the rows of the table point to: a file for each protocol.
#pragma once

#include "dragoman/agent/table.hpp"

namespace dragoman::agent {

LaunchFunction launch_claude;
LaunchFunction launch_codex;
LaunchFunction launch_executor;
LaunchFunction launch_command;

// The native Codex that belongs to the wrapper for Node at `path`; empty when there is none.
[[nodiscard]] std::string native_codex(const std::string& path);

// What a start says to its agent: the answers, or the prompt where there are none.
[[nodiscard]] std::string words_for(const Request& request, std::span<const Answered> answers);

// Nothing where there is no value.
void add_option(std::vector<std::string>& argv, std::string_view option, std::string_view value);

}  // namespace dragoman::agent
