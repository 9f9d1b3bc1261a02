// SPDX-License-Identifier: Apache-2.0
// Which era a message speaks, by its body first, and whether its headers say the same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/mcp/message.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// Of the HTTP request that brought the message.
struct Headers {
  std::optional<std::string> version = {};  // MCP-Protocol-Version
  std::optional<std::string> method = {};   // Mcp-Method
  std::optional<std::string> name = {};     // Mcp-Name
  // Mcp-Param-<name>, by the name as a schema spells it.
  std::function<std::optional<std::string>(std::string_view)> param = {};
};

struct Classified {
  Era era = Era::legacy;
  std::optional<ProtocolError> refused;
};

// `headers` is null where there are none (stdio).
[[nodiscard]] Classified classify(const Message& message, const Headers* headers);

// The headers that mirror the body of a modern request: after it is known that the method exists.
[[nodiscard]] std::optional<ProtocolError> check_name_header(const Message& message,
                                                             const Headers& headers);

// Arguments that a schema mirrors into headers with "x-mcp-header".
[[nodiscard]] std::optional<ProtocolError> check_param_headers(std::string_view input_schema,
                                                               const json::Value& arguments,
                                                               const Headers& headers);

// A modern client's description of itself, from `_meta`.
[[nodiscard]] Client modern_client(const Meta& meta);
// A legacy client's, from the params of initialize.
[[nodiscard]] Client legacy_client(const json::Value& params, std::string_view version);

}  // namespace dragoman::mcp
