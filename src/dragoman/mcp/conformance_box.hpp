// SPDX-License-Identifier: Apache-2.0
// The tools, resources and prompts that the protocol's official conformance suite calls by name.
// Served by the hidden --conformance; nothing here touches tasks, agents or files.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/mcp/conformance_tasks.hpp"
#include "dragoman/mcp/tool.hpp"

namespace dragoman::mcp {

class ConformanceBox final : public ToolBox {
 public:
  explicit ConformanceBox(std::string version);

  [[nodiscard]] const ServerInfo& info() const override { return info_; }
  [[nodiscard]] Abilities abilities() const override;
  [[nodiscard]] const std::vector<ToolSpec>& tools() const override { return tools_; }
  [[nodiscard]] Result<ToolAnswer> call(const Call& call) override;
  [[nodiscard]] Result<std::vector<ResourceSpec>> resources() override;
  [[nodiscard]] Result<std::vector<ResourceSpec>> templates() override;
  [[nodiscard]] Result<ResourceAnswer> read(const Call& call) override;
  [[nodiscard]] Result<std::vector<PromptSpec>> prompts() override;
  [[nodiscard]] Result<PromptAnswer> prompt(const Call& call) override;
  [[nodiscard]] Result<Completion> complete(const CompletionQuery& query) override;
  [[nodiscard]] Result<TaskView> task(std::string_view id) override { return tasks_.view(id); }
  [[nodiscard]] Result<TaskView> wait_task(std::string_view id, Context& context) override {
    return tasks_.wait(id, context);
  }
  [[nodiscard]] Result<void> answer_task(std::string_view id,
                                         const std::vector<InputResponse>& responses) override {
    return tasks_.answer(id, responses);
  }
  [[nodiscard]] Result<TaskView> cancel_task(std::string_view id) override {
    return tasks_.cancel(id);
  }
  [[nodiscard]] std::chrono::milliseconds progress_interval() const override {
    return std::chrono::milliseconds(0);  // the suite counts notifications 50 ms apart
  }
  [[nodiscard]] Changes wait_for_changes(std::uint64_t& cursor,
                                         std::chrono::milliseconds timeout) override;

  // For the tools.
  void publish(Changes changes);
  [[nodiscard]] ConformanceTasks& task_shelf() { return tasks_; }

 private:
  const ServerInfo info_;
  const std::vector<ToolSpec> tools_;
  Mutex mutex_;
  Condition wake_;
  std::deque<Changes> changes_ DRAGOMAN_GUARDED_BY(mutex_);
  std::uint64_t first_change_ DRAGOMAN_GUARDED_BY(mutex_) = 1;  // the number of the oldest kept
  ConformanceTasks tasks_;                                      // last: its threads publish
};

// The tools themselves.
struct ConformanceTool {
  ToolSpec spec;
  Result<ToolAnswer> (*run)(ConformanceBox& box, const Call& call);
};
[[nodiscard]] const std::vector<ConformanceTool>& conformance_tools();
void add_conformance_questions(std::vector<ConformanceTool>& tools);
void add_conformance_jobs(std::vector<ConformanceTool>& tools);

// Shared by tools and prompts.
inline constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
[[nodiscard]] std::string string_argument(const Call& call, std::string_view name);
[[nodiscard]] ToolAnswer text_result(std::string text);
[[nodiscard]] InputRequest elicitation(std::string key, std::string_view message,
                                       std::string_view properties, std::string_view required);
// What the user put in a field of an accepted form; absent: not answered, or not like that.
[[nodiscard]] std::optional<std::string> form_field(const Call& call, std::string_view key,
                                                    std::string_view field);

}  // namespace dragoman::mcp
