// SPDX-License-Identifier: Apache-2.0
// The tools for agents on other machines.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/mcp/cloud_backend.hpp"
#include "dragoman/mcp/cloud_registry.hpp"
#include "dragoman/mcp/tool_reply.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::mcp {

struct CloudOptions {
  std::vector<std::filesystem::path> environment_files;  // the first that exists is read
  std::filesystem::path home;
  std::string working_dir;
  std::vector<std::string> roots;
};

class CloudTools {
 public:
  // `backends` that are absent answer UNSUPPORTED.
  CloudTools(task::Service& service, CloudOptions options,
             std::vector<std::unique_ptr<CloudBackend>> backends);

  [[nodiscard]] Result<ToolOutcome> submit(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> status(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> results(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> wait(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> cancel(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> list_environments(const ToolRequest& request);

  [[nodiscard]] Result<Environments> environments() const;
  // Those that ended before `before` and, unless it is a dry run, no more.
  [[nodiscard]] Result<std::vector<CloudTask>> old_tasks(std::int64_t before);
  [[nodiscard]] Result<void> remove(const CloudTask& task) { return registry_.remove(task); }
  [[nodiscard]] Result<std::vector<CloudTask>> known() { return registry_.list(); }

 private:
  [[nodiscard]] Result<CloudBackend*> backend(std::string_view name);
  // The task that is meant, entered in the registry when only its backend knew it.
  [[nodiscard]] Result<CloudTask> find(const ToolRequest& request);
  // As its backend says it stands now.
  [[nodiscard]] Result<CloudTask> refreshed(CloudTask task);
  [[nodiscard]] Result<CloudTask> take_news(const CloudTask& task, const CloudNews& news);
  [[nodiscard]] Result<std::vector<CloudTask>> refreshed_all(const std::string& env_id,
                                                             bool everything);
  [[nodiscard]] Result<CloudTask> adopt(std::string_view backend, const CloudNews& news);

  task::Service& service_;
  CloudOptions options_;
  CloudRegistry registry_;
  std::vector<std::unique_ptr<CloudBackend>> backends_;
};

}  // namespace dragoman::mcp
