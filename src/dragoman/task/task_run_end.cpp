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
  if (over_ || fold_.seen() == told_events_ || now - told_ < std::chrono::seconds(1)) return;
  told_ = now;
  told_events_ = fold_.seen();
  const auto changed = change_task(log_, task_.id, [&](Task& task) {
    fold_.put_progress(task);
    return true;
  });
  (void)changed;  // the next tick tries again
}

void TaskRun::settle(const EndState& end) {
  pump_.flush();
  RunFacts facts;
  facts.state = end.state;
  facts.reason = end.reason;
  facts.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started_);
  facts.limit = std::chrono::milliseconds(facts.reason == "idle" ? task_.idle_ms : task_.hard_ms);
  if (finished_) {
    facts.exit_code = finished_->exit_code;
    facts.ended_by_signal = !finished_->signal.empty();
  }
  Task ended;
  ended.working_dir = task_.working_dir;
  fold_.put_end(ended, facts);
  if (finished_) ended.signal = finished_->signal;
  std::vector<LogWrite> then;
  then.emplace_back(Append{word_stream(task_.id), {one_line(ended.summary)}, {}});
  const auto changed = change_task(
      log_, task_.id,
      [&](Task& task) {
        copy_end(task, ended);
        return true;
      },
      then);
  (void)changed;  // false: it was cancelled before, and stays so
  finish();
}

void TaskRun::fail(const Error& error) {
  const auto changed = change_task(log_, task_.id, [&](Task& task) {
    task.state = name(TaskState::failed);
    task.reason = error.reason.empty() ? "spawn_failed" : error.reason;
    task.summary = "Task failed: " + one_line(error.message);
    return true;
  });
  (void)changed;
  finish();
}

void TaskRun::finish() {
  over_ = true;
  forget_secrets(task_.id, options_.private_words);
  boost::asio::post(io_, ended_);
}

}  // namespace dragoman::task
