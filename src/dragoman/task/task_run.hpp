// SPDX-License-Identifier: Apache-2.0
// One task while its agent runs.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dragoman/ask/desk.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/run_handle.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/task.hpp"
#include "dragoman/task/task_fold.hpp"
#include "dragoman/task/workspace.hpp"

namespace dragoman::task {

// The agent is supervised by `dragoman run`, in whatever way RunnerOptions::start runs it: what a
// task does is what a person would have started by hand. Its events come as JSON lines.
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
  struct FinishedNote {
    std::string verdict;
    std::vector<std::string> reasons;
    std::optional<int> exit_code;
    std::string signal;
  };

  [[nodiscard]] std::vector<std::string> arguments() const;
  [[nodiscard]] bool has_prompt() const { return !task_.text.empty() || !task_.resume.empty(); }
  [[nodiscard]] bool can_be_answered() const;
  [[nodiscard]] std::filesystem::path recording() const;
  [[nodiscard]] Result<void> launch();
  [[nodiscard]] Result<void> keep_checkpoint();
  void output(process::Stream stream, std::string_view bytes);
  void take_line(std::string_view line);
  void see(const Event& event);
  void run_ended(const RunEnd& end);
  void see_question(const Question& question);
  void put_questions();
  void look_for_answers();
  void give_up_on_questions();
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
  ask::Desk desk_;
  std::unique_ptr<RunHandle> running_;
  TaskFold fold_;
  std::optional<FinishedNote> finished_;
  std::string line_;                        // a line of events that is not complete
  std::string talk_;                        // what `dragoman run` itself says on stderr
  std::vector<ask::QuestionRecord> asked_;  // by the agent, and not on the desk yet
  std::vector<std::string> waiting_;        // keys of questions that somebody has to answer
  std::set<std::string, std::less<>> put_;  // keys of those that are or were on the desk
  std::chrono::steady_clock::time_point waiting_since_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point told_;
  std::uint64_t told_events_ = 0;
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
