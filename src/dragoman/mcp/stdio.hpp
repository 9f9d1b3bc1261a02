// SPDX-License-Identifier: Apache-2.0
// The protocol over two descriptors, one message a line.
#pragma once

#include <cstdint>

#include "dragoman/mcp/server.hpp"

namespace dragoman::mcp {

enum class StdioEnd : std::uint8_t {
  answered,   // the input ended and everything asked was answered
  abandoned,  // some call did not return in time: its thread still runs
  broken,     // nobody reads our answers any more
};

// Serves until the input ends, then at most a second and a half more.
[[nodiscard]] StdioEnd serve_stdio(Server& server, int in, int out);

}  // namespace dragoman::mcp
