// SPDX-License-Identifier: Apache-2.0
// An answer of a Delegator server, taken apart. Read leniently: servers in the field spell things
// in ways the specification does not know, and each such spelling is noted.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/json/cursor.hpp"

namespace dragoman {

struct DelegatorEnvelope {
  json::Value schema_id;
  json::Value tool;
  json::Value tool_category;
  json::Value request_id;
  json::Value status;
  json::Value meta;
  json::Value data;
  json::Value error;
  // Around an envelope: JSON-RPC and MCP tool results.
  json::Value result;
  json::Value content;
  json::Value structured_content;
  json::Value method;
  json::Value params;

  bool duplicate_key = false;
};

enum class DelegatorCategory : std::uint8_t {
  execution_ack,
  wait_result,
  status_snapshot,
  result_set,
  registry_info,
  error,
  unknown,
};

// Spellings that are understood and not specified.
class Variants {
 public:
  void note(std::string_view what) {
    if (count_ < notes_.size()) notes_[count_++] = what;
  }
  [[nodiscard]] std::span<const std::string_view> all() const { return {notes_.data(), count_}; }

 private:
  std::array<std::string_view, 8> notes_;
  std::size_t count_ = 0;
};

// `codex/v3.6/wait_result/v1`
[[nodiscard]] bool is_delegator_schema_id(std::string_view id);
// An error TIMEOUT without a schema_id, which is how the document shows it where it speaks of the
// watchdog.
[[nodiscard]] bool is_short_timeout(const DelegatorEnvelope& object);

// Whether an object means to be an envelope, well formed or not.
[[nodiscard]] inline bool means_to_be_envelope(const DelegatorEnvelope& object) {
  return !object.schema_id.absent() || !object.tool_category.absent();
}

// The schema that an envelope is held to: the one it names, else that of its category.
[[nodiscard]] std::string schema_of(const DelegatorEnvelope& envelope);

// Reads the object at the cursor.
void read_delegator_envelope(json::Cursor& cursor, DelegatorEnvelope& envelope);

// The envelope inside a JSON-RPC answer or an MCP tool result, decoded; empty when there is none.
[[nodiscard]] std::string_view wrapped_envelope(const DelegatorEnvelope& outer, Arena& arena);

[[nodiscard]] DelegatorCategory category_of(const DelegatorEnvelope& envelope, Variants& variants,
                                            Arena& arena);

// Whether the envelope reports an error.
[[nodiscard]] bool reports_error(const DelegatorEnvelope& envelope, Variants& variants);

// canceled → cancelled, completed_with_warnings → completed, completed_with_errors → failed.
[[nodiscard]] std::string_view state_named(std::string_view given, Variants& variants);

}  // namespace dragoman
