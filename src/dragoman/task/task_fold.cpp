// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task_fold.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/failure_reason.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/task/artifacts.hpp"
#include "dragoman/task/git_snapshot.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kLineLength = 200;   // in code points
constexpr std::size_t kKeptOfLine = 1024;  // in bytes, blanks included
constexpr Diagnostic kLeftOut{"text_left_out", Level::info,
                              "more plain text than is kept here: the recording has all of it"};

// Text of no message: what a command prints.
bool is_loose_text(const Event& event) {
  const auto* const text = event.as<DisplayText>();
  return text != nullptr && !text->block.has_value() && !event.partial;
}

}  // namespace

EndState end_state(std::string_view verdict, std::span<const std::string> reasons) {
  if (verdict == "completed") return {TaskState::completed, ""};
  if (verdict == "cancelled") return {TaskState::cancelled, ""};
  if (verdict == "timeout") {
    const bool idle = std::any_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
      return reason.find("idle") != std::string::npos;
    });
    return {TaskState::timeout, idle ? "idle" : "hard"};
  }
  if (verdict == "question") return {TaskState::failed, "unanswered"};
  if (verdict == "blocked" || verdict == "incomplete")
    return {TaskState::failed, std::string(verdict)};
  return {TaskState::failed, reasons.empty() ? "agent_error" : reasons.front()};
}

void TaskFold::on_event(const Event& event) {
  metadata_.on_event(event);
  run_.on_event(event);
  progress_.on_event(event);
  last_event_at_ = now_ms();
  ++seen_;
  if (event.as<Finished>() != nullptr) see_end(event.extra);
  const auto* const text = event.as<DisplayText>();
  if (text == nullptr || event.partial) return;
  if (is_loose_text(event)) text_ += text->text.bytes.size();
  const std::string_view start = text->text.bytes.substr(0, kKeptOfLine);
  if (start.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  std::string& slot = last_[lines_++ % kLastLines];
  if (text->text.escaped) {
    slot = text->text.str().substr(0, kKeptOfLine);
  } else {
    slot.assign(start);
  }
}

std::vector<std::string> TaskFold::last_lines() const {
  std::vector<std::string> lines;
  for (std::uint64_t i = lines_ > kLastLines ? lines_ - kLastLines : 0; i < lines_; ++i) {
    const std::string line = one_line(last_[i % kLastLines]);
    lines.emplace_back(utf8::prefix(line, kLineLength));
  }
  return lines;
}

std::string_view TaskFold::stored(const Event& event, engine::EventLine& line) {
  if (text_ <= kKeptText || !is_loose_text(event)) return line.json();
  if (std::exchange(told_, true)) return {};
  Event note = event;
  note.payload = kLeftOut;
  note.extra = {};
  note_ = to_json(note);
  return note_;
}

void TaskFold::put_progress(Task& task) const {
  task.progress.json.clear();
  json::Writer w(task.progress.json);
  dragoman::put_progress(w, progress_.progress());
  task.last_lines = last_lines();
  task.last_event_at = last_event_at_;
  if (auto thread = thread_id(); !thread.empty()) task.thread_id = std::move(thread);
}

void TaskFold::see_end(std::span<const Extra> extra) {
  std::string events = "[]";
  std::string output = R"("")";
  for (const Extra& field : extra) {
    if (field.key == "git") {
      if (const auto changes = read_git_changes(field.value.json))
        add_changes(git_ ? *git_ : git_.emplace(), *changes);
    } else if (field.key == "limit") {
      limit_ = field.value.json.substr(1, field.value.json.size() - 2);
    } else if (field.key == "last_events") {
      events = field.value.json;
    } else if (field.key == "last_output") {
      output = field.value.json;
    }
  }
  if (!limit_.empty())
    partial_ = fmt::format(R"({{"last_events":{},"last_output":{}}})", events, output);
}

// An agent that cannot begin says why in words and exits; its code alone tells nobody what to do.
std::string TaskFold::reason_in_words() const {
  for (const std::string& line : last_lines()) {
    const std::string_view reason = failure_reason({{}, {}, {}, line});
    if (reason != "agent_error") return std::string(reason);
  }
  return "exit_nonzero";
}

void TaskFold::put_end(Task& task, RunFacts facts) const {
  RunSummary run = run_.summary();
  if (run.cwd.empty()) run.cwd = task.working_dir;  // Codex does not say where it is
  if (!facts.git) facts.git = git_;
  if (facts.state == TaskState::timeout) {
    if (!limit_.empty()) facts.reason = limit_;
    facts.partial_results = partial_;
  }
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  const bool is_known = agent != nullptr && agent->has_program();
  if (facts.reason == "exit_nonzero" && is_known) facts.reason = reason_in_words();
  const Metadata metadata = metadata_.metadata(run, facts);
  task.state = name(facts.state);
  task.reason = facts.reason;
  task.summary = metadata_.summary(metadata, facts);
  task.metadata.json.clear();
  json::Writer w(task.metadata.json);
  put_metadata(w, metadata);
  task.artifacts.json = artifacts_of(task.working_dir, metadata.file_operations);
  if (!run.session_id.empty()) task.thread_id = run.session_id;
  if (facts.exit_code) task.exit_code = *facts.exit_code;
  task.progress.json.clear();
  task.last_lines = last_lines();
  if (last_event_at_ != 0) task.last_event_at = last_event_at_;
}

void copy_progress(Task& task, const Task& progress) {
  task.progress = progress.progress;
  task.last_lines = progress.last_lines;
  task.last_event_at = progress.last_event_at;
  if (!progress.thread_id.empty()) task.thread_id = progress.thread_id;
}

void copy_end(Task& task, const Task& end) {
  task.state = end.state;
  task.reason = end.reason;
  task.summary = end.summary;
  task.metadata = end.metadata;
  task.artifacts = end.artifacts;
  task.exit_code = end.exit_code;
  task.signal = end.signal;
  task.completed_at = end.completed_at;
  task.last_lines = end.last_lines;
  task.progress.json.clear();
  if (end.last_event_at != 0) task.last_event_at = end.last_event_at;
  if (!end.thread_id.empty()) task.thread_id = end.thread_id;
}

}  // namespace dragoman::task
