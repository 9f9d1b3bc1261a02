// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/cloud_registry.hpp"

#include <fmt/format.h>

#include "dragoman/log/fields.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::mcp {
namespace {

constexpr std::string_view kBucket = "cloud_tasks";

LogRecord record_of(const CloudTask& task) {
  return {task.id, write_fields(task), 0, task.state,
          task.completed_at != 0 ? task.completed_at : task.created_at};
}

Result<CloudTask> task_of(const LogRecord& record) {
  DRAGOMAN_TRY(CloudTask task, read_fields<CloudTask>(record.value));
  task.revision = record.revision;
  return task;
}

}  // namespace

bool CloudTask::terminal() const {
  return is_terminal(task_state_named(state).value_or(TaskState::failed));
}

task::Task as_task(const CloudTask& cloud) {
  task::Task task;
  task.id = cloud.id;
  task.tool = "_codex_cloud_submit";
  task.state = cloud.state;
  task.reason = cloud.reason;
  task.text = cloud.text;
  task.summary = cloud.summary;
  task.working_dir = cloud.working_dir;
  task.model = cloud.model;
  task.cancel_reason = cloud.cancel_reason;
  task.created_at = cloud.created_at;
  task.started_at = cloud.created_at;
  task.completed_at = cloud.completed_at;
  return task;
}

std::string new_cloud_id() { return "T-cloud-" + task::random_letters(16); }

Result<void> CloudRegistry::add(const CloudTask& task) {
  DRAGOMAN_TRY(const auto written, write_one(log_, Put{std::string(kBucket), record_of(task), 0}));
  if (!written.applied) return Error{ErrorCode::internal, "a task id was given twice"};
  return {};
}

Result<std::optional<CloudTask>> CloudRegistry::find(std::string_view id) {
  if (is_task_id(id)) {
    DRAGOMAN_TRY(const auto record, log_.get(kBucket, id));
    if (!record) return std::optional<CloudTask>();
    DRAGOMAN_TRY(auto task, task_of(*record));
    return std::optional<CloudTask>(std::move(task));
  }
  while (id.ends_with('/')) id.remove_suffix(1);
  const std::size_t slash = id.rfind('/');
  const std::string_view external = slash == std::string_view::npos ? id : id.substr(slash + 1);
  DRAGOMAN_TRY(auto tasks, list());
  for (CloudTask& task : tasks) {
    if (task.external_id == external) return std::optional<CloudTask>(std::move(task));
  }
  return std::optional<CloudTask>();
}

Result<std::vector<CloudTask>> CloudRegistry::list() {
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = std::string(kBucket)}));
  std::vector<CloudTask> tasks;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto task, task_of(record));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

Result<CloudTask> CloudRegistry::change(std::string_view id,
                                        const std::function<bool(CloudTask&)>& change) {
  for (;;) {
    DRAGOMAN_TRY(auto task, find(id));
    if (!task) return Error{ErrorCode::not_found, fmt::format("no task {}", id), "task"};
    if (task->terminal() || !change(*task)) return *std::move(task);
    if (task->terminal() && task->completed_at == 0) task->completed_at = task::now_ms();
    DRAGOMAN_TRY(const auto written,
                 write_one(log_, Put{std::string(kBucket), record_of(*task), task->revision}));
    if (written.applied) return *std::move(task);
  }
}

Result<void> CloudRegistry::remove(const CloudTask& task) {
  DRAGOMAN_TRY(const auto written,
               write_one(log_, Drop{std::string(kBucket), task.id, task.revision}));
  (void)written;  // refused: it has changed, and is looked at the next time
  return {};
}

}  // namespace dragoman::mcp
