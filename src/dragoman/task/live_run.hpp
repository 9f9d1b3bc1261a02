// SPDX-License-Identifier: Apache-2.0
// A run of this very process in the registry: nobody queued it, everybody can see it, answer it and
// cancel it.
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
  // Returns when the end is durable, or the store is lost.
  void end(const RunFacts& facts, std::string signal);

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
  using Order = std::variant<Ask, Say, Settle, GiveUp>;
  struct Mail {
    std::vector<std::string> lines;
    std::vector<Order> orders;
    std::optional<Task> progress;  // of its fields only those that change
    std::optional<Task> end;
  };

  void tell(Order order);
  void work();
  [[nodiscard]] Result<void> begin(Log& log, Mail& mail);
  [[nodiscard]] Result<void> write(Log& log, ask::Bridge& questions, Mail& mail);
  [[nodiscard]] Result<void> carry_out(ask::Bridge& questions, Order& order);
  [[nodiscard]] Result<void> look(Log& log, ask::Bridge& questions);
  [[nodiscard]] Mail next_mail();
  void lose(const Error& why);

  std::string id_;
  Task task_;
  Open open_;
  Calls calls_;
  TaskFold fold_;             // thread of the run
  std::uint64_t told_ = 0;    // thread of the run: events when progress was last said
  std::int64_t told_at_ = 0;  // thread of the run
  std::uint64_t seen_ = 0;    // thread of the store: the change that was looked at last
  std::chrono::steady_clock::time_point looked_;  // thread of the store
  bool cancelled_ = false;                        // thread of the store

  Mutex mutex_;
  Condition changed_;
  Mail mail_ DRAGOMAN_GUARDED_BY(mutex_);
  std::size_t held_ DRAGOMAN_GUARDED_BY(mutex_) = 0;
  std::optional<Error> lost_ DRAGOMAN_GUARDED_BY(mutex_);
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman::task
