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
#include "dragoman/task/inbox.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/task.hpp"
#include "dragoman/task/task_fold.hpp"
#include "dragoman/task/task_sink.hpp"
#include "dragoman/task/workspace.hpp"

namespace dragoman::task {

// What a task does is what a person would have started by hand: the same engine runs it, turn after
// turn as long as its agent stays.
//
// Lives in the event loop's thread. Law: when `rested` or `ended` is called the end of the turn is
// in the log, its events are there, and at `ended` none of its processes is left.
class TaskRun {
 public:
  struct Calls {
    // The turn is over and the agent stays for another one: its place can be given up, if it is
    // settled(). May be absent where no agent is kept.
    std::function<void()> rested;
    std::function<void()> ended;
    // Its run was started, or goes on; may be absent. What it is given kills it from any thread.
    std::function<void(std::function<void()>)> launched;
    // Whether the claim is still ours, as the log says; asked where somebody else's stands in the
    // record. Absent where nobody else works on the queue.
    std::function<Result<bool>()> ours;
  };

  // `clone`: of a later turn, where the ones before worked.
  TaskRun(boost::asio::io_context& io, Log& log, EventPump& pump, const RunnerOptions& options,
          Task task, Calls calls, std::unique_ptr<Workspace> clone = {});
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  void start();
  // The next turn, under its own claim, of an agent that was kept.
  void go_on(Task task);
  void log_changed();  // was it cancelled, has somebody answered or said something?
  void tick();         // says how far it is, now and then
  // The claim is somebody else's, or may be soon: its processes are killed, nothing more is
  // written.
  void lose();
  // A kept agent is to leave now.
  void leave();
  // After the turn: whether the log has its last state, so that its place can be given up.
  [[nodiscard]] bool settled() const { return turn_.settled; }
  [[nodiscard]] bool lost() const { return lost_; }
  // Where it worked, for its next turn.
  [[nodiscard]] std::unique_ptr<Workspace> take_clone() { return std::move(workspace_); }

  // A run at work holds a slot. Its owner takes it back while people are asked.
  [[nodiscard]] bool kept() const { return kept_; }
  [[nodiscard]] bool holds_slot() const { return slot_.held && !kept_; }
  [[nodiscard]] bool needs_no_slot() const;  // its agent waits for an answer
  // Its agent goes on, has its answer or needs none any more: it wants a slot again since then.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> wants_slot() const;
  // Nothing can hold it up: the agent goes on without having been told anything.
  [[nodiscard]] bool takes_slot() const;
  void give_slot();
  void take_slot();

 private:
  // Of the turn that it is in.
  struct Turn {
    bool later = false;        // it is not the first one: a message begins it
    std::uint64_t prompt = 0;  // the number of that message, where a process was started with it
    std::uint64_t interrupts = 0;  // that were counted before
    std::chrono::steady_clock::time_point started;
    std::optional<engine::Ending> finished;
    std::function<void(Task&)> ending;  // what the last state is
    std::vector<LogWrite> with_end;
    std::string session;
    // How it ended, where one message is in doubt: if the agent has that, it works on.
    std::optional<engine::RunEnd> in_doubt;
    bool rested = false;      // the engine has said so
    bool cancelling = false;  // it was told to end
    bool concluded = false;
    bool settled = false;
  };
  struct Slot {
    bool held = true;
    std::vector<ask::QuestionRecord> answers;  // given, and not handed over
    std::chrono::steady_clock::time_point wanted;
  };
  // What it changed in its clone, and is not stored yet.
  struct Changes {
    std::vector<std::string> lines;
    std::chrono::steady_clock::time_point since;
  };

  [[nodiscard]] bool can_be_answered() const { return task_agent().can_be_answered(); }
  [[nodiscard]] const agent::AgentRow& task_agent() const;
  [[nodiscard]] std::filesystem::path recording() const;
  [[nodiscard]] engine::RunSpec spec(std::optional<engine::Message> message);
  [[nodiscard]] Result<void> launch(std::optional<engine::Message> message);
  [[nodiscard]] Result<void> keep_checkpoint();
  [[nodiscard]] bool begin_turn(Task record);
  void guard_events();
  void make_clone();
  void begin_work();
  void rested(const engine::RunEnd& end);
  void turn_ended(const engine::RunEnd& end);
  void ended();
  void tell_not_started(const Error& error);
  [[nodiscard]] std::uint64_t last_seq();
  void ask(const KeptQuestion& asked);
  void put_questions();
  void look_for_answers();
  void hand_over_answers();
  // task_run_turns.cpp
  void tell_again();
  void hand_over();
  void heard(std::uint64_t message);
  void unheard(std::uint64_t message);
  void interrupt();
  void cancel();
  void settle(const EndState& end);
  void fail(const Error& error);
  // Writes the last state, again and again until it is there or the claim is lost: a full disk or a
  // cluster without a leader is no reason to forget what an agent did.
  void conclude();
  void stay_or_finish();
  void try_again(std::function<void()> what);
  void finish();
  [[nodiscard]] bool needs_secrets();
  // task_run_changes.cpp
  void collect_changes();
  void miss_changes(const std::string& why);
  void tell_cut(std::size_t kept_bytes);
  void diagnose_clone(std::string_view rule, Level level, const std::string& what);
  void add_to_summary(std::string what);
  void diagnose(std::string_view rule, Level level, const std::string& message);
  // Whether nothing has to be stored any more.
  [[nodiscard]] bool store_changes();
  [[nodiscard]] Result<bool> change_known(const std::function<bool(Task&)>& what);
  // Changes the record while it is ours.
  [[nodiscard]] Result<bool> change(const std::function<bool(Task&)>& what);
  [[nodiscard]] bool is_ours(const Task& task);

  boost::asio::io_context& io_;
  Log& log_;
  EventPump& pump_;
  const RunnerOptions& options_;
  Task task_;
  Calls calls_;
  ask::Bridge questions_;
  Inbox inbox_;
  std::uint64_t said_ = 0;  // the last message that the record told us of
  TaskSink sink_;
  std::unique_ptr<engine::RunHandle> running_;
  Turn turn_;
  Slot slot_;
  std::chrono::steady_clock::time_point waiting_since_;
  std::chrono::steady_clock::time_point told_;
  std::unique_ptr<Workspace> workspace_;  // of a task with a repository
  boost::asio::steady_timer again_;
  Changes changes_;
  std::optional<Task> stored_;  // the record as we last wrote or found it
  bool kept_ = false;           // between turns, with its agent
  bool lost_ = false;
  bool over_ = false;
};

}  // namespace dragoman::task
