// SPDX-License-Identifier: Apache-2.0
// The answers of the tools as text for people and models: the summary first, one fact a line, what
// to do next last. What an agent wrote stays on its line or in its fence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/mcp/environments.hpp"
#include "dragoman/task/envelope.hpp"

namespace dragoman::mcp {

// One side of the two families of tools.
enum class Origin : std::uint8_t { local, cloud };

[[nodiscard]] std::string markdown_error(std::string_view tool, const Error& error);
[[nodiscard]] std::string markdown_ack(const task::Acknowledgement& ack,
                                       const task::AckFacts& facts, Origin origin);
[[nodiscard]] std::string markdown_results(const task::TaskResults& results, Origin origin,
                                           std::string_view apply = {});
[[nodiscard]] std::string markdown_status(const task::Snapshot& snapshot,
                                          const task::SnapshotFacts& facts, Origin origin,
                                          const std::vector<ask::QuestionRecord>& questions);
[[nodiscard]] std::string markdown_cancel(const task::Cancelled& cancelled);
[[nodiscard]] std::string markdown_clean(const task::Cleaned& cleaned, bool dry_run);
[[nodiscard]] std::string markdown_environments(const Environments& environments);

// "8 m 23 s"
[[nodiscard]] std::string spoken_duration(std::int64_t seconds);

}  // namespace dragoman::mcp
