// SPDX-License-Identifier: Apache-2.0
// The answers of task operations as Delegator envelopes: schemas/delegator describes them.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

enum class Capability : std::uint8_t { background, foreground };

[[nodiscard]] std::string ack_envelope(const Acknowledgement& ack,
                                       Capability capability = Capability::background);
[[nodiscard]] std::string status_envelope(const Snapshot& snapshot, bool verbose, ask::Desk& desk);
enum class WaitExpired : std::uint8_t { no, yes };
[[nodiscard]] std::string wait_envelope(const TaskResults& results, WaitExpired expired);
[[nodiscard]] std::string results_envelope(const TaskResults& results);
[[nodiscard]] std::string cancel_envelope(const Cancelled& cancelled);
[[nodiscard]] std::string clean_envelope(const Cleaned& cleaned, const CleanOptions& options);

// `tool` is the one that was called; its category decides the schema.
[[nodiscard]] std::string error_envelope(std::string_view tool, const Error& error);

}  // namespace dragoman::task
