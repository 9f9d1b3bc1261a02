// SPDX-License-Identifier: Apache-2.0
// The cloud tasks that were handed over from here, or that somebody asked about.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/log/log.hpp"
#include "dragoman/mcp/cloud_backend.hpp"

namespace dragoman::mcp {

// T-cloud- and the time, then 16 characters of chance.
[[nodiscard]] std::string new_cloud_id();

// Law: the first terminal state stays, and completed_at is set with it.
class CloudRegistry {
 public:
  explicit CloudRegistry(Log& log) : log_(log) {}

  [[nodiscard]] Result<void> add(const CloudTask& task);
  // By our id, by the backend's, or by its URL.
  [[nodiscard]] Result<std::optional<CloudTask>> find(std::string_view id);
  [[nodiscard]] Result<std::vector<CloudTask>> list();  // newest first
  // `change` is given the newest, perhaps several times, and returns whether to write. A task in a
  // terminal state is not offered. The task as it stands afterwards.
  [[nodiscard]] Result<CloudTask> change(std::string_view id,
                                         const std::function<bool(CloudTask&)>& change);
  [[nodiscard]] Result<void> remove(const CloudTask& task);

 private:
  Log& log_;
};

}  // namespace dragoman::mcp
