// SPDX-License-Identifier: Apache-2.0
// Writing JSON-RPC messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/mcp/protocol.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

// `id` verbatim, `result` a JSON object.
[[nodiscard]] std::string compose_result(std::string_view id, std::string_view result);
[[nodiscard]] std::string compose_error(std::string_view id, const ProtocolError& error);
// `params` is a JSON object; empty: none.
[[nodiscard]] std::string compose_notification(std::string_view method, std::string_view params);
[[nodiscard]] std::string compose_request(std::string_view id, std::string_view method,
                                          std::string_view params);

// {"code":…,"message":…,"data":…}
void append_error_object(std::string& out, const ProtocolError& error);

// As a box said it; `not_found` is the code of a thing that is not there.
[[nodiscard]] ProtocolError protocol_error(const Error& error, Era era, int not_found);

// {"a":…} and {"b":…} become {"b":…,"a":…}: `members` are "key":value pairs with commas between,
// put first into the object.
[[nodiscard]] std::string with_members(std::string_view object, std::string_view members);

[[nodiscard]] std::string_view name(LogLevel level);
[[nodiscard]] std::optional<LogLevel> log_level(std::string_view name);
[[nodiscard]] std::string_view name(TaskStatus status);

}  // namespace dragoman::mcp
