// SPDX-License-Identifier: Apache-2.0
// What a task printed and did, read back from its events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/run/metadata.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

struct TaskResults {
  Task task;
  std::string summary;
  std::string metadata;  // JSON
  bool output_included = false;
  CutOutput output;
  std::size_t max_bytes = 0;
  std::uint64_t event_count = 0;
  bool events_included = false;
  std::vector<std::string> events;  // JSON lines, the last ones
  std::string partial_results;      // of a timeout, JSON: last_events and last_output
  std::vector<ask::QuestionRecord> questions;
  std::string refused_answer;  // why what a client's form brought was not taken; empty: it was
};

struct ResultsQuery {
  std::optional<bool> include_output;
  std::size_t max_output_bytes = kDefaultOutputBytes;
  bool include_events = false;
};

[[nodiscard]] Result<TaskResults> results_of(Service& service, const Task& task,
                                             const ResultsQuery& query);

}  // namespace dragoman::task
