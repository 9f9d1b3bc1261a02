// SPDX-License-Identifier: Apache-2.0
// Our tasks as the protocol's tasks.
#include <algorithm>
#include <set>

#include "dragoman/mcp/delegation_tools.hpp"
#include "dragoman/mcp/elicitation.hpp"
#include "dragoman/mcp/markdown.hpp"
#include "dragoman/mcp/progress_teller.hpp"
#include "dragoman/mcp/protocol.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/envelope.hpp"
#include "dragoman/task/pages.hpp"

namespace dragoman::mcp {
namespace {

Result<task::Task> task_called(task::Service& service, std::string_view id) {
  auto found = service.get(id);
  if (found || found.error().code == ErrorCode::internal) return found;
  return Error{ErrorCode::not_found, "Task not found: " + std::string(id.substr(0, 100))};
}

}  // namespace

// Without the result: to make that one reads all that the agent did.
Result<TaskView> DelegationTools::state_of(const task::Task& task) {
  TaskView view;
  view.id = task.id;
  view.message = task.summary;
  view.created_at = task.created_at;
  view.updated_at =
      std::max({task.created_at, task.started_at, task.last_event_at, task.completed_at});
  if (!task.terminal()) {
    view.message = task.state == name(TaskState::queued) ? "Waiting for a free slot" : "Working";
    DRAGOMAN_TRY(const auto questions, service_.desk().open_questions(task.id));
    for (const auto& question : questions) {
      if (can_be_elicited(question)) view.requests.push_back(elicitation_of(question));
    }
    if (!questions.empty()) view.message = "Waiting for an answer (dragoman answer)";
    if (!view.requests.empty()) view.status = TaskStatus::input_required;
    return view;
  }
  const bool cancelled = task.task_state() == TaskState::cancelled;
  view.status = cancelled ? TaskStatus::cancelled : TaskStatus::completed;
  return view;
}

Result<TaskView> DelegationTools::view_of(const task::Task& task) {
  DRAGOMAN_TRY(auto view, state_of(task));
  if (view.status != TaskStatus::completed) return view;
  // Of a run that no tool started the tools know no better answer than that of run.
  task::Task shown = task;
  if (find_delegation_tool(task.tool) == nullptr) shown.tool = "_codex_local_run";
  DRAGOMAN_TRY(auto outcome, local_.foreground(shown));
  ToolResult result;
  if (const auto* reply = std::get_if<ToolReply>(&outcome)) {
    result.text = reply->markdown;
    result.structured = reply->envelope;
  } else if (const auto* failure = std::get_if<ToolFailure>(&outcome)) {
    result.is_error = true;
    result.structured = task::error_envelope(shown.tool, failure->error, failure->duration_ms);
    result.text = markdown_error(shown.tool, failure->error);
  }
  view.result = std::move(result);
  return view;
}

Result<TaskView> DelegationTools::task(std::string_view id) {
  DRAGOMAN_TRY(const auto found, task_called(service_, id));
  return view_of(found);
}

Result<TaskView> DelegationTools::wait_task(std::string_view id, Context& context) {
  for (;;) {
    DRAGOMAN_TRY(auto view, task(id));
    if (view.status != TaskStatus::working || context.cancelled()) return view;
    DRAGOMAN_TRY(const auto seen, service_.wait(id, kNotice));
    // A question that only `dragoman answer` may settle does not let wait() sleep.
    if (!seen.terminal()) {
      DRAGOMAN_TRY(const auto questions, service_.desk().open_questions(seen.id));
      if (!questions.empty() && !context.sleep(kNotice)) return view;
    }
  }
}

Result<void> DelegationTools::answer_task(std::string_view id,
                                          const std::vector<InputResponse>& responses) {
  DRAGOMAN_TRY(const auto found, task_called(service_, id));
  DRAGOMAN_TRY(const auto questions, service_.desk().open_questions(found.id));
  for (const InputResponse& response : responses) {
    for (const auto& question : questions) {
      // What is no answer leaves the question open, and it is asked again.
      if (question.key() == response.key)
        (void)take_elicited(service_.desk(), question, response.result, "mcp");
    }
  }
  return {};
}

// A store that does not answer says nothing about it.
bool DelegationTools::still_asked(const InputRequest& question) {
  const auto asked = service_.desk().find(question.key);
  return asked ? asked->is_open() : asked.error().code != ErrorCode::not_found;
}

void DelegationTools::tell_progress(const InputRequest& question, Context& context) {
  // "task id/question id"; who cannot be read now is told about the next time.
  const auto task = service_.get(question.key.substr(0, question.key.find('/')));
  if (task) ProgressTeller(context).tell(*task, ProgressTeller::Clock::now());
}

Result<TaskView> DelegationTools::cancel_task(std::string_view id) {
  DRAGOMAN_TRY(auto before, task(id));
  if (before.status != TaskStatus::working && before.status != TaskStatus::input_required)
    return before;
  // Refused where it has ended meanwhile; the view says how.
  (void)service_.cancel(id, "");
  return task(id);
}

Result<TaskList> DelegationTools::task_list(std::string_view cursor) {
  DRAGOMAN_TRY(auto page, task::list_page(service_.log(), {}, cursor, kPageSize));
  TaskList list;
  list.next = std::move(page.next);
  for (const task::Task& each : page.tasks) {
    DRAGOMAN_TRY(auto view, state_of(each));
    list.tasks.push_back(std::move(view));
  }
  return list;
}

// The cursor is one above the last revision that was seen, so that 0 stays free for "from now on".
Changes DelegationTools::wait_for_changes(std::uint64_t& cursor,
                                          std::chrono::milliseconds timeout) {
  constexpr std::size_t kAtOnce = 500;
  Changes changes;
  Log& log = service_.log();
  const bool first = cursor == 0;
  if (first) cursor = 1;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (std::uint64_t seen = 0;;) {
    const auto records = log.changed(task::kTasks, cursor - 1, kAtOnce);
    if (records && !records->empty()) {
      cursor = records->back().revision + 1;
      if (first) continue;  // up to the end
      for (const LogRecord& record : *records) {
        changes.tasks.push_back(record.key);
        // A client may have subscribed to either of its names.
        for (const std::string& name : std::set<std::string>{record.key, task_id_of(record.key)}) {
          changes.uris.push_back("dragoman://run/" + name);
          changes.uris.push_back("dragoman://run/" + name + "/output");
        }
      }
      return changes;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (first || left.count() <= 0) return changes;
    seen = log.wait_for_change(seen, std::min(left, std::chrono::milliseconds(1000)));
  }
}

}  // namespace dragoman::mcp
