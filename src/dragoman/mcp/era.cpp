// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/era.hpp"

#include <fmt/format.h>

#include "dragoman/base/base64.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"

namespace dragoman::mcp {
namespace {

using json::Kind;
using json::Value;

ProtocolError mismatch(std::string message) {
  return {kHeaderMismatch, std::move(message), {}, 400};
}

ProtocolError unsupported_version(std::string_view requested) {
  std::string data;
  json::Writer w(data);
  w.begin_object().name("supported").begin_array().string(kModernVersion).end_array();
  w.name("requested").string(requested).end_object();
  return {kUnsupportedVersion, "Unsupported protocol version", std::move(data), 400};
}

std::optional<ProtocolError> check_claim(const Message& message, const Headers* headers) {
  const Meta& meta = message.meta;
  if (!meta.version.is(Kind::string)) {
    return ProtocolError{
        kInvalidParams,
        fmt::format("Invalid params: _meta[\"{}\"] must be a string", kMetaVersion),
        {},
        400};
  }
  const std::string version = meta.version.text().str();
  if (headers != nullptr && headers->version && *headers->version != version) {
    return mismatch("MCP-Protocol-Version is not the protocol version of the body");
  }
  if (version != kModernVersion) return unsupported_version(version);
  if (!meta.capabilities.is(Kind::object)) {
    return ProtocolError{
        kInvalidParams,
        fmt::format("Invalid params: _meta[\"{}\"] must be an object", kMetaCapabilities),
        {},
        400};
  }
  if (!meta.log_level.absent() &&
      (!meta.log_level.is(Kind::string) || !log_level(meta.log_level.text().str()).has_value())) {
    return ProtocolError{kInvalidParams,
                         fmt::format("Invalid params: _meta[\"{}\"] is no level", kMetaLogLevel),
                         {},
                         400};
  }
  if (headers == nullptr || message.kind != Message::Kind::request) return std::nullopt;
  if (!headers->version) return mismatch("The header MCP-Protocol-Version is missing");
  if (!headers->method) return mismatch("The header Mcp-Method is missing");
  if (*headers->method != message.method) {
    return mismatch("Mcp-Method is not the method of the body");
  }
  return std::nullopt;
}

// What a header value stands for: "=?base64?…?=" is decoded, anything else is itself.
std::optional<std::string> header_value(std::string_view text) {
  constexpr std::string_view kOpen = "=?base64?";
  constexpr std::string_view kClose = "?=";
  if (!text.starts_with(kOpen) || !text.ends_with(kClose) ||
      text.size() < kOpen.size() + kClose.size()) {
    return std::string(text);
  }
  text.remove_prefix(kOpen.size());
  text.remove_suffix(kClose.size());
  return from_base64(text);
}

bool says(const std::string& header, const std::string& body) {
  return header_value(header) == std::optional<std::string>(body);
}

// Kept as long as a session lives, so not at any length.
std::string program_name(const Value& implementation) {
  return string_member(implementation, "name").value_or("").substr(0, 128);
}

bool has(const Value& object, std::string_view name) {
  return member(object, name).is(Kind::object);
}

}  // namespace

Classified classify(const Message& message, const Headers* headers) {
  if (!message.meta.version.absent()) return {Era::modern, check_claim(message, headers)};
  if (message.method != "initialize" && headers != nullptr && headers->version == kModernVersion) {
    return {Era::modern,
            ProtocolError{kInvalidParams,
                          fmt::format("Invalid params: _meta[\"{}\"] is missing", kMetaVersion),
                          {},
                          400}};
  }
  return {Era::legacy, std::nullopt};
}

std::optional<ProtocolError> check_name_header(const Message& message, const Headers& headers) {
  std::string_view key;
  if (message.method == "tools/call" || message.method == "prompts/get") key = "name";
  if (message.method == "resources/read") key = "uri";
  if (message.method.starts_with("tasks/")) key = "taskId";
  if (key.empty()) return std::nullopt;
  const auto name = string_member(message.params, key);
  if (!name) return std::nullopt;  // said to be missing by whoever reads the params
  if (!headers.name) return mismatch("The header Mcp-Name is missing");
  if (!says(*headers.name, *name)) {
    return mismatch(fmt::format("Mcp-Name is not params.{} of the body", key));
  }
  return std::nullopt;
}

std::optional<ProtocolError> check_param_headers(std::string_view input_schema,
                                                 const Value& arguments, const Headers& headers) {
  if (input_schema.find("\"x-mcp-header\"") == std::string_view::npos) return std::nullopt;
  const Value properties = member({Kind::object, false, input_schema}, "properties");
  if (!properties.is(Kind::object) || !headers.param) return std::nullopt;
  json::Cursor c(properties.raw);
  std::string_view key;
  for (json::Members m(c); m.next(key);) {
    const std::string name(key);
    const auto header = string_member(c.take(), "x-mcp-header");
    if (!header) continue;
    const Value value = member(arguments, name);
    const auto sent = headers.param(*header);
    if (value.absent() || value.is(Kind::null_)) {
      if (sent) return mismatch(fmt::format("Mcp-Param-{} has no value in the body", *header));
      continue;
    }
    if (!sent) return mismatch(fmt::format("The header Mcp-Param-{} is missing", *header));
    const std::string body = value.is(Kind::string) ? value.text().str() : std::string(value.raw);
    if (!says(*sent, body)) {
      return mismatch(fmt::format("Mcp-Param-{} is not the value of the body", *header));
    }
  }
  return std::nullopt;
}

Client modern_client(const Meta& meta) {
  Client client;
  client.era = Era::modern;
  client.version = kModernVersion;
  client.name = program_name(meta.client);
  const Value elicitation = member(meta.capabilities, "elicitation");
  client.elicit_url = has(elicitation, "url");
  client.elicit_form =
      elicitation.is(Kind::object) && (has(elicitation, "form") || !client.elicit_url);
  client.sampling = has(meta.capabilities, "sampling");
  client.roots = has(meta.capabilities, "roots");
  client.tasks = has(member(meta.capabilities, "extensions"), kTasksExtension);
  return client;
}

Client legacy_client(const Value& params, std::string_view version) {
  Client client;
  client.version = version;
  client.name = program_name(member(params, "clientInfo"));
  const Value capabilities = member(params, "capabilities");
  const Value elicitation = member(capabilities, "elicitation");
  client.elicit_url = has(elicitation, "url");
  client.elicit_form =
      elicitation.is(Kind::object) && (has(elicitation, "form") || !client.elicit_url);
  client.sampling = has(capabilities, "sampling");
  client.roots = has(capabilities, "roots");
  return client;
}

}  // namespace dragoman::mcp
