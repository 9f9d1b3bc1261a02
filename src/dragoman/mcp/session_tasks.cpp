// SPDX-License-Identifier: Apache-2.0
// Tasks: the experimental ones of 2025-11-25 and the extension of 2026-07-28.
#include <fmt/format.h>

#include "dragoman/json/writer.hpp"
#include "dragoman/mcp/compose.hpp"
#include "dragoman/mcp/lists.hpp"
#include "dragoman/mcp/session_parts.hpp"

namespace dragoman::mcp {
namespace {

using json::Kind;
using json::Value;

bool has_ended(const TaskView& task) {
  return task.status == TaskStatus::completed || task.status == TaskStatus::failed ||
         task.status == TaskStatus::cancelled;
}

// How soon an answer from elsewhere is noticed.
constexpr std::chrono::milliseconds kUntilAnswered(500);

ProtocolError no_id() { return {kInvalidParams, "Invalid params: taskId must be a string"}; }

std::string related(std::string_view task_id) {
  std::string out = fmt::format(R"("_meta":{{"{}":{{"taskId":)", kMetaRelatedTask);
  json::append_string(out, task_id);
  return out.append("}}");
}

}  // namespace

Response Session::started(Exchange& request, const std::string& task_id) {
  const auto task = server_.box().task(task_id);
  if (!task) return protocol_error(task.error(), request.era(), kInternalError);
  std::string out;
  append_task(out, *task, request.era());
  if (request.era() == Era::modern) {
    return fmt::format(R"({{"resultType":"task",{},{}}})", out, server_.meta());
  }
  {
    const Lock lock(mutex_);
    if (tasks_.size() < kMaxSubscriptions) tasks_.insert(task_id);
  }
  start_watching();
  return fmt::format(R"({{"task":{{{}}}}})", out);
}

void Session::append_detailed_task(std::string& out, const TaskView& task) const {
  append_task(out, task, Era::modern);
  if (task.status == TaskStatus::input_required) {
    out.append(R"(,"inputRequests":)");
    append_input_requests(out, task.requests);
  } else if (task.status == TaskStatus::completed) {
    out.append(R"(,"result":{"resultType":"complete",)");
    append_tool_result(out, task.result.value_or(ToolResult{}));
    out.push_back('}');
  } else if (task.status == TaskStatus::failed) {
    out.append(R"(,"error":)");
    append_error_object(out, protocol_error(task.error.value_or(Error{.message = "failed"}),
                                            Era::modern, kInvalidParams));
  }
}

Response Session::get_task(Exchange& request) {
  const auto id = string_member(request.params(), "taskId");
  if (!id) return no_id();
  const auto task = server_.box().task(*id);
  if (!task) return protocol_error(task.error(), request.era(), kInvalidParams);
  std::string out;
  if (request.era() == Era::modern) {
    append_detailed_task(out, *task);
  } else {
    append_task(out, *task, Era::legacy);
  }
  return result(request, out);
}

// Legacy: blocks until the task has ended; what it wants to know meanwhile is asked here, as often
// as it is answered. Somebody else may answer what this client declines or cannot be asked.
Response Session::task_result(Exchange& request) {
  const auto id = string_member(request.params(), "taskId");
  if (!id) return no_id();
  std::set<std::string> declined;
  while (true) {
    const auto task = server_.box().wait_task(*id, request);
    if (!task) return protocol_error(task.error(), request.era(), kInvalidParams);
    if (task->result && has_ended(*task)) {
      std::string out;
      append_tool_result(out, *task->result);
      return result(request, out.append(",").append(related(*id)));
    }
    if (task->error) return protocol_error(*task->error, request.era(), kInvalidParams);
    if (has_ended(*task)) {
      return ProtocolError{kInternalError, fmt::format("The task was {}", name(task->status))};
    }
    if (request.cancelled()) {
      return ProtocolError{kInternalError, "The task goes on: the server was asked to end"};
    }
    if (task->status != TaskStatus::input_required) continue;
    std::vector<InputRequest> wanted = task->requests;
    std::erase_if(wanted, [&](const InputRequest& each) { return declined.contains(each.key); });
    if (wanted.empty()) {
      (void)request.sleep(kUntilAnswered);
      continue;
    }
    if (auto failed = ask_for_task(request, *id, wanted, declined)) return *std::move(failed);
  }
}

std::optional<ProtocolError> Session::ask_for_task(Exchange& request, const std::string& id,
                                                   const std::vector<InputRequest>& wanted,
                                                   std::set<std::string>& declined) {
  const auto failure = [&](const Error& error) {
    return protocol_error(error, request.era(), kInvalidParams);
  };
  const auto answers = ask(request, {wanted, {}, {}}, id);
  const bool cannot = !answers && answers.error().reason == "missing_capability";
  if (!answers && !cannot) return failure(answers.error());
  if (answers) {
    const auto taken = server_.box().answer_task(id, *answers);
    if (!taken) return failure(taken.error());
  }
  for (const InputRequest& each : wanted) {
    if (server_.box().still_asked(each)) declined.insert(each.key);
  }
  return std::nullopt;
}

Response Session::list_tasks(Exchange& request) {
  const Value cursor = member(request.params(), "cursor");
  if (!cursor.absent() && !cursor.is(Kind::string)) {
    return ProtocolError{kInvalidParams, "Invalid params: cursor must be a string"};
  }
  const auto list = server_.box().task_list(cursor.absent() ? std::string() : cursor.text().str());
  if (!list && list.error().code == ErrorCode::validation) {
    return ProtocolError{kInvalidParams, "Invalid params: the cursor is none that was given out"};
  }
  if (!list) return protocol_error(list.error(), request.era(), kInternalError);
  std::string out = R"({"tasks":[)";
  for (const TaskView& task : list->tasks) {
    out.append(&task != list->tasks.data() ? ",{" : "{");
    append_task(out, task, Era::legacy);
    out.push_back('}');
  }
  out.push_back(']');
  if (!list->next.empty()) {
    out.append(R"(,"nextCursor":)");
    json::append_string(out, std::string_view(list->next));
  }
  return out.append("}");
}

Response Session::update_task(Exchange& request) {
  const auto id = string_member(request.params(), "taskId");
  if (!id) return no_id();
  const Value responses = member(request.params(), "inputResponses");
  if (!responses.is(Kind::object)) {
    return ProtocolError{kInvalidParams, "Invalid params: inputResponses must be an object"};
  }
  std::vector<InputResponse> answers;
  json::Cursor c(responses.raw);
  std::string_view key;
  for (json::Members m(c); m.next(key);) {
    std::string name(key);
    answers.push_back({std::move(name), std::string(c.take().raw)});
  }
  const auto taken = server_.box().answer_task(*id, answers);
  if (!taken) return protocol_error(taken.error(), request.era(), kInvalidParams);
  return result(request, "");
}

Response Session::cancel_task(Exchange& request) {
  const auto id = string_member(request.params(), "taskId");
  if (!id) return no_id();
  const auto before = server_.box().task(*id);
  if (!before) return protocol_error(before.error(), request.era(), kInvalidParams);
  const bool modern = request.era() == Era::modern;
  if (has_ended(*before)) {
    if (modern) return result(request, "");
    return ProtocolError{kInvalidParams,
                         fmt::format("Cannot cancel task: it is {}", name(before->status))};
  }
  const auto after = server_.box().cancel_task(*id);
  if (!after) return protocol_error(after.error(), request.era(), kInvalidParams);
  std::string out;
  if (!modern) append_task(out, *after, Era::legacy);
  return result(request, out);
}

}  // namespace dragoman::mcp
