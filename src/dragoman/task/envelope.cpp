// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/envelope.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/request_id.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kListedIds = 50;

void put_questions(json::Writer& w, const std::vector<ask::QuestionRecord>& questions) {
  if (questions.empty()) return;
  w.name("pending_questions").begin_array();
  for (const auto& question : questions) ask::put_question(w, question);
  w.end_array();
}

// As the Delegator's tools call the task, and as everything else calls the run.
void put_id(json::Writer& w, const std::string& id) {
  w.name("task_id").string(task_id_of(id)).name("id").string(id);
}

void put_output(json::Writer& w, const TaskResults& results) {
  w.name("output").begin_object();
  w.name("included").boolean(results.output_included);
  if (!results.output_included) {
    w.name("reason").string(results.task.terminal()
                                ? "Output excluded by default (use include_output=true)"
                                : "Task is still running");
    w.name("truncated").boolean(false);
    w.name("max_bytes").integer(0);
  } else {
    w.name("stdout").string(results.output.stdout_text);
    w.name("stderr").string(results.output.stderr_text);
    w.name("truncated").boolean(results.output.truncated);
    w.name("max_bytes").count(results.max_bytes);
    if (results.output.truncated) w.name("original_size").count(results.output.original_size);
  }
  w.end_object();
}

std::int64_t started_or_accepted(const Task& task) {
  return task.started_at != 0 ? task.started_at : task.created_at;
}

bool retryable(const Error& error) {
  if (error.code == ErrorCode::internal) return true;
  if (error.code != ErrorCode::tool_error) return false;
  return error.reason == "signal" || error.reason == "rate_limited" ||
         error.reason == "overloaded" || error.reason == "network";
}

}  // namespace

std::string_view tool_category(std::string_view tool) {
  if (tool.ends_with("_wait")) return "wait_result";
  if (tool.ends_with("_status")) return "status_snapshot";
  if (tool.ends_with("_results")) return "result_set";
  if (tool.ends_with("_run") || tool.ends_with("_exec") || tool.ends_with("_resume") ||
      tool.ends_with("_submit"))
    return "execution_ack";
  return "registry_info";
}

void begin_envelope(json::Writer& w, std::string_view tool, std::string_view status) {
  const std::string_view category = tool_category(tool);
  w.begin_object().name("version").word("3.6");
  w.name("schema_id").string(fmt::format("codex/v3.6/{}/v1", category));
  w.name("tool").string(tool);
  w.name("tool_category").string(category);
  const RequestId id = new_request_id();
  w.name("request_id").word({id.data(), id.size()});
  w.name("ts").string(timestamp(now_ms()));
  w.name("status").word(status);
}

std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::validation:
      return "VALIDATION";
    case ErrorCode::not_found:
      return "NOT_FOUND";
    case ErrorCode::unsupported:
      return "UNSUPPORTED";
    case ErrorCode::timeout:
      return "TIMEOUT";
    case ErrorCode::tool_error:
      return "TOOL_ERROR";
    case ErrorCode::internal:
      return "INTERNAL";
  }
  return "INTERNAL";
}

std::string ack_envelope(const Acknowledgement& ack, const AckFacts& facts) {
  std::string out;
  json::Writer w(out);
  begin_envelope(w, ack.task.tool, "ok");
  w.name("meta").begin_object().name("queue_position").count(ack.queue_position);
  if (ack.estimated_start_ms) w.name("estimated_start_ms").integer(*ack.estimated_start_ms);
  if (!facts.refused_answer.empty()) w.name("answer_refused").string(facts.refused_answer);
  w.end_object();
  put_id(w.name("data").begin_object(), ack.task.id);
  const std::string& thread = ack.task.thread_id.empty() ? ack.task.resume : ack.task.thread_id;
  if (!thread.empty()) w.name("thread_id").string(thread);
  w.name("accepted").boolean(true);
  w.name("capability")
      .word(facts.capability == Capability::background ? "background" : "foreground");
  if (!ack.expected_duration.empty()) w.name("expected_duration").string(ack.expected_duration);
  w.name("started_at").string(timestamp(started_or_accepted(ack.task)));
  const TaskState state = ack.task.task_state();
  if (!is_terminal(state) || state == TaskState::completed) w.name("state").string(ack.task.state);
  if (!facts.summary.empty()) w.name("summary").string(facts.summary);
  if (!facts.web_ui_url.empty()) w.name("web_ui_url").string(facts.web_ui_url);
  put_questions(w, facts.questions);
  w.end_object().end_object();
  return out;
}

std::string wait_envelope(const TaskResults& results, WaitExpired expired, std::string_view tool) {
  const Task& task = results.task;
  std::string out;
  json::Writer w(out);
  begin_envelope(w, tool, "ok");
  w.name("meta").begin_object();
  if (task.started_at != 0 || task.terminal()) {
    w.name("started_ts").string(timestamp(started_or_accepted(task)));
  }
  if (task.completed_at != 0) w.name("completed_ts").string(timestamp(task.completed_at));
  w.name("duration_ms").integer(task.duration(now_ms()).count());
  if (task.exit_code) w.name("exit_code").integer(*task.exit_code);
  if (!task.signal.empty()) w.name("signal").string(task.signal);
  if (expired == WaitExpired::yes) w.name("wait_expired").boolean(true);
  if (!results.refused_answer.empty()) w.name("answer_refused").string(results.refused_answer);
  w.end_object();
  put_id(w.name("data").begin_object(), task.id);
  w.name("state").string(task.state);
  w.name("summary").string(results.summary);
  w.name("metadata").raw({results.metadata});
  w.name("artifacts");
  w.raw({task.artifacts.json.empty() ? std::string_view("[]") : task.artifacts.json});
  put_output(w, results);
  put_questions(w, results.questions);
  w.end_object().end_object();
  return out;
}

std::string results_envelope(const TaskResults& results, std::string_view tool) {
  const Task& task = results.task;
  std::string out;
  json::Writer w(out);
  begin_envelope(w, tool, "ok");
  w.name("meta").begin_object().name("count").integer(1).end_object();
  put_id(w.name("data").begin_object(), task.id);
  w.name("state").string(task.state);
  w.name("summary").string(results.summary);
  w.name("duration_seconds").integer(task.duration(now_ms()).count() / 1000);
  if (task.completed_at != 0) w.name("completed_ts").string(timestamp(task.completed_at));
  w.name("metadata").raw({results.metadata});
  put_output(w, results);
  w.name("events").begin_object().name("included").boolean(results.events_included);
  w.name("count").count(results.event_count);
  if (results.events_included) {
    w.name("truncated").boolean(results.event_count > results.events.size());
    w.name("items").begin_array();
    for (const auto& line : results.events) w.raw({line});
    w.end_array();
  } else {
    w.name("reason").string("Events excluded by default (use include_events=true)");
  }
  w.end_object();
  put_questions(w, results.questions);
  w.end_object().end_object();
  return out;
}

namespace {

void put_running(json::Writer& w, const Task& task, std::int64_t now, bool verbose,
                 ask::Desk& desk) {
  put_id(w.begin_object(), task.id);
  w.name("state").word("working");
  w.name("started_ts").string(timestamp(task.started_at));
  w.name("elapsed_seconds").integer(task.duration(now).count() / 1000);
  w.name("progress");
  w.raw({task.progress.json.empty() ? std::string_view("null") : task.progress.json});
  if (verbose && !task.last_lines.empty()) {
    w.name("last_lines").begin_array();
    for (const auto& line : task.last_lines) w.string(line);
    w.end_array();
  }
  if (const auto questions = desk.open_questions(task.id)) put_questions(w, *questions);
  w.name("working_dir").string(task.working_dir);
  w.end_object();
}

}  // namespace

std::string status_envelope(const Snapshot& snapshot, const SnapshotFacts& facts, ask::Desk& desk) {
  std::string out;
  json::Writer w(out);
  begin_envelope(w, facts.tool, "ok");
  w.name("meta").begin_object().name("snapshot_ts").string(timestamp(snapshot.at));
  w.name("total").count(snapshot.running.size() + snapshot.queued.size());
  w.end_object();
  w.name("data").begin_object().name("summary").begin_object();
  w.name("running").count(snapshot.running.size());
  w.name("queued").count(snapshot.queued.size());
  w.name("recently_completed").count(snapshot.recent_count);
  w.end_object();
  if (!snapshot.running.empty()) {
    w.name("tasks").begin_array();
    for (const Task& task : snapshot.running)
      put_running(w, task, snapshot.at, facts.verbose, desk);
    w.end_array();
  }
  if (!snapshot.queued.empty()) {
    w.name("queue").begin_array();
    for (const QueuedTask& queued : snapshot.queued) {
      put_id(w.begin_object(), queued.task.id);
      w.name("position").count(queued.position);
      if (queued.estimated_start_ms)
        w.name("estimated_start_ms").integer(*queued.estimated_start_ms);
      w.end_object();
    }
    w.end_array();
  }
  if (!snapshot.recent.empty()) {
    w.name("recently_completed").begin_array();
    for (const Task& task : snapshot.recent) {
      put_id(w.begin_object(), task.id);
      w.name("state").string(task.state);
      w.name("duration_seconds").integer(task.duration(snapshot.at).count() / 1000);
      w.name("completed_ts").string(timestamp(task.completed_at));
      w.end_object();
    }
    w.end_array();
  }
  if (!facts.stats.empty()) {
    w.name("stats").begin_object();
    for (const auto& [state, count] : facts.stats) w.key(state).count(count);
    w.end_object();
  }
  w.end_object().end_object();
  return out;
}

std::string cancel_envelope(const Cancelled& cancelled, std::string_view tool,
                            std::string_view web_ui_url) {
  std::string out;
  json::Writer w(out);
  begin_envelope(w, tool, "ok");
  w.name("meta").begin_object().name("ack_ts").string(timestamp(now_ms())).end_object();
  w.name("data").begin_object().name("operation").word("cancel");
  put_id(w, cancelled.task.id);
  w.name("state").word("cancelled");
  w.name("previous_state").string(cancelled.previous_state);
  if (!web_ui_url.empty()) w.name("web_ui_url").string(web_ui_url);
  w.end_object().end_object();
  return out;
}

std::string clean_envelope(const Cleaned& cleaned, const CleanOptions& options) {
  std::string out;
  json::Writer w(out);
  begin_envelope(w, "_codex_cleanup_registry", "ok");
  w.name("meta").begin_object().name("dry_run").boolean(options.dry_run);
  // Whole numbers, and never less than what was waited for.
  w.name("stuck_threshold_seconds")
      .integer(std::chrono::ceil<std::chrono::seconds>(options.stuck).count());
  w.name("old_threshold_hours").integer(std::chrono::ceil<std::chrono::hours>(options.old).count());
  w.end_object();
  w.name("data").begin_object().name("stuck_tasks").begin_object();
  w.name("found").count(cleaned.stuck.size());
  w.name("cleaned").count(cleaned.cleaned);
  w.name("task_ids").begin_array();
  for (std::size_t i = 0; i < std::min(cleaned.stuck.size(), kListedIds); ++i)
    w.string(task_id_of(cleaned.stuck[i]));
  w.end_array().end_object();
  w.name("old_tasks").begin_object().name("found").count(cleaned.old_found);
  w.name("deleted").count(cleaned.deleted);
  w.name("oldest_age_hours").integer(cleaned.oldest_age_hours);
  w.end_object();
  w.name("summary").string(cleaned.summary(options.dry_run));
  w.end_object().end_object();
  return out;
}

std::string error_envelope(std::string_view tool, const Error& error,
                           std::optional<std::int64_t> duration_ms) {
  std::string out;
  json::Writer w(out);
  begin_envelope(w, tool, "error");
  w.name("meta").begin_object().end_object();
  w.name("error").begin_object().name("code").word(code_name(error.code));
  w.name("message").string(error.message);
  w.name("details").begin_object();
  const bool unexpected = error.reason.empty() && error.code == ErrorCode::internal;
  if (unexpected || !error.reason.empty())
    w.name("reason").string(unexpected ? "unexpected" : error.reason);
  if (!error.details.empty()) {
    json::Cursor cursor(error.details);
    std::string_view key;
    for (json::Members members(cursor); members.next(key);) {
      const std::string name(key);
      w.key(name).raw({cursor.take().raw});
    }
  }
  w.end_object();
  w.name("retryable").boolean(retryable(error));
  if (duration_ms) w.name("duration_ms").integer(*duration_ms);
  w.end_object().end_object();
  return out;
}

}  // namespace dragoman::task
