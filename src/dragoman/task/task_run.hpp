// SPDX-License-Identifier: Apache-2.0
// One task while its agent runs.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/ask/bridge.hpp"
#include "dragoman/engine/run_handle.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/task.hpp"
#include "dragoman/task/task_fold.hpp"
#include "dragoman/task/task_sink.hpp"
#include "dragoman/task/workspace.hpp"

namespace dragoman::task {

// What a task does is what a person would have started by hand: the same engine runs it.
//
// Lives in the event loop's thread. Law: when `ended` is called the task has a terminal state in
// the log, its events are there, and none of its processes is left.
class TaskRun {
 public:
  struct Calls {
    std::function<void()> ended;
    // Its run was started; may be absent. What it is given kills it from any thread.
    std::function<void(std::function<void()>)> launched;
    // Whether the claim is still ours, as the log says; asked where somebody else's stands in the
    // record. Absent where nobody else works on the queue.
    std::function<Result<bool>()> ours;
  };

  TaskRun(boost::asio::io_context& io, Log& log, EventPump& pump, const RunnerOptions& options,
          Task task, Calls calls);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  void start();
  void log_changed();  // was it cancelled, has somebody answered?
  void tick();         // says how far it is, now and then
  // The claim is somebody else's, or may be soon: its processes are killed, nothing more is
  // written.
  void lose();
  // After the end: whether the log has the task's last state, so that its place can be given up.
  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  [[nodiscard]] bool can_be_answered() const { return task_agent().can_be_answered(); }
  [[nodiscard]] const agent::AgentRow& task_agent() const;
  [[nodiscard]] std::filesystem::path recording() const;
  [[nodiscard]] engine::RunSpec spec() const;
  [[nodiscard]] Result<void> launch();
  [[nodiscard]] Result<void> keep_checkpoint();
  void run_ended(const engine::RunEnd& end);
  void tell_not_started(const Error& error);
  void ask(const KeptQuestion& asked);
  void put_questions();
  void look_for_answers();
  void settle(const EndState& end);
  void fail(const Error& error);
  // Writes the last state, again and again until it is there or the claim is lost: a full disk or a
  // cluster without a leader is no reason to forget what an agent did.
  void conclude();
  void try_again(std::function<void()> what);
  void finish();
  [[nodiscard]] bool may_be_repeated();
  void begin_work();
  // task_run_changes.cpp
  void collect_changes();
  void miss_changes(const std::string& why);
  void tell_cut(std::size_t kept_bytes);
  void diagnose_clone(std::string_view rule, Level level, const std::string& what);
  void add_to_summary(std::string what);
  void diagnose(std::string_view rule, Level level, const std::string& message);
  // Whether nothing has to be stored any more.
  [[nodiscard]] bool store_changes();
  [[nodiscard]] Result<bool> change_known(const std::function<bool(Task&)>& what,
                                          std::vector<LogWrite> then = {});
  // Changes the record while it is ours.
  [[nodiscard]] Result<bool> change(const std::function<bool(Task&)>& what,
                                    std::vector<LogWrite> then = {});

  boost::asio::io_context& io_;
  Log& log_;
  EventPump& pump_;
  const RunnerOptions& options_;
  Task task_;
  Calls calls_;
  ask::Bridge questions_;
  TaskSink sink_;
  std::unique_ptr<engine::RunHandle> running_;
  engine::RunEnd rested_;
  std::optional<engine::Ending> finished_;
  std::chrono::steady_clock::time_point waiting_since_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point told_;
  std::unique_ptr<Workspace> workspace_;  // of a task with a repository
  boost::asio::steady_timer again_;
  std::function<void(Task&)> ending_;  // what the last state is
  std::vector<LogWrite> with_end_;
  std::vector<std::string> changes_;  // in its clone, and not stored yet
  std::chrono::steady_clock::time_point changes_since_;
  std::optional<Task> stored_;  // the record as we last wrote or found it
  bool settled_ = false;
  bool lost_ = false;
  bool cancelling_ = false;
  bool over_ = false;
};

}  // namespace dragoman::task
