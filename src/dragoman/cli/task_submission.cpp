// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_submission.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/cli/launch_options.hpp"
#include "dragoman/cli/state.hpp"
#include "dragoman/cli/task_door.hpp"
#include "dragoman/engine/session_store.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/agent_request.hpp"

namespace dragoman::cli {
namespace {

using task::Task;

std::string value(const Invocation& invocation, std::string_view option) {
  return invocation.value(option).value_or("");
}

Result<std::string> directory_for(const Invocation& invocation) {
  std::error_code failed;
  const std::string cwd = value(invocation, "cwd");
  std::string found = std::filesystem::canonical(cwd.empty() ? "." : cwd, failed).string();
  if (failed && cwd.empty()) return bad_value(std::string(kNoDirectory));
  if (failed) return bad_value(fmt::format("--cwd: '{}' is not a directory", cwd));
  return found;
}

// As 'dragoman run' chooses it.
std::string agent_for(const Invocation& invocation, const Task& task,
                      const config::Config& settings) {
  if (const auto given = invocation.value("agent")) return *given;
  if (!task.resume.empty()) {
    const auto state = state_directory();
    const auto stored = state ? engine::SessionStore(*state / "sessions").find(task.resume)
                              : std::optional<engine::StoredSession>();
    if (stored) return stored->agent;
  }
  if (starts_a_program(invocation)) return std::string(agent::kProgramAgent);
  const std::string& configured = settings.text("run.agent");
  return configured.empty() ? std::string(agent::kUsualAgent) : configured;
}

// The id of the run whose thread goes on. Empty: the word is the name of a session, or nothing.
Result<std::string> run_to_resume(const std::string& word, Console& console,
                                  task::Service& service) {
  if (word.empty() || agent::is_uuid(word)) return std::string();
  const auto known = service.get(word);
  const bool means_run = word == "last" || is_run_id(word) || is_task_id(word);
  if (!known && known.error().code == ErrorCode::not_found && !means_run) return std::string();
  if (!known) return known.error();
  if (run_id_of(word) != known->id)
    console.note(fmt::format("going on with {}: {}", known->id, printable(title_line(*known))));
  return known->id;
}

// A thread's task is as the one before it; what follows changes that.
Result<Task> begin_task(const Invocation& invocation, Console& console, task::Service& service) {
  Task task;
  task.resume = value(invocation, "resume");
  DRAGOMAN_TRY(const auto before, run_to_resume(task.resume, console, service));
  if (!before.empty()) {
    auto next = service.next_in_thread(before, value(invocation, "agent"));
    if (!next && next.error().reason == "bad_value")
      return bad_value(fmt::format("--resume: {}", next.error().message));
    return next;
  }
  if (invocation.behind_dashes()) task.words = *invocation.behind_dashes();
  DRAGOMAN_TRY(task.working_dir, directory_for(invocation));
  DRAGOMAN_TRY(const auto settings,
               load_settings(invocation, process::own_environment(), task.working_dir));
  task.agent = agent_for(invocation, task, settings);
  take_limits(settings, task);
  return task;
}

Result<Task> task_from(const Invocation& invocation, Console& console, task::Service& service) {
  DRAGOMAN_TRY(auto task, begin_task(invocation, console, service));
  if (!invocation.arguments().empty()) {
    DRAGOMAN_TRY(task.text, text_or_stdin(invocation.arguments()[0]));
  }
  if (invocation.has("permission-mode")) task.words.clear();  // those of the mode before
  if (invocation.behind_dashes()) task.words = *invocation.behind_dashes();
  if (invocation.has("cwd") || task.working_dir.empty()) {
    DRAGOMAN_TRY(task.working_dir, directory_for(invocation));
  }
  for (const auto& [option, slot] : {std::pair{"model", &task.model},
                                     {"sandbox", &task.mode},
                                     {"permission-mode", &task.permission_mode},
                                     {"env-policy", &task.env_policy},
                                     {"repository", &task.repository},
                                     {"branch", &task.branch}}) {
    if (auto said = invocation.value(option)) *slot = *std::move(said);
  }
  DRAGOMAN_CHECK(check_variables(invocation));
  if (invocation.has("env")) task.environment = invocation.values("env");
  if (invocation.has("needs")) task.needs = invocation.values("needs");
  if (const auto schema = invocation.value("output-schema"))
    task.output_schema = std::filesystem::absolute(*schema).string();
  task.allow_destructive_git = invocation.has("allow-destructive-git");
  for (const auto& [option, slot] : {std::pair{"idle-timeout", &task.idle_ms},
                                     {"hard-timeout", &task.hard_ms},
                                     {"grace", &task.grace_ms},
                                     {"keep", &task.keep_ms}}) {
    DRAGOMAN_TRY(const auto time, duration_of(invocation, option));
    if (time) *slot = time->count();
  }
  return task;
}

// An agent that lacks words it needs, or is given options that mean nothing to it, would be started
// only to say so.
Result<void> check_request(const Task& task) {
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr) return {};  // of a task that is resumed: the service refuses it
  const auto checked = agent->check(task::agent_request(task));
  if (checked) return {};
  return bad_value(fmt::format("--agent {}: {}", task.agent, checked.error().message));
}

}  // namespace

Result<Task> task_to_submit(const Invocation& invocation, Console& console,
                            task::Service& service) {
  DRAGOMAN_TRY(auto task, task_from(invocation, console, service));
  DRAGOMAN_CHECK(check_request(task));
  return task;
}

}  // namespace dragoman::cli
