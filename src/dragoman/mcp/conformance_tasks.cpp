// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/conformance_tasks.hpp"

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::mcp {
namespace {

bool is_open(const TaskView& view) {
  return view.status == TaskStatus::working || view.status == TaskStatus::input_required;
}

Error unknown(std::string_view id) {
  return {ErrorCode::not_found, fmt::format("Task not found: {}", id)};
}

std::string new_id() { return "task-" + random_hex(16); }

}  // namespace

bool ConformanceTasks::Run::sleep(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  Lock lock(tasks_.mutex_);
  while (is_open(tasks_.entries_.at(id_).view) && !tasks_.ending_) {
    if (std::chrono::steady_clock::now() >= until) return true;
    tasks_.wake_.wait_until(lock.mutex(), until);
  }
  return false;
}

std::vector<InputResponse> ConformanceTasks::Run::ask(std::vector<InputRequest> requests) {
  {
    const Lock lock(tasks_.mutex_);
    Entry& entry = tasks_.entries_.at(id_);
    if (!is_open(entry.view)) return {};
    entry.view.requests = std::move(requests);
    entry.view.status = TaskStatus::input_required;
    entry.view.updated_at = task::now_ms();
  }
  tasks_.wake_.notify_all();
  tasks_.changed_(id_);
  Lock lock(tasks_.mutex_);
  Entry& entry = tasks_.entries_.at(id_);
  while (entry.view.status == TaskStatus::input_required && !tasks_.ending_) {
    tasks_.wake_.wait(lock.mutex());
  }
  return entry.view.status == TaskStatus::working ? entry.responses : std::vector<InputResponse>();
}

ConformanceTasks::~ConformanceTasks() {
  std::vector<std::thread> threads;
  {
    const Lock lock(mutex_);
    ending_ = true;
    for (auto& [id, entry] : entries_) threads.push_back(std::move(entry.thread));
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

std::string ConformanceTasks::start(Work work, std::optional<std::int64_t> ttl) {
  const std::string id = new_id();
  const Lock lock(mutex_);
  Entry& entry = entries_[id];
  entry.view.id = id;
  entry.view.created_at = entry.view.updated_at = task::now_ms();
  entry.view.ttl_ms = ttl.value_or(300'000);
  entry.view.poll_ms = 200;
  entry.thread = std::thread([this, id, work = std::move(work)] {
    Run run(*this, id);
    finish(id, work(run));
  });
  return id;
}

void ConformanceTasks::finish(const std::string& id, Result<ToolResult> result) {
  {
    const Lock lock(mutex_);
    TaskView& view = entries_.at(id).view;
    if (!is_open(view)) return;
    view.status = result ? TaskStatus::completed : TaskStatus::failed;
    if (result) {
      view.result = *std::move(result);
    } else {
      view.error = result.error();
    }
    view.updated_at = task::now_ms();
  }
  wake_.notify_all();
  changed_(id);
}

Result<TaskView> ConformanceTasks::view(std::string_view id) {
  const Lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return unknown(id);
  return found->second.view;
}

Result<TaskView> ConformanceTasks::wait(std::string_view id, Context& context) {
  while (true) {
    DRAGOMAN_TRY(TaskView now, view(id));
    if (now.status != TaskStatus::working) return now;
    if (!context.sleep(std::chrono::milliseconds(20))) return now;
  }
}

Result<void> ConformanceTasks::answer(std::string_view id,
                                      const std::vector<InputResponse>& responses) {
  {
    const Lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return unknown(id);
    Entry& entry = found->second;
    for (const InputResponse& response : responses) {
      const auto open = std::find_if(entry.view.requests.begin(), entry.view.requests.end(),
                                     [&](const auto& each) { return each.key == response.key; });
      if (open == entry.view.requests.end()) continue;
      entry.view.requests.erase(open);
      entry.responses.push_back(response);
      if (entry.view.requests.empty()) entry.view.status = TaskStatus::working;
    }
    entry.view.updated_at = task::now_ms();
  }
  wake_.notify_all();
  changed_(std::string(id));
  return {};
}

Result<TaskView> ConformanceTasks::cancel(std::string_view id) {
  {
    const Lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return unknown(id);
    TaskView& view = found->second.view;
    if (!is_open(view)) return view;
    view.status = TaskStatus::cancelled;
    view.requests.clear();
    view.updated_at = task::now_ms();
  }
  wake_.notify_all();
  changed_(std::string(id));
  return view(id);
}

}  // namespace dragoman::mcp
