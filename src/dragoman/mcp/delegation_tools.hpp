// SPDX-License-Identifier: Apache-2.0
// The Delegator tools as a ToolBox: fifteen tools on the task service and on cloud backends,
// environment templates, runs as resources, prompts, and every task as a task of the protocol.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/mcp/cloud_tools.hpp"
#include "dragoman/mcp/local_tools.hpp"
#include "dragoman/mcp/repeated_answers.hpp"
#include "dragoman/mcp/tool.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::mcp {

// Who ends what dead processes left behind: the calls themselves, or a timer of whoever serves.
enum class Upkeep : std::uint8_t { with_calls, elsewhere };

struct DelegationOptions {
  std::string version;
  Upkeep upkeep = Upkeep::with_calls;
  LocalOptions local;
  CloudOptions cloud;
};

class DelegationTools final : public ToolBox {
 public:
  // `service` must outlive it. A backend that is not among `backends` answers UNSUPPORTED.
  DelegationTools(task::Service& service, DelegationOptions options,
                  std::vector<std::unique_ptr<CloudBackend>> backends);

  [[nodiscard]] const ServerInfo& info() const override { return info_; }
  [[nodiscard]] Abilities abilities() const override;
  [[nodiscard]] const std::vector<ToolSpec>& tools() const override { return tools_; }
  [[nodiscard]] Result<ToolAnswer> call(const Call& call) override;
  [[nodiscard]] std::optional<std::string> repeat(std::string_view tool,
                                                  std::string_view arguments) override;

  [[nodiscard]] Result<std::vector<ResourceSpec>> resources() override;
  [[nodiscard]] Result<std::vector<ResourceSpec>> templates() override;
  [[nodiscard]] Result<ResourceAnswer> read(const Call& call) override;
  [[nodiscard]] Result<std::vector<PromptSpec>> prompts() override;
  [[nodiscard]] Result<PromptAnswer> prompt(const Call& call) override;
  [[nodiscard]] Result<Completion> complete(const CompletionQuery& query) override;

  [[nodiscard]] Result<TaskView> task(std::string_view id) override;
  [[nodiscard]] Result<TaskView> wait_task(std::string_view id, Context& context) override;
  [[nodiscard]] Result<void> answer_task(std::string_view id,
                                         const std::vector<InputResponse>& responses) override;
  void tell_progress(const InputRequest& question, Context& context) override;
  [[nodiscard]] bool still_asked(const InputRequest& question) override;
  [[nodiscard]] Result<TaskView> cancel_task(std::string_view id) override;
  [[nodiscard]] Result<TaskList> task_list(std::string_view cursor) override;
  [[nodiscard]] Changes wait_for_changes(std::uint64_t& cursor,
                                         std::chrono::milliseconds timeout) override;

 private:
  [[nodiscard]] Result<ToolOutcome> dispatch(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> clean(const ToolRequest& request);
  [[nodiscard]] Result<TaskView> state_of(const task::Task& task);
  [[nodiscard]] Result<TaskView> view_of(const task::Task& task);
  void look_after_the_dead();
  // What an answer made from now on is made from; absent: the store cannot say.
  [[nodiscard]] std::optional<AnswerBasis> basis();

  task::Service& service_;
  const Upkeep upkeep_;
  LocalTools local_;
  CloudTools cloud_;
  ServerInfo info_;
  std::vector<ToolSpec> tools_;
  RepeatedAnswers answers_;
  // Milliseconds since 1970.
  std::atomic<std::int64_t> looked_{0};
  std::atomic<std::int64_t> swept_{0};
};

}  // namespace dragoman::mcp
