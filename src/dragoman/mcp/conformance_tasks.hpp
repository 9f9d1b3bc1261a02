// SPDX-License-Identifier: Apache-2.0
// Tasks of the conformance fixture: a thread each, kept in memory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

class ConformanceTasks {
 public:
  // What a task does, on its own thread.
  class Run {
   public:
    Run(ConformanceTasks& tasks, std::string id) : tasks_(tasks), id_(std::move(id)) {}

    bool sleep(std::chrono::milliseconds time);  // false: cancelled
    // Waits for answers to all of them; empty: cancelled.
    std::vector<InputResponse> ask(std::vector<InputRequest> requests);

   private:
    ConformanceTasks& tasks_;
    const std::string id_;
  };
  using Work = std::function<Result<ToolResult>(Run&)>;

  explicit ConformanceTasks(std::function<void(const std::string&)> changed)
      : changed_(std::move(changed)) {}
  ~ConformanceTasks();

  [[nodiscard]] std::string start(Work work, std::optional<std::int64_t> ttl);
  [[nodiscard]] Result<TaskView> view(std::string_view id);
  [[nodiscard]] Result<TaskView> wait(std::string_view id, Context& context);
  [[nodiscard]] Result<void> answer(std::string_view id,
                                    const std::vector<InputResponse>& responses);
  [[nodiscard]] Result<TaskView> cancel(std::string_view id);

 private:
  struct Entry {
    TaskView view;
    std::vector<InputResponse> responses;
    std::thread thread;
  };
  void finish(const std::string& id, Result<ToolResult> result);

  const std::function<void(const std::string&)> changed_;
  Mutex mutex_;
  Condition wake_;
  std::map<std::string, Entry, std::less<>> entries_ DRAGOMAN_GUARDED_BY(mutex_);
  bool ending_ DRAGOMAN_GUARDED_BY(mutex_) = false;
};

}  // namespace dragoman::mcp
