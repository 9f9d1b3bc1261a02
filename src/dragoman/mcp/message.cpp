// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/message.hpp"

#include <fmt/format.h>

namespace dragoman::mcp {
namespace {

using json::Cursor;
using json::Kind;
using json::Members;
using json::Value;

struct Fields {
  Value jsonrpc;
  Value id;
  Value method;
  Value params;
  Value result;
  Value error;

  Value* of(std::string_view key) {
    if (key == "jsonrpc") return &jsonrpc;
    if (key == "id") return &id;
    if (key == "method") return &method;
    if (key == "params") return &params;
    if (key == "result") return &result;
    if (key == "error") return &error;
    return nullptr;
  }
};

Parsed refuse(std::string_view id, int code, std::string message) {
  return {std::nullopt, {std::string(id), {code, std::move(message), {}, 400}}};
}

Meta read_meta(const Value& object) {
  Meta meta;
  if (!object.is(Kind::object)) return meta;
  meta.present = true;
  Cursor c(object.raw);
  std::string_view key;
  for (Members m(c); m.next(key);) {
    const bool token = key == "progressToken";
    const bool version = key == kMetaVersion;
    const bool capabilities = key == kMetaCapabilities;
    const bool client = key == kMetaClient;
    const bool level = key == kMetaLogLevel;
    const Value value = c.skip();
    if (token) meta.progress_token = is_id(value) ? value : Value{};
    if (version) meta.version = value;
    if (capabilities) meta.capabilities = value;
    if (client) meta.client = value;
    if (level) meta.log_level = value;
  }
  return meta;
}

void read_params(const Value& params, Message& message) {
  message.params = params;
  if (!params.is(Kind::object)) return;
  Value meta;
  Cursor c(params.raw);
  std::string_view key;
  for (Members m(c); m.next(key);) {
    Value* target = nullptr;
    if (key == "name") target = &message.name;
    if (key == "arguments") target = &message.arguments;
    if (key == "task") target = &message.task;
    if (key == "_meta") target = &meta;
    const Value value = c.skip();
    if (target != nullptr) *target = value;
  }
  message.meta = read_meta(meta);
}

Parsed build(const Fields& f) {
  const bool has_id = is_id(f.id);
  const std::string_view id = has_id ? f.id.raw : std::string_view("null");
  if (!f.jsonrpc.is(Kind::string) || f.jsonrpc.text() != json::Text("2.0")) {
    return refuse(id, kInvalidRequest, "Invalid Request: jsonrpc must be \"2.0\"");
  }
  if (!f.id.absent() && !has_id) {
    return refuse(id, kInvalidRequest, "Invalid Request: id must be a string or an integer");
  }
  const bool settled = !f.result.absent() || !f.error.absent();
  Parsed parsed;
  Message& message = parsed.message.emplace();
  message.id = has_id ? f.id.raw : std::string_view();
  if (f.method.absent() && settled && has_id && f.result.absent() != f.error.absent()) {
    message.kind = Message::Kind::response;
    message.result = f.result;
    message.error = f.error;
    return parsed;
  }
  if (!f.method.is(Kind::string) || settled) {
    return refuse(id, kInvalidRequest, "Invalid Request: method must be a string");
  }
  message.kind = has_id ? Message::Kind::request : Message::Kind::notification;
  message.method = f.method.text().str();
  if (!f.params.absent() && !f.params.is(Kind::object)) {
    if (f.params.is(Kind::array)) {
      return refuse(id, kInvalidParams, "Invalid params: params must be an object");
    }
    return refuse(id, kInvalidRequest, "Invalid Request: params must be an object");
  }
  read_params(f.params, message);
  return parsed;
}

}  // namespace

bool is_id(const Value& value) {
  if (value.is(Kind::string)) return true;
  if (!value.is(Kind::number) || value.raw.size() > 64) return false;
  return value.raw.find_first_of(".eE") == std::string_view::npos;
}

bool is_batch(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && text[at] == '[';
}

Parsed parse_message(std::string_view text) {
  if (text.size() > kMaxMessage) {
    return refuse("null", kInvalidRequest, "Invalid Request: the message is larger than 16 MiB");
  }
  Cursor c(text, Cursor::Scalars::exact);
  if (!c.next_is(Kind::object)) {
    (void)c.skip();
    if (c.finish()) return refuse("null", kInvalidRequest, "Invalid Request: not an object");
  }
  Fields fields;
  if (c.ok()) {
    std::string_view key;
    for (Members m(c); m.next(key);) {
      Value* const target = fields.of(key);
      const Value value = c.take();
      if (target != nullptr) *target = value;
    }
  }
  if (!c.finish()) {
    return refuse("null", kParseError,
                  fmt::format("Parse error: {} at byte {}", name(c.fault()), c.fault_at()));
  }
  if (c.saw_invalid_utf8()) return refuse("null", kParseError, "Parse error: not UTF-8");
  return build(fields);
}

Value member(const Value& object, std::string_view name) {
  Value found;
  if (!object.is(Kind::object)) return found;
  Cursor c(object.raw);
  std::string_view key;
  for (Members m(c); m.next(key);) {
    const bool wanted = key == name;
    const Value value = c.skip();
    if (wanted) found = value;
  }
  return found;
}

std::optional<std::string> string_member(const Value& object, std::string_view name) {
  const Value value = member(object, name);
  if (!value.is(Kind::string)) return std::nullopt;
  return value.text().str();
}

}  // namespace dragoman::mcp
