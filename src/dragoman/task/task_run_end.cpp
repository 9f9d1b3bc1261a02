// SPDX-License-Identifier: Apache-2.0
// What is written about a task while it runs, and when it has ended.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "dragoman/run/one_line.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

void TaskRun::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (over_ || now - told_ < std::chrono::seconds(1)) return;
  told_ = now;
  const auto progress = sink_.progress();
  if (!progress) return;
  const auto changed = change([&](Task& task) {
    copy_progress(task, *progress);
    return true;
  });
  (void)changed;  // the next tick tries again
}

// Saves the question how it stands: mostly nobody else has touched it.
Result<bool> TaskRun::change_known(const std::function<bool(Task&)>& what,
                                   std::vector<LogWrite> then) {
  if (auto known = std::exchange(stored_, std::nullopt)) {
    if (known->terminal() || !what(*known)) return false;
    if (known->terminal() && known->completed_at == 0) known->completed_at = now_ms();
    std::vector<LogWrite> writes;
    writes.emplace_back(Put{std::string(kTasks), record_of(*known), known->revision});
    writes.insert(writes.end(), then.begin(), then.end());
    DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
    if (written.front().applied) {
      known->revision = written.front().number;
      stored_ = std::move(known);
      return true;
    }
  }
  return change_task(log_, task_.id, what, std::move(then));
}

Result<bool> TaskRun::change(const std::function<bool(Task&)>& what, std::vector<LogWrite> then) {
  return change_known(
      [&](Task& task) {
        if (task.claim == task_.claim) return what(task);
        lost_ = true;  // somebody took over: what we know is not wanted any more
        return false;
      },
      std::move(then));
}

void TaskRun::lose() {
  if (over_ || lost_) return;
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
      std::chrono::steady_clock::now() - started_);
  if (finished_) {
    facts.exit_code = finished_->end.exit_code;
    if (finished_->end.signal) facts.signal = std::to_string(*finished_->end.signal);
    if (finished_->timeout) facts.limit = finished_->timeout->what.after;
  }
  Task ended;
  ended.agent = task_.agent;
  ended.working_dir = task_.working_dir;
  sink_.put_end(ended, facts);
  with_end_.clear();
  with_end_.emplace_back(Append{word_stream(task_.id), {one_line(ended.summary)}, {}});
  ended.signal = facts.signal;
  ending_ = [ended](Task& task) { copy_end(task, ended); };
  if (workspace_ != nullptr && !lost_) return collect_changes();
  conclude();
}

void TaskRun::fail(const Error& error) {
  with_end_.clear();
  ending_ = [error](Task& task) {
    task.state = name(TaskState::failed);
    task.reason = error.reason.empty() ? "spawn_failed" : error.reason;
    task.summary = "Task failed: " + one_line(error.message);
  };
  conclude();
}

void TaskRun::conclude() {
  if (over_) return;
  if (lost_) return finish();
  const bool flushed = pump_.flush();
  if ((flushed || !options_.fleet) && store_changes()) {
    const auto changed = change(
        [this](Task& task) {
          ending_(task);
          return true;
        },
        with_end_);
    // False: it was cancelled before and stays so, or it is not ours any more.
    settled_ = changed.has_value() && !lost_;
    if (changed) return finish();
  }
  try_again([this] { conclude(); });
}

void TaskRun::try_again(std::function<void()> what) {
  again_.expires_after(std::chrono::milliseconds(300));
  again_.async_wait([what = std::move(what)](const boost::system::error_code& cancelled) {
    if (!cancelled) what();
  });
}

// Whoever tries it once more gives the agent the same words.
bool TaskRun::may_be_repeated() {
  const auto ended = find_task(log_, task_.id);
  if (!ended || !*ended) return false;
  const TaskState state = (*ended)->task_state();
  return state == TaskState::failed || state == TaskState::timeout;
}

void TaskRun::finish() {
  if (over_) return;
  over_ = true;
  const bool has_secrets = !options_.private_words.empty();  // nowhere in a fleet
  if (has_secrets && !may_be_repeated()) forget_secrets(task_.id, options_.private_words);
  boost::asio::post(io_, calls_.ended);
}

}  // namespace dragoman::task
