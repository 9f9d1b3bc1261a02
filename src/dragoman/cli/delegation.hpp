// SPDX-License-Identifier: Apache-2.0
// The tools that `mcp` and `serve` offer, as this machine is configured.
#pragma once

#include <memory>
#include <vector>

#include "dragoman/cli/task_store.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/mcp/delegation_tools.hpp"

namespace dragoman::cli {

// `service` must outlive the tools.
[[nodiscard]] std::unique_ptr<mcp::DelegationTools> make_delegation_tools(
    task::Service& service, const TaskStore& store, const config::Config& settings,
    mcp::Upkeep upkeep);

}  // namespace dragoman::cli
