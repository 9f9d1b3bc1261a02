// SPDX-License-Identifier: Apache-2.0
// What is written about a task while it runs, and when it has ended.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "dragoman/run/one_line.hpp"
#include "dragoman/task/task_run.hpp"

namespace dragoman::task {

void TaskRun::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (over_ || !news_ || now - told_ < std::chrono::seconds(1)) return;
  told_ = now;
  news_ = false;
  std::string progress;
  json::Writer w(progress);
  put_progress(w, progress_.progress());
  const std::string thread = fold_.summary().session_id;
  const auto changed = change_task(log_, task_.id, [&](Task& task) {
    task.progress.json = progress;
    task.last_lines = last_lines_;
    task.last_event_at = last_event_at_;
    if (!thread.empty()) task.thread_id = thread;
    return true;
  });
  (void)changed;  // the next tick tries again
}

void TaskRun::settle(TaskState state, std::string reason) {
  pump_.flush();
  RunFacts facts;
  facts.state = state;
  facts.reason = std::move(reason);
  facts.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started_);
  facts.limit = std::chrono::milliseconds(facts.reason == "idle" ? task_.idle_ms : task_.hard_ms);
  if (finished_) {
    facts.exit_code = finished_->exit_code;
    facts.ended_by_signal = !finished_->signal.empty();
  }
  const RunSummary run = fold_.summary();
  const Metadata metadata = metadata_.metadata(run, facts);
  const std::string summary = metadata_.summary(metadata, facts);
  std::string json;
  json::Writer w(json);
  put_metadata(w, metadata);
  std::vector<LogWrite> then;
  then.emplace_back(Append{word_stream(task_.id), {one_line(summary)}, {}});
  const auto changed = change_task(
      log_, task_.id,
      [&](Task& task) {
        task.state = name(facts.state);
        task.reason = facts.reason;
        task.summary = summary;
        task.metadata.json = json;
        if (!run.session_id.empty()) task.thread_id = run.session_id;
        if (facts.exit_code) task.exit_code = *facts.exit_code;
        if (finished_) task.signal = finished_->signal;
        task.progress.json.clear();
        task.last_event_at = last_event_at_;
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
  boost::asio::post(io_, ended_);
}

}  // namespace dragoman::task
