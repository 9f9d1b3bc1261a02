// SPDX-License-Identifier: Apache-2.0
// The tools for agents on this machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dragoman/agent/table.hpp"
#include "dragoman/mcp/tool_reply.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/values.hpp"

namespace dragoman::mcp {

struct LocalOptions {
  std::string working_dir;         // where tasks run unless the call says
  std::vector<std::string> roots;  // directories that tasks may run in, and below; empty: all
  // What agents without a program of their own start, by name; absent or empty: not configured.
  std::map<std::string, std::vector<std::string>, std::less<>> programs;
  // For the schemas that agents are handed as files; made when needed, for us alone.
  std::filesystem::path private_directory;
};

class LocalTools {
 public:
  LocalTools(task::Service& service, LocalOptions options)
      : service_(service), options_(std::move(options)) {}

  [[nodiscard]] Result<ToolOutcome> launch(const ToolRequest& request);  // run, exec, resume
  [[nodiscard]] Result<ToolOutcome> status(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> results(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> wait(const ToolRequest& request);
  [[nodiscard]] Result<ToolOutcome> cancel(const ToolRequest& request);
  [[nodiscard]] Result<task::Cleaned> clean(const task::CleanOptions& options);

  // How a task that was started in the foreground is answered, as it stands.
  [[nodiscard]] Result<ToolOutcome> foreground(const task::Task& task,
                                               std::string refused_answer = {});

 private:
  [[nodiscard]] Result<task::Task> task_from(const ToolRequest& request) const;
  [[nodiscard]] Result<void> choose_agent(const ToolRequest& request, task::Task& task) const;
  [[nodiscard]] Result<void> give_program(const agent::AgentRow* agent, task::Task& task) const;
  [[nodiscard]] Result<task::Task> resumed(const ToolRequest& request) const;
  [[nodiscard]] Result<std::string> directory_from(const Arguments& arguments,
                                                   const std::string& standard) const;
  [[nodiscard]] Result<std::string> keep_schema(const std::string& schema) const;
  [[nodiscard]] Result<ToolOutcome> acknowledge(task::Acknowledgement ack);
  // Waits for the end, or for a question: asks it where the client can be asked.
  struct Waited {
    task::Task task;
    std::optional<Asked> asked = {};
    bool expired = false;
    std::string refused_answer = {};  // why what a form brought was not taken
  };
  [[nodiscard]] Result<Waited> wait_for(const std::string& task_id, std::chrono::milliseconds time,
                                        const Call& call);
  [[nodiscard]] Result<ToolOutcome> finish_foreground(const std::string& task_id, const Call& call);
  [[nodiscard]] Result<task::Task> find(const Arguments& arguments);

  task::Service& service_;
  LocalOptions options_;
};

// Checks that are the same for both families of tools.
[[nodiscard]] Result<std::string> checked_task_text(const Arguments& arguments);
[[nodiscard]] Result<std::string> checked_model(const Arguments& arguments);
[[nodiscard]] task::ResultsQuery results_query(const Arguments& arguments);
// The id of the other family is refused with the tool that takes it.
[[nodiscard]] Result<void> refuse_other_origin(std::string_view tool, std::string_view task_id);

}  // namespace dragoman::mcp
