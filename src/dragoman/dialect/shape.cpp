// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/shape.hpp"

#include <algorithm>
#include <array>

#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/line_events.hpp"

namespace dragoman {
namespace {

constexpr std::array<std::string_view, 16> kClaudeTypes = {
    "system",
    "assistant",
    "user",
    "result",
    "stream_event",
    "control_request",
    "control_response",
    "control_cancel_request",
    "rate_limit_event",
    "tool_progress",
    "tool_use_summary",
    "prompt_suggestion",
    "conversation_reset",
    "command_lifecycle",
    "keep_alive",
    "auth_status",
};

constexpr std::array<std::string_view, 7> kClaudeCompany = {
    "session_id", "message", "subtype", "event", "response", "request", "sessionId",
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [text](std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
  });
}

// The members that tell, and which were there at all.
struct Signs {
  json::Value type;
  json::Value method;
  json::Value schema_id;
  bool claude_company = false;
  bool is_error = false;
  bool leaf_uuid = false;
  bool codex_message = false;  // "msg" with a string "type"
  bool may_be_wrapped = false;
};

bool has_string_type(json::Cursor& cursor) {
  bool found = false;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool is_type = key == "type";
    found |= cursor.skip().is(json::Kind::string) && is_type;
  }
  return found;
}

Signs read_signs(json::Cursor& cursor) {
  Signs signs;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    signs.claude_company |=
        std::find(kClaudeCompany.begin(), kClaudeCompany.end(), key) != kClaudeCompany.end();
    signs.leaf_uuid |= key == "leafUuid";
    signs.is_error |= key == "is_error";
    signs.may_be_wrapped |= key == "result" || key == "content" || key == "structuredContent";
    json::Value* slot = nullptr;
    if (key == "type") slot = &signs.type;
    if (key == "method") slot = &signs.method;
    if (key == "schema_id") slot = &signs.schema_id;
    if (key == "msg" && cursor.next_is(json::Kind::object)) {
      signs.codex_message = has_string_type(cursor);
      continue;
    }
    const json::Value value = cursor.skip();
    if (slot != nullptr) *slot = value;
  }
  return signs;
}

std::optional<Dialect> dialect_of(const Signs& signs, Arena& arena) {
  if (is_delegator_schema_id(string_of(signs.schema_id, arena))) return Dialect::delegator;
  const std::string_view type = string_of(signs.type, arena);
  const bool claude_type =
      std::find(kClaudeTypes.begin(), kClaudeTypes.end(), type) != kClaudeTypes.end();
  if (claude_type && signs.claude_company) return Dialect::claude;
  if (type == "summary" && signs.leaf_uuid) return Dialect::claude;
  if (type == "result" && signs.is_error) return Dialect::claude;  // the documented result
  if (starts_with_any(type, {"thread.", "turn.", "item.", "session."})) return Dialect::codex;
  if (signs.codex_message) return Dialect::codex;
  const std::string_view method = string_of(signs.method, arena);
  if (starts_with_any(method, {"thread/", "turn/", "item/", "codex/event"})) return Dialect::codex;
  return std::nullopt;
}

Shape::Form form_of(json::Cursor& cursor) {
  if (cursor.finish()) return Shape::Form::whole;
  return cursor.fault() == json::Fault::truncated ? Shape::Form::truncated : Shape::Form::broken;
}

}  // namespace

Shape shape_of(std::string_view json, Arena& arena) {
  json::Cursor cursor(json);
  Shape shape;
  if (cursor.next_is(json::Kind::array)) {
    Signs first;
    json::Elements elements(cursor);
    if (elements.next() && cursor.next_is(json::Kind::object)) first = read_signs(cursor);
    while (elements.next()) cursor.skip();
    shape.form = form_of(cursor);
    if (dialect_of(first, arena) == Dialect::claude) shape.dialect = Dialect::claude;
    return shape;
  }
  if (!cursor.next_is(json::Kind::object)) return shape;
  const Signs signs = read_signs(cursor);
  shape.form = form_of(cursor);
  // Of a line that is nested too deeply, what was read before tells as well; its reader will say
  // what is wrong with it.
  if (cursor.fault() == json::Fault::too_deep) shape.form = Shape::Form::whole;
  if (shape.form == Shape::Form::broken) return shape;
  shape.dialect = dialect_of(signs, arena);
  if (cursor.fault() == json::Fault::too_deep) return shape;
  if (shape.form == Shape::Form::whole && !shape.dialect.has_value() && signs.may_be_wrapped) {
    json::Cursor again(json);
    DelegatorEnvelope envelope;
    read_delegator_envelope(again, envelope);
    if (!wrapped_envelope(envelope, arena).empty()) shape.dialect = Dialect::delegator;
  }
  return shape;
}

}  // namespace dragoman
