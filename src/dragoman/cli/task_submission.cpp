// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_submission.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "dragoman/agent/agent.hpp"
#include "dragoman/agent/session_store.hpp"
#include "dragoman/cli/io.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/process/environment.hpp"

namespace dragoman::cli {
namespace {

using task::Task;

std::string value(const Invocation& invocation, std::string_view option) {
  return invocation.value(option).value_or("");
}

// As 'dragoman run' chooses it.
Result<std::string> agent_for(const Invocation& invocation, const Task& task) {
  if (const auto given = invocation.value("agent")) return *given;
  if (!task.resume.empty()) {
    const auto state = state_directory();
    const auto stored = state ? agent::SessionStore(*state / "sessions").find(task.resume)
                              : std::optional<agent::StoredSession>();
    if (stored) return stored->agent;
  }
  if (!task.words.empty()) return std::string("command");
  std::error_code gone;
  DRAGOMAN_TRY(const auto settings, load_settings(invocation, process::own_environment(),
                                                  std::filesystem::current_path(gone)));
  const std::string& configured = settings.text("run.agent");
  return configured.empty() ? std::string("claude") : configured;
}

Result<Task> task_from(const Invocation& invocation) {
  Task task;
  task.text = invocation.arguments().empty() ? "" : invocation.arguments()[0];
  if (task.text == "-") {
    DRAGOMAN_TRY(Input input, Input::open("-"));
    task.text.clear();
    for (;;) {
      DRAGOMAN_TRY(const auto bytes, input.read());
      if (bytes.empty()) break;
      task.text.append(bytes);
      if (task.text.size() > 2 * 1024 * 1024) break;  // refused below
    }
  }
  if (invocation.behind_dashes()) task.words = *invocation.behind_dashes();
  task.resume = value(invocation, "resume");
  DRAGOMAN_TRY(task.agent, agent_for(invocation, task));
  std::error_code failed;
  const std::string cwd = value(invocation, "cwd");
  task.working_dir = std::filesystem::canonical(cwd.empty() ? "." : cwd, failed).string();
  if (failed) {
    return bad_value(fmt::format("--cwd: '{}' is not a directory", cwd));
  }
  task.model = value(invocation, "model");
  task.mode = value(invocation, "sandbox");
  task.permission_mode = value(invocation, "permission-mode");
  task.environment = invocation.values("env");
  task.env_policy = value(invocation, "env-policy");
  if (const auto schema = invocation.value("output-schema"))
    task.output_schema = std::filesystem::absolute(*schema).string();
  task.allow_destructive_git = invocation.has("allow-destructive-git");
  task.needs = invocation.values("needs");
  task.repository = invocation.value("repository").value_or("");
  task.branch = invocation.value("branch").value_or("");
  for (const auto& [option, slot] : {std::pair{"idle-timeout", &task.idle_ms},
                                     {"hard-timeout", &task.hard_ms},
                                     {"grace", &task.grace_ms}}) {
    DRAGOMAN_TRY(const auto time, duration_of(invocation, option));
    if (time) *slot = time->count();
  }
  return task;
}

// What was not said is as it was in the task whose thread goes on.
Result<void> take_over(Task& task, const Invocation& invocation, const Task& parent) {
  if (parent.thread_id.empty()) {
    return Error{ErrorCode::not_found, fmt::format("{} has no thread to resume", parent.id),
                 "thread"};
  }
  if (invocation.has("agent") && task.agent != parent.agent) {
    return bad_value(fmt::format("--resume: {} is a task of {}", parent.id, parent.agent));
  }
  task.tool = "_codex_local_resume";
  task.parent = parent.id;
  task.resume = parent.thread_id;
  task.agent = parent.agent;
  if (!invocation.has("cwd")) task.working_dir = parent.working_dir;
  for (const auto& [mine, theirs] : {std::pair{&task.model, &parent.model},
                                     {&task.mode, &parent.mode},
                                     {&task.permission_mode, &parent.permission_mode},
                                     {&task.env_policy, &parent.env_policy}}) {
    if (mine->empty()) *mine = *theirs;
  }
  return {};
}

// An agent that lacks words it needs, or is given options that mean nothing to it, would be started
// only to say so.
Result<void> check_request(const Task& task) {
  const auto agent = agent::make_agent(task.agent);
  if (agent == nullptr) return {};  // of a task that is resumed: the service refuses it
  agent::Request request;
  request.words = task.words;
  request.model = task.model;
  request.sandbox = task.mode;
  request.permission_mode = task.permission_mode;
  request.output_schema = task.output_schema;
  const auto checked = agent->check(request);
  if (checked) return {};
  return bad_value(fmt::format("--agent {}: {}", task.agent, checked.error().message));
}

}  // namespace

Result<Task> task_to_submit(const Invocation& invocation, task::Service& service) {
  DRAGOMAN_TRY(auto task, task_from(invocation));
  if (task::is_task_id(task.resume)) {
    DRAGOMAN_TRY(const auto parent, service.get(task.resume));
    DRAGOMAN_CHECK(take_over(task, invocation, parent));
  }
  DRAGOMAN_CHECK(check_request(task));
  return task;
}

}  // namespace dragoman::cli
