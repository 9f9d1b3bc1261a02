// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/compose.hpp"

#include <array>

#include "dragoman/json/writer.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kRpc = R"({"jsonrpc":"2.0")";
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

}  // namespace

std::string compose_result(std::string_view id, std::string_view result) {
  std::string out;
  out.reserve(kRpc.size() + id.size() + result.size() + 24);
  out.append(kRpc).append(R"(,"id":)").append(id).append(R"(,"result":)").append(result);
  out.push_back('}');
  return out;
}

void append_error_object(std::string& out, const ProtocolError& error) {
  json::Writer w(out);
  w.begin_object().name("code").integer(error.code).name("message").string(error.message);
  if (!error.data.empty()) w.name("data").raw({error.data});
  w.end_object();
}

std::string compose_error(std::string_view id, const ProtocolError& error) {
  std::string out;
  out.append(kRpc).append(R"(,"id":)").append(id).append(R"(,"error":)");
  append_error_object(out, error);
  out.push_back('}');
  return out;
}

std::string compose_notification(std::string_view method, std::string_view params) {
  std::string out;
  out.append(kRpc).append(R"(,"method":")").append(method).push_back('"');
  if (!params.empty()) out.append(R"(,"params":)").append(params);
  out.push_back('}');
  return out;
}

std::string compose_request(std::string_view id, std::string_view method, std::string_view params) {
  std::string out;
  out.append(kRpc).append(R"(,"id":)").append(id);
  out.append(R"(,"method":")").append(method).push_back('"');
  if (!params.empty()) out.append(R"(,"params":)").append(params);
  out.push_back('}');
  return out;
}

ProtocolError protocol_error(const Error& error, Era era, int not_found) {
  if (error.reason == "missing_capability") {
    if (era == Era::legacy) return {kInvalidParams, error.message};
    return {kMissingCapability, error.message, R"({"requiredCapabilities":)" + error.details + "}",
            400};
  }
  switch (error.code) {
    case ErrorCode::not_found:
      return {not_found, error.message, error.details};
    case ErrorCode::validation:
    case ErrorCode::unsupported:
      return {kInvalidParams, error.message, error.details};
    case ErrorCode::timeout:
    case ErrorCode::tool_error:
    case ErrorCode::internal:
      break;
  }
  return {kInternalError, error.message, error.details};
}

std::string with_members(std::string_view object, std::string_view members) {
  const std::size_t open = object.find('{');
  std::string out = "{";
  if (open == std::string_view::npos) return out.append(members).append("}");
  const std::string_view rest = object.substr(open + 1);
  const std::size_t next = rest.find_first_not_of(" \t\r\n");
  out.append(members);
  if (next != std::string_view::npos && rest[next] != '}') out.push_back(',');
  return out.append(rest);
}

std::string_view name(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string_view name(TaskStatus status) {
  switch (status) {
    case TaskStatus::working:
      return "working";
    case TaskStatus::input_required:
      return "input_required";
    case TaskStatus::completed:
      return "completed";
    case TaskStatus::failed:
      return "failed";
    case TaskStatus::cancelled:
      return "cancelled";
  }
  return "failed";
}

}  // namespace dragoman::mcp
