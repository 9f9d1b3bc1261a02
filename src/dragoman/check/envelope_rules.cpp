// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/envelope_rules.hpp"

#include <fmt/format.h>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman::check {
namespace {

constexpr std::size_t kIdShown = 60;  // characters of what a server wrote
// Of errors that name no category: readers report it as a variant.
constexpr std::string_view kErrorId = "codex/v3.6/error/v1";

void hold_against_schema(std::string_view json, const DelegatorEnvelope& envelope, JsonRules& rules,
                         const JsonReport& report) {
  const std::string id = schema_of(envelope);
  if (rules.against_schema(json, id, report) || id == kErrorId) return;
  if (!means_to_be_envelope(envelope)) return;
  const std::string_view named = envelope.schema_id.absent() ? json : envelope.schema_id.raw;
  report({"schema", static_cast<std::size_t>(named.data() - json.data()),
          fmt::format("/schema_id: there is no schema '{}'", shortened(id, kIdShown)),
          "name one that 'dragoman schema' lists: codex/v3.6/CATEGORY/v1"});
}

}  // namespace

void look_at_envelope(std::string_view line, JsonRules& rules, const JsonReport& report,
                      const JsonReport& wrapped) {
  DelegatorEnvelope outer;
  json::Cursor cursor(line);
  read_delegator_envelope(cursor, outer);
  Arena arena;
  const std::string_view inner =
      means_to_be_envelope(outer) ? std::string_view() : wrapped_envelope(outer, arena);
  if (inner.empty()) {
    hold_against_schema(line, outer, rules, report);
    return;
  }
  DelegatorEnvelope envelope;
  json::Cursor within(inner);
  read_delegator_envelope(within, envelope);
  hold_against_schema(inner, envelope, rules, wrapped);
}

}  // namespace dragoman::check
