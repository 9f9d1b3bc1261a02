// SPDX-License-Identifier: Apache-2.0
// The answers of task operations as Delegator envelopes: schemas/delegator describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

enum class Capability : std::uint8_t { background, foreground };
enum class WaitExpired : std::uint8_t { no, yes };

// "wait_result": decides the schema of what the tool answers, errors included.
[[nodiscard]] std::string_view tool_category(std::string_view tool);

// Everything up to "status"; the caller goes on with meta and data, or error, and closes.
void begin_envelope(json::Writer& w, std::string_view tool, std::string_view status);

// What an acknowledgement says besides.
struct AckFacts {
  Capability capability = Capability::background;
  std::string web_ui_url = {};
  std::string summary = {};  // foreground: how it ended
  std::vector<ask::QuestionRecord> questions = {};
  std::string refused_answer = {};  // as in TaskResults
};
[[nodiscard]] std::string ack_envelope(const Acknowledgement& ack, const AckFacts& facts = {});

// How a snapshot differs from that of the local tasks.
struct SnapshotFacts {
  std::string_view tool = "_codex_local_status";
  bool verbose = false;
  std::vector<std::pair<std::string, std::size_t>> stats = {};  // how many in each state
};
[[nodiscard]] std::string status_envelope(const Snapshot& snapshot, const SnapshotFacts& facts,
                                          ask::Desk& desk);
[[nodiscard]] std::string wait_envelope(const TaskResults& results, WaitExpired expired,
                                        std::string_view tool = "_codex_local_wait");
[[nodiscard]] std::string results_envelope(const TaskResults& results,
                                           std::string_view tool = "_codex_local_results");
[[nodiscard]] std::string cancel_envelope(const Cancelled& cancelled,
                                          std::string_view tool = "_codex_local_cancel",
                                          std::string_view web_ui_url = {});
[[nodiscard]] std::string clean_envelope(const Cleaned& cleaned, const CleanOptions& options);

// `tool` is the one that was called; its category decides the schema.
[[nodiscard]] std::string error_envelope(std::string_view tool, const Error& error,
                                         std::optional<std::int64_t> duration_ms = {});

// "TOOL_ERROR": the codes as clients know them.
[[nodiscard]] std::string_view code_name(ErrorCode code);

}  // namespace dragoman::task
