// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_envelope.hpp"

#include <fmt/format.h>

#include "dragoman/dialect/field_table.hpp"
#include "dragoman/dialect/line_events.hpp"

namespace dragoman {
namespace {

using E = DelegatorEnvelope;
constexpr FieldTable kEnvelope({
    Slot<E>{"schema_id", &E::schema_id},
    {"tool", &E::tool},
    {"tool_category", &E::tool_category},
    {"request_id", &E::request_id},
    {"status", &E::status},
    {"meta", &E::meta},
    {"data", &E::data},
    {"error", &E::error},
    {"result", &E::result},
    {"content", &E::content},
    {"structuredContent", &E::structured_content},
    {"method", &E::method},
    {"params", &E::params},
});

struct Part {
  json::Value text;
};
constexpr FieldTable kPart({Slot<Part>{"text", &Part::text}});

struct Coded {
  json::Value code;
};
constexpr FieldTable kCoded({Slot<Coded>{"code", &Coded::code}});

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The next part of a path, and what is behind it.
std::string_view next_part(std::string_view& rest) {
  const std::size_t slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  return part;
}

bool is_version(std::string_view part) {
  if (part.substr(0, 1) != "v") return false;
  const std::size_t dot = part.find('.');
  return dot != std::string_view::npos && all_digits(part.substr(1, dot - 1)) &&
         all_digits(part.substr(dot + 1));
}

// An object whose schema_id is one of the Delegator's.
bool is_envelope(std::string_view json, Arena& arena) {
  json::Cursor cursor(json, json::Cursor::Scalars::exact);
  DelegatorEnvelope inner;
  if (!cursor.next_is(json::Kind::object)) return false;
  read_delegator_envelope(cursor, inner);
  return cursor.finish() && is_delegator_schema_id(string_of(inner.schema_id, arena));
}

DelegatorCategory category_named(std::string_view name) {
  if (name == "execution_ack") return DelegatorCategory::execution_ack;
  if (name == "wait_result") return DelegatorCategory::wait_result;
  if (name == "status_snapshot") return DelegatorCategory::status_snapshot;
  if (name == "result_set") return DelegatorCategory::result_set;
  if (name == "registry_info") return DelegatorCategory::registry_info;
  if (name == "error") return DelegatorCategory::error;
  return DelegatorCategory::unknown;
}

}  // namespace

bool is_delegator_schema_id(std::string_view id) {
  std::string_view rest = id;
  if (next_part(rest) != "codex" || !is_version(next_part(rest))) return false;
  const std::string_view category = next_part(rest);
  if (category.empty() ||
      category.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string_view::npos) {
    return false;
  }
  return rest.substr(0, 1) == "v" && all_digits(rest.substr(1));
}

bool is_short_timeout(const DelegatorEnvelope& object) {
  if (!object.schema_id.absent() || object.status.raw != R"("error")") return false;
  Coded error;
  if (object.error.is(json::Kind::object)) read_object(object.error.raw, kCoded, error);
  return error.code.raw == R"("TIMEOUT")";
}

std::string schema_of(const DelegatorEnvelope& envelope) {
  const auto word = [](const json::Value& value) {
    return value.is(json::Kind::string) ? value.text().str() : std::string();
  };
  const std::string id = word(envelope.schema_id);
  return id.empty() ? fmt::format("codex/v3.6/{}/v1", word(envelope.tool_category)) : id;
}

void read_delegator_envelope(json::Cursor& cursor, DelegatorEnvelope& envelope) {
  bool duplicate = false;
  pass_object(cursor, kEnvelope, envelope, duplicate);
  envelope.duplicate_key = duplicate;
}

std::string_view wrapped_envelope(const DelegatorEnvelope& outer, Arena& arena) {
  DelegatorEnvelope result = outer;
  if (outer.result.is(json::Kind::object)) {
    result = {};
    json::Cursor cursor(outer.result.raw);
    read_delegator_envelope(cursor, result);
  }
  if (result.content.is(json::Kind::array)) {
    json::Cursor cursor(result.content.raw);
    json::Elements parts(cursor);
    if (parts.next()) {
      Part part;
      bool duplicate = false;
      pass_object(cursor, kPart, part, duplicate);
      const std::string_view text = string_of(part.text, arena);
      if (is_envelope(text, arena)) return text;
    }
  }
  if (result.structured_content.is(json::Kind::object) &&
      is_envelope(result.structured_content.raw, arena)) {
    return result.structured_content.raw;
  }
  return {};
}

DelegatorCategory category_of(const DelegatorEnvelope& envelope, Variants& variants, Arena& arena) {
  if (!envelope.meta.is(json::Kind::object)) variants.note("meta is missing");
  const std::string_view named = string_of(envelope.tool_category, arena);
  std::string_view rest = string_of(envelope.schema_id, arena);
  next_part(rest);
  next_part(rest);
  const DelegatorCategory by_id = category_named(next_part(rest));
  if (by_id == DelegatorCategory::error) variants.note("the schema_id names no category");
  if (named.empty()) {
    variants.note("tool_category is missing");
    return by_id;
  }
  const DelegatorCategory by_name = category_named(named);
  return by_name == DelegatorCategory::unknown ? by_id : by_name;
}

bool reports_error(const DelegatorEnvelope& envelope, Variants& variants) {
  if (envelope.status.raw == R"("success")") variants.note("status is \"success\"");
  return envelope.status.raw == R"("error")" ||
         (envelope.status.absent() && envelope.error.is(json::Kind::object));
}

std::string_view state_named(std::string_view given, Variants& variants) {
  if (given == "canceled") {
    variants.note("state is \"canceled\"");
    return "cancelled";
  }
  if (given == "completed_with_warnings") {
    variants.note("state is \"completed_with_warnings\"");
    return "completed";
  }
  if (given == "completed_with_errors") {
    variants.note("state is \"completed_with_errors\"");
    return "failed";
  }
  return given;
}

}  // namespace dragoman
