// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/delegation_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"

namespace dragoman::mcp {
namespace {

using enum ParameterType;

constexpr std::int64_t kDaySeconds = 86400;

Parameter format() {
  return {.name = "format",
          .description = "What the text of the answer is; the structured answer is always there",
          .standard = "\"markdown\"",
          .choices = {"markdown", "json"}};
}

Parameter task_id(std::string_view example, bool required = true) {
  return {.name = "task_id", .description = example, .required = required};
}

Parameter include_output() {
  return {.name = "include_output",
          .type = flag,
          .description =
              "With what the agent printed; that of failed and timed-out tasks is "
              "always there"};
}

Parameter max_output_bytes() {
  return {.name = "max_output_bytes",
          .type = integer,
          .description = "Limit of stdout and stderr together; the middle is left out",
          .standard = "65536",
          .least = 1024,
          .most = 16777216};
}

Parameter include_events() {
  return {.name = "include_events",
          .type = flag,
          .description = "With the last 50 events of the agent",
          .standard = "false"};
}

Parameter attempt() {
  return {.name = "attempt",
          .type = integer,
          .description = "Which attempt's diff",
          .standard = "1",
          .least = 1,
          .most = 4};
}

Parameter seconds(std::string_view name, std::string_view description, std::string_view standard,
                  std::int64_t least, std::int64_t most) {
  return {.name = name,
          .type = integer,
          .description = description,
          .standard = standard,
          .least = least,
          .most = most};
}

Parameter mode(bool preview) {
  std::vector<std::string_view> modes(agent::kModes.begin(), agent::kModes.end());
  if (!preview) modes.assign(agent::kSandboxes.begin(), agent::kSandboxes.end());
  return {.name = "mode",
          .description = "What the agent may touch. preview: it makes a plan and changes nothing",
          .standard = "\"read-only\"",
          .choices = std::move(modes)};
}

std::string_view standard_agent() {
  static const std::string kName = fmt::format("\"{}\"", agent::kDelegatedAgent);
  return kName;
}

Parameter task_text(std::string_view description) {
  return {.name = "task", .description = description, .required = true};
}

// What run, exec and resume share.
std::vector<Parameter> launch_parameters() {
  return {
      {.name = "model", .description = "The model; the agent's own unless said", .most = 128},
      {.name = "agent",
       .description = "Who does it",
       .standard = standard_agent(),
       .choices = agent::agent_names(agent::kDelegatedAgent)},
      {.name = "output_schema",
       .type = object,
       .description = "A JSON Schema for the agent's last message (codex)"},
      {.name = "working_dir",
       .description = "An absolute path; the server's own directory unless said, or that of the "
                      "thread that is resumed"},
      {.name = "env_policy",
       .description = "Which variables of the server the agent gets. inherit-none: PATH, HOME, "
                      "LANG, TERM and its own key",
       .standard = "\"inherit-none\"",
       .choices = {"inherit-none", "inherit-all", "allow-list"}},
      {.name = "env_allow_list",
       .type = texts,
       .description = "Names of variables that are passed on, with env_policy allow-list"},
      {.name = "skip_git_repo_check",
       .type = flag,
       .description = "Also outside of a git repository (codex)",
       .standard = "false"},
      {.name = "allow_destructive_git",
       .type = flag,
       .description = "The task may ask for rebase, amend, branch -D or a force push to a branch "
                      "of its own. Only after the user has agreed",
       .standard = "false"},
      {.name = "async",
       .type = flag,
       .description = "true: answer at once; false: answer when the task has ended",
       .standard = "true"},
      seconds("idle_timeout_sec", "End it after that long without output; 0: never", "300", 0,
              kDaySeconds),
      seconds("hard_timeout_sec", "End it after that long in any case", "1200", 1, kDaySeconds),
      seconds("kill_grace_sec", "Between asking it to end and killing it", "5", 0, 60),
      format(),
  };
}

DelegationTool local_launch(std::string_view name, std::string_view title,
                            std::string_view description, std::vector<Parameter> own) {
  for (Parameter& each : launch_parameters()) own.push_back(std::move(each));
  return {.name = name,
          .title = title,
          .description = description,
          .parameters = std::move(own),
          .task_support = TaskSupport::optional};
}

std::vector<DelegationTool> launching_tools() {
  return {
      local_launch("_codex_local_run", "Delegate a task",
                   "Hands a task to a coding agent on this machine and returns its id at once. "
                   "Read-only unless mode says otherwise; the write modes need confirm:true. Then "
                   "call _codex_local_wait.",
                   {task_text("What the agent shall do"),
                    mode(/*preview=*/true),
                    {.name = "confirm",
                     .type = flag,
                     .description = "Has to be true for workspace-write and danger-full-access",
                     .standard = "false"}}),
      local_launch("_codex_local_exec", "Delegate a task with a thread",
                   "Like _codex_local_run, without the confirmation: hands a task to a coding "
                   "agent on this machine and returns its id at once. The thread can be resumed.",
                   {task_text("What the agent shall do"), mode(/*preview=*/false)}),
      local_launch("_codex_local_resume", "Go on with a thread",
                   "Gives the agent of an earlier task a further task in the same thread. Give "
                   "thread_id, or the task_id of that earlier task.",
                   {task_text("What the agent shall do next"),
                    {.name = "thread_id", .description = "The thread: a UUID"},
                    task_id("An earlier task: its thread, in its directory", /*required=*/false),
                    mode(/*preview=*/false)}),
  };
}

std::vector<DelegationTool> watching_tools() {
  return {
      {.name = "_codex_local_status",
       .title = "What runs on this machine",
       .description = "Which delegated tasks run, wait and have ended lately. Never blocks.",
       .parameters = {{.name = "working_dir",
                       .description = "Only tasks of this directory, with show_all false; the "
                                      "server's own unless said"},
                      {.name = "show_all",
                       .type = flag,
                       .description = "Tasks of every directory",
                       .standard = "true"},
                      {.name = "limit",
                       .type = integer,
                       .description = "How many of those that have ended",
                       .standard = "5",
                       .least = 1,
                       .most = 100},
                      {.name = "verbose",
                       .type = flag,
                       .description = "With the last lines of running tasks",
                       .standard = "false"},
                      task_id("Only this task", /*required=*/false),
                      format()},
       .read_only = true,
       .open_world = false,
       .quick = true,
       .repeatable = true},
      {.name = "_codex_local_results",
       .title = "What a task did",
       .description = "State, summary, files, tests, tokens and errors of a task, so far while it "
                      "runs. Never blocks.",
       .parameters = {task_id("The task: T-local-…"), include_output(), max_output_bytes(),
                      include_events(), format()},
       .read_only = true,
       .open_world = false},
      {.name = "_codex_local_wait",
       .title = "Wait for a task",
       .description = "Blocks until the task has ended, asks something, or timeout_sec has passed; "
                      "then answers like _codex_local_results. The task goes on in any case.",
       .parameters = {task_id("The task: T-local-…"),
                      seconds("timeout_sec", "How long to wait", "300", 1, 3600), include_output(),
                      max_output_bytes(), format()},
       .read_only = true,
       .open_world = false},
      {.name = "_codex_local_cancel",
       .title = "Cancel a task",
       .description = "Ends a task and every process it started. It stays cancelled.",
       .parameters = {task_id("The task: T-local-…"),
                      {.name = "reason", .description = "Why; kept and shown", .most = 500},
                      format()},
       .idempotent = true,
       .open_world = false},
  };
}

DelegationTool cloud_submit() {
  return {
      .name = "_codex_cloud_submit",
      .title = "Delegate a task to the cloud",
      .description =
          "Hands a task to an environment of environments.json and returns its id. "
          "Then call _codex_cloud_wait.",
      .parameters = {
          task_text("What the agent shall do"),
          {.name = "env_id",
           .description = "An id of _codex_cloud_list_environments",
           .required = true},
          {.name = "attempts",
           .type = integer,
           .description = "How many agents try it side by side",
           .standard = "1",
           .least = 1,
           .most = 4},
          {.name = "branch", .description = "Where to start from; the current branch", .most = 255},
          {.name = "model", .description = "The model; the environment's own", .most = 128},
          {.name = "working_dir", .description = "An absolute path: the repository it is about"},
          {.name = "allow_destructive_git",
           .type = flag,
           .description = "The task may ask for rebase, amend, branch -D or a force push to a "
                          "branch of its own. Only after the user has agreed",
           .standard = "false"},
          seconds("hard_timeout_sec", "How long handing it over may take", "600", 1, kDaySeconds),
          format()}};
}

DelegationTool cloud_status() {
  return {.name = "_codex_cloud_status",
          .title = "What runs in the cloud",
          .description =
              "Asks the backend how its tasks stand: those that are not done, or all "
              "with list:true.",
          .parameters = {task_id("Only this task: T-cloud-…, the backend's id or its URL", false),
                         {.name = "list",
                          .type = flag,
                          .description = "All tasks, also those that have ended",
                          .standard = "false"},
                         {.name = "working_dir", .description = "Only those of this directory"},
                         {.name = "env_id", .description = "Only those of this environment"},
                         {.name = "status",
                          .description = "Only those in this state; submitted: queued or working",
                          .choices = {"submitted", "working", "completed", "failed", "cancelled",
                                      "timeout"}},
                         {.name = "limit",
                          .type = integer,
                          .description = "How many that have ended: 5, with list 50",
                          .least = 1,
                          .most = 100},
                         {.name = "show_stats",
                          .type = flag,
                          .description = "How many there are in each state",
                          .standard = "false"},
                         {.name = "verbose",
                          .type = flag,
                          .description = "With the last lines of running tasks",
                          .standard = "false"},
                         format()},
          .read_only = true};
}

std::vector<DelegationTool> cloud_tools() {
  const std::string_view id = "The task: T-cloud-…, the backend's id or its URL";
  return {
      cloud_submit(),
      cloud_status(),
      {.name = "_codex_cloud_results",
       .title = "What a cloud task did",
       .description = "State, summary and changed files of a cloud task; its diff with "
                      "include_output:true.",
       .parameters = {task_id(id), include_output(), max_output_bytes(), include_events(),
                      attempt(), format()},
       .read_only = true},
      {.name = "_codex_cloud_wait",
       .title = "Wait for a cloud task",
       .description = "Blocks until the task has ended or timeout_sec has passed; then answers "
                      "like _codex_cloud_results.",
       .parameters = {task_id(id), seconds("timeout_sec", "How long to wait", "600", 1, 3600),
                      include_output(), max_output_bytes(), format()},
       .read_only = true},
      {.name = "_codex_cloud_cancel",
       .title = "Cancel a cloud task",
       .description = "Ends a cloud task, where its backend can.",
       .parameters = {task_id(id),
                      {.name = "reason", .description = "Why; kept and shown", .most = 500},
                      format()},
       .idempotent = true},
      {.name = "_codex_cloud_list_environments",
       .title = "Cloud environments",
       .description = "The environments that _codex_cloud_submit can be given.",
       .parameters = {format()},
       .read_only = true,
       .open_world = false},
      {.name = "_codex_cloud_github_setup",
       .title = "Set up a cloud environment for a GitHub repository",
       .description = "Writes a guide: token, environment with setup and maintenance script, and a "
                      "task that tests it. Nothing is changed and no token is asked for.",
       .parameters = {{.name = "repo_url",
                       .description = "https://github.com/OWNER/REPO",
                       .required = true,
                       .also = "repository"},
                      {.name = "stack",
                       .description = "What the repository is built with",
                       .required = true,
                       .choices = {"node", "python", "go", "rust"},
                       .also = "tech_stack"},
                      {.name = "git_user_name",
                       .description = "Who commits",
                       .standard = "\"Codex Agent\"",
                       .most = 200},
                      {.name = "git_user_email",
                       .description = "With which address",
                       .standard = "\"codex@example.com\"",
                       .most = 200},
                      format()},
       .read_only = true,
       .open_world = false},
  };
}

DelegationTool cleanup() {
  return {.name = "_codex_cleanup_registry",
          .title = "Clean up the registry",
          .description = "Ends tasks that are stuck and deletes the records of old ones.",
          .parameters = {{.name = "stuck_task_max_age_seconds",
                          .type = integer,
                          .description = "Without a sign of life for that long",
                          .standard = "3600",
                          .least = 60,
                          .most = 365 * kDaySeconds,
                          .also = "stuck_threshold_seconds"},
                         {.name = "old_task_max_age_hours",
                          .type = integer,
                          .description = "Ended that long ago",
                          .standard = "24",
                          .least = 1,
                          .most = 24 * 3650,
                          .also = "old_threshold_hours"},
                         {.name = "dry_run",
                          .type = flag,
                          .description = "Only say what would be done",
                          .standard = "false"},
                         format()},
          .idempotent = true,
          .open_world = false};
}

const std::vector<DelegationTool>& table() {
  static const std::vector<DelegationTool> kTable = [] {
    std::vector<DelegationTool> tools = launching_tools();
    for (auto& each : watching_tools()) tools.push_back(std::move(each));
    for (auto& each : cloud_tools()) tools.push_back(std::move(each));
    tools.push_back(cleanup());
    return tools;
  }();
  return kTable;
}

}  // namespace

std::span<const DelegationTool> delegation_table() { return table(); }

const DelegationTool* find_delegation_tool(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &DelegationTool::name);
  return found == table().end() ? nullptr : &*found;
}

const Parameter* DelegationTool::find(std::string_view parameter) const {
  const auto found = std::ranges::find_if(parameters, [&](const Parameter& each) {
    return each.name == parameter || (!each.also.empty() && each.also == parameter);
  });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace dragoman::mcp
