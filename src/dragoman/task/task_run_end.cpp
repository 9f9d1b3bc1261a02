// SPDX-License-Identifier: Apache-2.0
// What is written about a task while it runs, and when it has ended.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "dragoman/run/one_line.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/task_run.hpp"
#include "dragoman/task/turn_end.hpp"

namespace dragoman::task {

void TaskRun::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (over_ || turn_.concluded || now - told_ < std::chrono::seconds(1)) return;
  const auto progress = sink_.progress();
  if (!progress) return;
  told_ = now;
  const auto changed = change([&](Task& task) {
    copy_progress(task, *progress);
    return true;
  });
  (void)changed;  // the next tick tries again
}

// Saves the question how it stands: mostly nobody else has touched it.
Result<bool> TaskRun::change_known(const std::function<bool(Task&)>& what) {
  if (auto known = std::exchange(stored_, std::nullopt)) {
    if (known->terminal() || !what(*known)) return false;
    DRAGOMAN_TRY(const auto written,
                 write_one(log_, Put{std::string(kTasks), record_of(*known), known->revision}));
    if (written.applied) {
      known->revision = written.number;
      stored_ = std::move(known);
      return true;
    }
  }
  return change_task(log_, task_.id, what);
}

bool TaskRun::is_ours(const Task& task) {
  if (task.claim != task_.claim) lost_ = true;  // what we know is not wanted any more
  return !lost_ && task.task_state() == TaskState::working;
}

Result<bool> TaskRun::change(const std::function<bool(Task&)>& what) {
  return change_known([&](Task& task) { return is_ours(task) && what(task); });
}

void TaskRun::lose() {
  if (over_ || lost_ || turn_.concluded) return;
  lost_ = true;
  again_.cancel();
  // At once: when the lease ends, somebody else may begin.
  if (running_ != nullptr) return running_->kill();
  if (workspace_ != nullptr && workspace_->busy()) return workspace_->stop();
  finish();
}

void TaskRun::settle(const EndState& end) {
  RunFacts facts;
  facts.state = end.state;
  facts.reason = end.reason;
  facts.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - turn_.started);
  if (turn_.finished) {
    facts.exit_code = turn_.finished->end.exit_code;
    if (turn_.finished->end.signal) facts.signal = std::to_string(*turn_.finished->end.signal);
    if (turn_.finished->timeout) facts.limit = turn_.finished->timeout->what.after;
  }
  Task ended;
  ended.agent = task_.agent;
  ended.working_dir = task_.working_dir;
  sink_.put_end(ended, facts);
  turn_.session = ended.thread_id;
  turn_.with_end.clear();
  turn_.with_end.emplace_back(Append{word_stream(task_.id), {one_line(ended.summary)}, {}});
  ended.signal = facts.signal;
  turn_.ending = [ended](Task& task) { copy_end(task, ended); };
  if (workspace_ != nullptr && !lost_) return collect_changes();
  conclude();
}

void TaskRun::fail(const Error& error) {
  turn_.with_end.clear();
  turn_.ending = [error](Task& task) {
    task.state = name(TaskState::failed);
    task.reason = error.reason.empty() ? "spawn_failed" : error.reason;
    task.summary = "Task failed: " + one_line(error.message);
  };
  conclude();
}

void TaskRun::conclude() {
  if (over_ || turn_.concluded) return;
  if (lost_) {
    if (running_ == nullptr) finish();
    return;
  }
  const bool flushed = pump_.flush();
  if ((flushed || !options_.fleet) && inbox_.settle() && store_changes()) {
    TurnEnd turn;
    turn.end = [this](Task& task) {
      if (!is_ours(task)) return false;
      turn_.ending(task);
      return true;
    };
    turn.then = turn_.with_end;
    turn.fleet = options_.fleet;
    turn.known = std::exchange(stored_, std::nullopt);
    const auto concluded = conclude_turn(log_, task_.id, std::move(turn));
    // Where it was not ours, it was cancelled before and stays so, or we have lost it.
    const bool written = concluded && (*concluded != Concluded::not_ours || lost_ ||
                                       remember_session(log_, task_.id, turn_.session));
    if (written) {
      turn_.settled = !lost_;
      turn_.concluded = true;
      return stay_or_finish();
    }
  }
  try_again([this] { conclude(); });
}

void TaskRun::try_again(std::function<void()> what) {
  again_.expires_after(std::chrono::milliseconds(300));
  again_.async_wait([what = std::move(what)](const boost::system::error_code& cancelled) {
    if (!cancelled) what();
  });
}

// Whoever tries it once more gives the agent the same words, and its next turn needs the same
// variables.
bool TaskRun::needs_secrets() {
  const auto ended = find_task(log_, task_.id);
  if (!ended || !*ended) return false;
  const TaskState state = (*ended)->task_state();
  const bool goes_on = !task_.environment.empty() && state != TaskState::cancelled &&
                       why_it_cannot_go_on(**ended, options_.fleet).empty();
  return state == TaskState::failed || state == TaskState::timeout || goes_on ||
         state == TaskState::queued;
}

void TaskRun::finish() {
  if (over_) return;
  over_ = true;
  kept_ = false;
  const bool has_secrets = !options_.private_words.empty();  // nowhere in a fleet
  if (has_secrets && !needs_secrets()) forget_secrets(task_.id, options_.private_words);
  boost::asio::post(io_, calls_.ended);
}

}  // namespace dragoman::task
