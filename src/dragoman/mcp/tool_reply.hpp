// SPDX-License-Identifier: Apache-2.0
// What the parts of DelegationTools are asked, and what they say.
#pragma once

#include <string>
#include <variant>

#include "dragoman/base/result.hpp"
#include "dragoman/mcp/arguments.hpp"
#include "dragoman/mcp/delegation_table.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

struct ToolRequest {
  const DelegationTool& tool;
  const Arguments& arguments;
  const Call& call;
};

// Both forms of an answer that is ok.
struct ToolReply {
  std::string envelope;
  std::string markdown;
};

// A task that failed in the foreground: an error that took time.
struct ToolFailure {
  Error error;
  std::int64_t duration_ms = 0;
};

using ToolOutcome = std::variant<ToolReply, ToolFailure, Asked, Started>;

}  // namespace dragoman::mcp
