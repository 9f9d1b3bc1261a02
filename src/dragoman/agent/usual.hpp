// SPDX-License-Identifier: Apache-2.0
// Which agent is meant where none is named: rows of table.hpp.
#pragma once

#include <string_view>

namespace dragoman::agent {

inline constexpr std::string_view kUsualAgent = "claude";     // of `run` and `task submit`
inline constexpr std::string_view kDelegatedAgent = "codex";  // of MCP tools, the API, the page
inline constexpr std::string_view kProgramAgent = "command";  // of a command line behind --

}  // namespace dragoman::agent
