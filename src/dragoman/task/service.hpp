// SPDX-License-Identifier: Apache-2.0
// The one door to tasks: the command line, the MCP server and the dashboard come through here.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/desk.hpp"
#include "dragoman/ask/messages.hpp"
#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/hearing.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

struct ServiceOptions {
  std::size_t concurrency = 2;  // tasks that run at once, whoever submitted them
  // Makes sure that a process of ours works the queue. Called after a submit, and by reconcile()
  // where work is waiting.
  std::function<Result<void>()> wake_runner;
  std::filesystem::path private_words;  // see private_words.hpp
  // Workers on other machines do the work: who is alive is judged by leases, not by processes.
  bool fleet = false;
  // Told when wake_runner fails. What waits stays in the queue, and the next call tries again.
  std::function<void(const Error&)> no_runner;
  // Where recordings are that may be deleted with their task; empty: nowhere.
  std::filesystem::path recordings;
  // Whether somebody works the queue at this moment. Absent: judged by what is claimed.
  std::function<bool()> runner_lives;
  std::string directory;  // whose newest run `last` is; empty: the newest of all
};

struct Acknowledgement {
  Task task;
  std::size_t queue_position = 0;  // 0: runs now or next in a free slot, 1: the one behind, …
  std::optional<std::int64_t> estimated_start_ms;
  std::string expected_duration;  // "5-10 minutes"; empty: not known
};

struct QueuedTask {
  Task task;
  std::size_t position = 0;
  std::optional<std::int64_t> estimated_start_ms;
};

struct Snapshot {
  std::int64_t at = 0;
  std::vector<Task> running;
  std::vector<QueuedTask> queued;
  std::size_t recent_count = 0;  // that ended in the last 24 hours
  std::vector<Task> recent;      // newest first
};

struct StatusQuery {
  std::string working_dir;  // empty: all
  std::string task_id;      // the id of the run; empty: all
  std::size_t limit = 5;    // of `recent`
};

struct ListQuery {
  std::vector<std::string> states;  // empty: all
  std::string working_dir;
  std::string grep;  // words in the task, its summary and its events
  std::size_t limit = 50;
};

struct CleanOptions {
  std::chrono::milliseconds stuck = std::chrono::hours(1);
  std::chrono::milliseconds old = std::chrono::hours(24);
  bool keeps_old = false;  // nothing is deleted
  bool dry_run = false;
};

struct Cleaned {
  std::vector<std::string> stuck;  // ids
  std::size_t cleaned = 0;
  std::size_t old_found = 0;
  std::size_t deleted = 0;
  std::int64_t oldest_age_hours = 0;
  [[nodiscard]] std::string summary(bool dry_run) const;
  friend bool operator==(const Cleaned&, const Cleaned&) = default;
};

struct Cancelled {
  Task task;
  std::string previous_state;
};

// A message that was accepted, and its run as it is with it.
struct Sent {
  Task task;
  std::uint64_t number = 0;
};

// The reasons of refused calls about the talk with a run. Both are validation errors.
inline constexpr std::string_view kCannotGoOn = "cannot_go_on";
inline constexpr std::string_view kNotAtWork = "not_at_work";

// Law: a task that was acknowledged is not lost; each of its turns runs at most once; the end of a
// turn is final, and completed_at is set with it. The state of a task is that of its last turn, and
// nothing but a message that was accepted begins another one. Each accepted message is delivered
// once, in order, or undelivered with the reason.
//
// Wherever a task is named, any word will do that names one (find_run.hpp), but in queries.
class Service {
 public:
  Service(Log& log, ServiceOptions options)
      : log_(log), desk_(log), messages_(log), options_(std::move(options)) {}

  // `task` as far as the caller knows it; state and times are given here, and the id unless it has
  // one of free_run_id(). Refused before
  // anything is written: bad values, and git commands that destroy work. Once it is written it is
  // acknowledged, whoever will do it: who heard of a failure would submit it a second time.
  [[nodiscard]] Result<Acknowledgement> submit(const Task& task);
  // The next task of a thread, which is named by itself or by a task that had it. Whoever resumes
  // it says what it shall do, changes what shall be different, and submits it; everything else is
  // as it was. Not taken over: the permission for risky git, which was given to another text, nor
  // the shape of an answer to another question. Of a thread that no task had, nothing is known but
  // its name. Refused: a task without a thread, and `agent`, if one is named, who is not its own.
  [[nodiscard]] Result<Task> next_in_thread(std::string_view task_or_thread,
                                            std::string_view agent = {});
  // A new task that asks for the same; `as`, if it is given, is its id, of free_run_id(): whoever
  // wrote that down before can find out later whether it was submitted.
  [[nodiscard]] Result<Acknowledgement> repeat(std::string_view task_id, std::string as = {});

  [[nodiscard]] Result<Task> get(std::string_view word);
  // A question by its id or what begins it, alone where no other open one begins so, or behind its
  // run: "r-k3vqm2xa/q1". A run that asks one thing names that question.
  [[nodiscard]] Result<ask::QuestionRecord> question(std::string_view word);
  [[nodiscard]] Result<Snapshot> status(const StatusQuery& query);
  [[nodiscard]] Result<std::vector<Task>> list(const ListQuery& query);

  // Returns when the task is terminal, waits for an answer, or the time is up. `progress` is told
  // of every change.
  [[nodiscard]] Result<Task> wait(std::string_view task_id, std::chrono::milliseconds timeout,
                                  const std::function<void(const Task&)>& progress = {});

  // Durable when it returns; its processes are gone then, or the grace and a second have passed.
  [[nodiscard]] Result<Cancelled> cancel(std::string_view task_id, std::string_view reason);
  [[nodiscard]] Result<Cleaned> clean(const CleanOptions& options);

  // What a person says to the run. It is durable when this returns. An agent at work gets it at
  // once where its protocol can, else with its next turn; a run at rest begins a turn with it.
  // Refused, with nothing stored: a run that cannot go on (kCannotGoOn), because its agent has no
  // sessions, the session is not known, or the worker that has it is gone; and git commands that
  // destroy work, whatever the task was allowed. What the agent may do, where it works and as which
  // model stays as it is.
  // `keep`: how long the agent stays after this turn and later ones; absent: as before.
  [[nodiscard]] Result<Sent> send(std::string_view word, std::string_view text, std::string_view by,
                                  std::optional<std::chrono::milliseconds> keep = {});
  // When the agent would hear a message, or why it cannot go on.
  [[nodiscard]] Result<Hearing> hears(const Task& task);
  // Ends the turn that the run is in, and not the run. Refused where none is at work (kNotAtWork).
  [[nodiscard]] Result<Task> interrupt(std::string_view word, std::string_view by);
  [[nodiscard]] Result<std::vector<ask::MessageRecord>> messages(std::string_view word);

  // Ends what dead processes left behind, judged by process identity alone, and sees to it that
  // waiting work has somebody who does it.
  [[nodiscard]] Result<void> reconcile();

  [[nodiscard]] ask::Desk& desk() { return desk_; }
  [[nodiscard]] Log& log() { return log_; }

 private:
  [[nodiscard]] Result<Acknowledgement> submit_as(std::string id, Task task);
  // Of the last tasks that were completed, in milliseconds.
  [[nodiscard]] Result<std::vector<std::int64_t>> recent_durations();
  // `place` in the queue; 0: to be looked up.
  [[nodiscard]] Result<std::size_t> position_of(const Task& task, std::uint64_t place);
  [[nodiscard]] Result<void> reconcile_fleet();
  void wake();
  // Absent: no task had that thread.
  [[nodiscard]] Result<std::optional<Task>> last_in_thread(std::string_view task_or_thread);
  // Says why no later turn of it can begin.
  [[nodiscard]] Result<void> can_go_on(const Task& task);
  // One step of send(): absent: another process was quicker, and `task` is as it stands now.
  [[nodiscard]] Result<std::optional<Sent>> accept(Task& task, ask::MessageRecord& message,
                                                   std::string_view words);
  // Whether somebody has it in hands, or will have.
  [[nodiscard]] Result<bool> is_worked_on(const Task& task);
  // No sign of life for that long, and nobody has it in hands or is asked.
  [[nodiscard]] Result<bool> is_stuck(const Task& task, std::chrono::milliseconds silent);
  // Fails it, unless that has changed. Whether it did.
  [[nodiscard]] Result<bool> end_stuck(const Task& task, std::chrono::milliseconds silent);
  // Ends the turn of a task whose process is gone. `then` is written with its end; `last` says why
  // no other one may follow.
  [[nodiscard]] Result<void> orphan(const Task& task, std::vector<LogWrite> then = {},
                                    std::string last = {});
  [[nodiscard]] Result<bool> is_deserted(const Task& task, const std::string& queue);
  [[nodiscard]] Result<void> free_slots(const std::string& queue,
                                        const std::vector<QueueItem>& items,
                                        const std::set<std::string, std::less<>>& living);
  // Until its runner has given its place in the queue back.
  [[nodiscard]] Result<Cancelled> await_end(Cancelled result, const std::string& queue);
  [[nodiscard]] Result<void> remove(const Task& task);
  [[nodiscard]] Result<std::vector<Task>> in_states(std::vector<std::string> states);

  Log& log_;
  ask::Desk desk_;
  ask::Messages messages_;
  ServiceOptions options_;
  // What recent_durations() found, and the record that was the newest then.
  Mutex durations_mutex_;
  LogRecord durations_until_ DRAGOMAN_GUARDED_BY(durations_mutex_);
  std::vector<std::int64_t> durations_ DRAGOMAN_GUARDED_BY(durations_mutex_);
};

// Where in the queue somebody stands, in time: the median of past durations for every full round of
// the slots before.
[[nodiscard]] std::optional<std::int64_t> estimate_start(std::vector<std::int64_t> durations,
                                                         std::size_t position, std::size_t slots);
// "5-10 minutes", from the quartiles; empty with fewer than three.
[[nodiscard]] std::string expected_duration(std::vector<std::int64_t> durations);

[[nodiscard]] const std::vector<std::string>& terminal_states();

}  // namespace dragoman::task
