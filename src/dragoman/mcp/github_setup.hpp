// SPDX-License-Identifier: Apache-2.0
// The guide of _codex_cloud_github_setup. The token itself is never asked for, stored or shown.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/mcp/tool_reply.hpp"

namespace dragoman::mcp {

[[nodiscard]] Result<ToolOutcome> github_setup(const ToolRequest& request);

// 'it'\''s': one word of a shell, whatever it says.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace dragoman::mcp
