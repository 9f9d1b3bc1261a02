// SPDX-License-Identifier: Apache-2.0
// A run of this very process in the registry: it was in no queue; people can see it, answer it,
// tell it more and cancel it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "dragoman/ask/bridge.hpp"
#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/inbox.hpp"
#include "dragoman/task/task.hpp"
#include "dragoman/task/task_fold.hpp"

namespace dragoman::task {

// Everything that touches the store happens in a thread of its own, beginning with opening it: the
// run never waits for a disk, except at its end for its last state. A store that cannot be used
// costs the entry in the registry and nothing else.
class LiveRun {
 public:
  using Open = std::function<Result<std::unique_ptr<Log>>()>;
  // Called from the thread of the store.
  struct Calls {
    std::function<void(const Error& why)> lost;  // once: nothing is stored from here on
    std::function<void(const std::string& reason)> cancelled;        // by somebody else
    std::function<void(const ask::QuestionRecord& settled)> answer;  // to a question of ours
    // What people say, one message at a time: the next one comes when heard() or unheard() was
    // called for it. Absent: nothing can be told here, and it waits for the next turn.
    std::function<void(engine::Message)> message = {};
    std::function<void()> interrupted = {};                    // the turn is to end
    std::function<void(const std::string& why)> refused = {};  // what say() was given
  };

  // `task`: what is known at the start. State, times and identity are given here, and an id where
  // it has none.
  LiveRun(Task task, Open open, Calls calls);
  ~LiveRun();  // without end(): as if the process had died
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }

  // From the thread of the run.
  void event(const Event& event, engine::EventLine& line);
  void ask(KeptQuestion question);
  // What somebody here said; the reply names the question by its key. Whoever was first,
  // `Calls::answer` is told what counts.
  void answer(Reply reply, std::string by);
  void withdraw(std::string key);   // the agent does not want to know any more
  void give_up();                   // no answer will come: what is open is settled so
  void delivered(std::string key);  // the agent has the answer
  // What a person or a program here says to the agent: `Calls::message` brings it, in one order
  // with what is said elsewhere.
  void say(std::string text, std::string by);
  void heard(std::uint64_t message);
  void unheard(std::uint64_t message);
  // The turn has ended, and the agent stays: a message begins the next one.
  void rest(const RunFacts& facts, std::string signal);
  // The process of the run ends: with the turn, or at rest. Returns when that is durable, or the
  // store is lost.
  void end(const RunFacts& facts, std::string signal);
  void end();
  // After the end: whether a message was left in the queue of next turns, for a runner.
  [[nodiscard]] bool left_queued() const { return left_queued_; }

  // Why nothing is stored any more; absent: all is well.
  [[nodiscard]] std::optional<Error> fault();

 private:
  struct Ask {
    KeptQuestion question;
  };
  struct Say {
    Reply reply;
    std::string by;
  };
  struct Settle {
    enum class How { withdraw, delivered } how;
    std::string key;
  };
  struct GiveUp {};
  struct Tell {
    std::string text;
    std::string by;
  };
  struct Told {
    std::uint64_t message = 0;
    bool heard = false;
  };
  // Whether the process stays behind it.
  struct End {
    Task task;
    bool stays = false;
  };
  using Order = std::variant<Ask, Say, Settle, GiveUp, Tell, Told>;
  struct Mail {
    std::vector<std::string> lines;
    std::vector<Order> orders;
    std::optional<Task> progress;  // of its fields only those that change
    std::optional<End> end;
    bool leaves = false;  // the process, at rest
  };
  // What the thread of the store knows.
  struct Known {
    explicit Known(Log& opened, const std::string& id)
        : log(opened), questions(opened), inbox(opened, id) {}
    Log& log;
    ask::Bridge questions;
    Inbox inbox;
    std::uint64_t change = 0;  // that was looked at last
    std::chrono::steady_clock::time_point looked;
    std::uint64_t interrupts = 0;
    std::optional<End> in_doubt;  // an end of a turn, unless the agent has the message in doubt
    bool at_rest = false;
    bool cancelled = false;
  };

  void tell(Order order);
  [[nodiscard]] Task ended(const RunFacts& facts, std::string signal);
  void stop();
  void work();
  [[nodiscard]] Result<void> begin(Log& log, Mail& mail);
  [[nodiscard]] Result<void> write(Known& known, Mail& mail);
  [[nodiscard]] Result<void> conclude(Known& known, End end);
  [[nodiscard]] Result<void> carry_out(Known& known, Order& order);
  [[nodiscard]] Result<void> look(Known& known);
  // live_run_turns.cpp
  [[nodiscard]] Result<void> look_at_turn(Known& known, const Task& task);
  [[nodiscard]] Result<void> accept(Known& known, const std::string& text, const std::string& by);
  [[nodiscard]] Result<void> begin_turn(Known& known);
  [[nodiscard]] Result<void> take_told(Known& known, std::uint64_t message, bool heard);
  [[nodiscard]] Result<void> leave(Log& log);
  [[nodiscard]] Mail next_mail();
  void lose(const Error& why);

  std::string id_;
  Task task_;
  Open open_;
  Calls calls_;
  TaskFold fold_;             // thread of the run
  std::uint64_t told_ = 0;    // thread of the run: events when progress was last said
  std::int64_t told_at_ = 0;  // thread of the run
  bool left_queued_ = false;  // thread of the store, and behind its end

  Mutex mutex_;
  Condition changed_;
  Mail mail_ DRAGOMAN_GUARDED_BY(mutex_);
  std::size_t held_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  std::optional<Error> lost_ DRAGOMAN_GUARDED_BY(mutex_);
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman::task
