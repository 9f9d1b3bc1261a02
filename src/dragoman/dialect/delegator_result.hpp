// SPDX-License-Identifier: Apache-2.0
// What a Delegator says about a task that it ran.
#pragma once

#include <vector>

#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/field_table.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// `meta` and `data` of an envelope, together.
struct DelegatorData {
  json::Value task_id;
  json::Value thread_id;
  json::Value state;
  json::Value status;
  json::Value summary;
  json::Value duration_seconds;
  json::Value duration_ms;
  json::Value metadata;
  json::Value output;
  json::Value pending_questions;
  json::Value tasks;
  json::Value queue;
  json::Value recently_completed;
  json::Value progress;
  json::Value position;
  json::Value queue_position;
  json::Value estimated_start_ms;
  json::Value accepted;
  json::Value capability;
  json::Value expected_duration;
  json::Value operation;
  json::Value exit_code;
};

[[nodiscard]] DelegatorData read_delegator_data(const json::Value& meta, const json::Value& data);
[[nodiscard]] DelegatorData read_delegator_data(std::string_view object);

// metadata, with the spellings of other servers folded in.
struct DelegatorMetadata {
  std::vector<FileChange> files;
  bool has_tests = false;
  TestResults tests;
  std::vector<TestCase> failed_tests;  // `tests.tests` points here
  std::string_view thread_id;
  bool has_usage = false;
  json::Value input_tokens;
  json::Value cached_tokens;
  json::Value output_tokens;
  json::Value duration;
  std::string_view task_status;
  std::string_view error_message;
  json::Value error_type;
  std::string_view suggestion;
};

void read_delegator_metadata(const json::Value& metadata, DelegatorMetadata& out,
                             Variants& variants, Arena& arena);

}  // namespace dragoman
