// SPDX-License-Identifier: Apache-2.0
// Cloud tasks on a fleet of our own: an environment names its servers and its queue.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "dragoman/base/result.hpp"
#include "dragoman/mcp/cloud_backend.hpp"
#include "dragoman/mcp/environments.hpp"

namespace dragoman::mcp {

struct FleetOptions {
  // What environments.json says now; tasks are found again through the environment they belong to.
  std::function<Result<Environments>()> environments;
  std::string directory;  // for the local copy of the fleet's records; empty: a temporary one
};

// A task with several attempts is that many tasks of the fleet. They are ranked when all have
// ended: completed before failed, and the one with fewer failed tests first; attempt 1 is the best.
[[nodiscard]] std::unique_ptr<CloudBackend> make_fleet_backend(FleetOptions options);

}  // namespace dragoman::mcp
