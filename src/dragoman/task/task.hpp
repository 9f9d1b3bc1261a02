// SPDX-License-Identifier: Apache-2.0
// One delegated piece of work, as the registry knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/usual.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/fields.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/run/output_policy.hpp"

namespace dragoman::task {

// A process, told apart from a later one that got the same number.
struct ProcessIdentity {
  std::int64_t pid = 0;
  std::int64_t start = 0;  // in clock ticks since the machine started, as /proc has it
  std::string boot;        // which start of the machine, or of which container of it

  [[nodiscard]] bool known() const { return pid > 0; }
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};
[[nodiscard]] ProcessIdentity identity_of(std::int64_t pid);  // not known: there is no such process
[[nodiscard]] bool is_alive(const ProcessIdentity& process);
// Whether we would see it if it lived, and do not. One of another machine may live.
[[nodiscard]] bool is_known_dead(const ProcessIdentity& process);

// What is asked for. Who asks for the same again copies this and nothing else.
struct TaskOrder {
  std::string tool = "_codex_local_run";
  std::string text;  // what the agent is asked to do
  std::string agent{agent::kDelegatedAgent};
  std::vector<std::string> words;  // behind "--": a command line
  std::string working_dir;
  std::string mode;
  std::string model;
  std::string permission_mode;
  std::string resume;                    // the thread it goes on with
  std::string parent;                    // the task that had the thread before
  std::vector<std::string> environment;  // NAME or NAME=value on top of the policy
  std::string env_policy;
  std::string output_schema;  // a path
  bool allow_destructive_git = false;
  std::vector<std::string> surfaces;  // where its questions go; empty: as configured
  std::int64_t idle_ms = 300'000;
  std::int64_t hard_ms = 1'200'000;
  std::int64_t grace_ms = 5'000;
  std::int64_t keep_ms = 0;  // how long the agent stays after a turn
  // Of a fleet: what a worker must have, and where it gets the code.
  std::vector<std::string> needs;  // labels, such as "os=linux"
  std::string repository;          // cloned into a workspace of its own; empty: working_dir is used
  std::string branch;
};

// Who runs it: the runner, what it started, and of a fleet who has it now.
struct TaskPlace {
  std::int64_t runner_pid = 0;
  std::int64_t runner_start = 0;
  std::string boot;
  std::int64_t agent_pid = 0;
  std::int64_t agent_start = 0;
  std::string worker;
  std::int64_t claim = 0;  // the token of the claim that may write; 0: none yet
  std::int64_t attempt = 0;
  std::string recording;         // its directory
  bool keeps_recording = false;  // the directory was chosen by a person and outlives the task
};

// The turns of its conversation. Law: while a message waits (said > heard) the run never comes to
// rest; whoever concludes a turn queues the next one instead (turn_end.hpp).
struct TaskTalk {
  std::uint64_t said = 0;        // the number of the last message that was accepted
  std::uint64_t heard = 0;       // up to here all are settled
  std::uint64_t turns = 0;       // begun so far
  std::uint64_t interrupts = 0;  // how often a turn was to be interrupted
  std::int64_t queued_at = 0;    // when the next turn began to wait for its place; 0: none did
  std::string waits;             // kWaitsForAnswer, kWaitsForSlot, kKept; empty: for nothing
};

// How its last turn goes: what a new turn begins anew. Times are milliseconds since 1970; 0: not
// yet.
struct TaskTurn {
  std::string state = "queued";
  std::string reason;
  std::int64_t started_at = 0;
  std::int64_t last_event_at = 0;
  std::int64_t completed_at = 0;
  std::optional<std::int64_t> exit_code;
  std::string signal;
  std::string summary;
  JsonText metadata;
  JsonText artifacts;
  JsonText progress;
  std::vector<std::string> last_lines;
  std::string cancel_reason;
};

struct Task : TaskOrder, TaskPlace, TaskTalk, TaskTurn {
  std::string id;
  std::string thread_id;
  std::int64_t created_at = 0;
  std::uint64_t revision = 0;  // not part of the value

  [[nodiscard]] TaskState task_state() const;
  [[nodiscard]] bool terminal() const { return is_terminal(task_state()); }
  [[nodiscard]] ProcessIdentity runner() const { return {runner_pid, runner_start, boot}; }
  [[nodiscard]] ProcessIdentity agent_process() const { return {agent_pid, agent_start, boot}; }
  // Whether a runner or a worker took it from a queue; else the process that began it runs it.
  [[nodiscard]] bool from_queue() const;
  // Whether that process is there and keeps its agent between turns: it begins the next turn.
  [[nodiscard]] bool kept_by_its_process() const;
  // The turn that it is in, or that comes next while it waits for one; from 1.
  [[nodiscard]] std::uint64_t turn() const;
  // The next turn is to begin: what the last one's end wrote is taken back, and the permission for
  // risky git, which was given to another text.
  void await_turn();
  // From the start of the turn, so far while it runs; zero before.
  [[nodiscard]] std::chrono::milliseconds duration(std::int64_t now) const;

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("tool", s.tool);
    v("state", s.state);
    v("reason", s.reason);
    v("text", s.text);
    v("agent", s.agent);
    v("words", s.words);
    v("working_dir", s.working_dir);
    v("mode", s.mode);
    v("model", s.model);
    v("permission_mode", s.permission_mode);
    v("thread_id", s.thread_id);
    v("resume", s.resume);
    v("parent", s.parent);
    v("environment", s.environment);
    v("env_policy", s.env_policy);
    v("output_schema", s.output_schema);
    v("allow_destructive_git", s.allow_destructive_git);
    v("surfaces", s.surfaces);
    v("idle_ms", s.idle_ms);
    v("hard_ms", s.hard_ms);
    v("grace_ms", s.grace_ms);
    v("created_at", s.created_at);
    v("started_at", s.started_at);
    v("last_event_at", s.last_event_at);
    v("completed_at", s.completed_at);
    v("exit_code", s.exit_code);
    v("signal", s.signal);
    v("runner_pid", s.runner_pid);
    v("runner_start", s.runner_start);
    v("boot", s.boot);
    v("agent_pid", s.agent_pid);
    v("agent_start", s.agent_start);
    v("summary", s.summary);
    v("metadata", s.metadata);
    v("artifacts", s.artifacts);
    v("progress", s.progress);
    v("last_lines", s.last_lines);
    v("cancel_reason", s.cancel_reason);
    v("needs", s.needs);
    v("repository", s.repository);
    v("branch", s.branch);
    v("worker", s.worker);
    v("claim", s.claim);
    v("attempt", s.attempt);
    v("recording", s.recording);
    v("keeps_recording", s.keeps_recording);
    v("said", s.said);
    v("heard", s.heard);
    v("turns", s.turns);
    v("interrupts", s.interrupts);
    v("keep_ms", s.keep_ms);
    v("queued_at", s.queued_at);
    v("waits", s.waits);
  }
};

inline constexpr std::string_view kTasks = "tasks";  // the bucket of records
inline constexpr std::string_view kQueue = "local";  // the queue of ids
inline constexpr std::string_view kNext = "next";    // of those whose next turn is to begin
inline constexpr std::string_view kWaitsForAnswer = "answer";
inline constexpr std::string_view kWaitsForSlot = "slot";
inline constexpr std::string_view kKept = "message";  // at rest, and its agent is still there
inline constexpr std::string_view kRunTool = "run";   // `tool` of what `dragoman run` started
// Where it waits for the turn that it is in or that comes next. Tasks that need labels wait in a
// queue of their own; its name says which. A later turn goes to where the session is: to the
// machine's own queue, or to that of the worker.
[[nodiscard]] std::string queue_of(const Task& task);
[[nodiscard]] std::string worker_label(std::string_view worker);  // "worker=NAME"
// Whether somebody with these labels may work that queue.
[[nodiscard]] bool serves(const std::vector<std::string>& labels, std::string_view queue);
[[nodiscard]] std::string diff_stream(std::string_view task_id);   // what it changed in its clone
[[nodiscard]] std::string event_stream(std::string_view task_id);  // the events of its run
[[nodiscard]] std::string word_stream(
    std::string_view task_id);  // its text and summary, for search

// What the agent is asked to do: the text, and of an executor what stands behind the name of its
// task. The command of a task is its own business: whoever names it has decided.
[[nodiscard]] std::string asked_of(const Task& task);

// What a run that is not at work waits for: "a slot", "an answer", "its turn behind 2 others";
// empty: for nothing. `position`: so many of a queue come before it.
[[nodiscard]] std::string waiting_words(const Task& task, std::size_t position = 0);

// What it is to do, on one line of at most 160 characters.
[[nodiscard]] std::string title_line(const Task& task);

// r- and eight letters of chance.
[[nodiscard]] std::string new_run_id();
[[nodiscard]] std::string random_letters(std::size_t count);  // of those that ids are made of
// One that no run of the log has. Who submits a task under it is the only one: the record has to be
// new.
[[nodiscard]] Result<std::string> free_run_id(Log& log);

[[nodiscard]] std::int64_t now_ms();
[[nodiscard]] std::string timestamp(std::int64_t ms);  // 2026-11-15T10:05:22Z

[[nodiscard]] LogRecord record_of(const Task& task);
[[nodiscard]] Result<Task> task_of(const LogRecord& record);
[[nodiscard]] Result<std::optional<Task>> find_task(Log& log, std::string_view id);

// Changes a task by compare-and-set: `change` is given the newest one, perhaps several times, and
// returns whether to write. False: it did not want to. A task in a terminal state is never offered.
[[nodiscard]] Result<bool> change_task(Log& log, std::string_view id,
                                       const std::function<bool(Task&)>& change,
                                       std::vector<LogWrite> then = {});

}  // namespace dragoman::task
