// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/task_failure.hpp"

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/schema/tree.hpp"

namespace dragoman::mcp {
namespace {

using schema::Tree;

// file, line, column and the first suggestion of error_context.
void put_place(json::Writer& w, std::string_view metadata) {
  const auto tree = Tree::parse(std::string(metadata.empty() ? "{}" : metadata));
  if (!tree || !tree->is(schema::kRoot, json::Kind::object)) return;
  const auto context = tree->member(schema::kRoot, "error_context");
  if (!context || !tree->is(*context, json::Kind::object)) return;
  const auto places = tree->member(*context, "error_locations");
  if (places && !tree->children(*places).empty()) {
    const auto place = tree->children(*places).front();
    for (const std::string_view name : {"file", "line", "column"}) {
      if (const auto found = tree->member(place, name)) w.key(name).raw({tree->raw(*found)});
    }
  }
  const auto suggestions = tree->member(*context, "suggestions");
  if (suggestions && !tree->children(*suggestions).empty())
    w.name("suggestion").raw({tree->raw(tree->children(*suggestions).front())});
}

ErrorCode code_of(const task::Task& task) {
  if (task.task_state() == TaskState::timeout) return ErrorCode::timeout;
  if (task.reason == "session_expired" || task.reason == "thread") return ErrorCode::not_found;
  return ErrorCode::tool_error;
}

}  // namespace

Error failure_of(task::Service& service, const task::Task& task) {
  task::ResultsQuery query;
  query.include_output = true;
  const auto found = task::results_of(service, task, query);
  if (!found) return found.error();
  const task::TaskResults& results = *found;
  Error error;
  error.code = code_of(task);
  error.reason = task.reason;
  if (error.reason.empty())
    error.reason = task.task_state() == TaskState::cancelled ? "cancelled" : "agent_error";
  constexpr std::string_view kPrefix = "Task failed: ";
  error.message = results.summary.starts_with(kPrefix) ? results.summary.substr(kPrefix.size())
                                                       : results.summary;
  json::Writer w(error.details);
  w.begin_object().name("task_id").string(task_id_of(task.id)).name("state").string(task.state);
  if (task.exit_code) w.name("exit_code").integer(*task.exit_code);
  if (!task.signal.empty()) w.name("signal").string(task.signal);
  if (!results.output.stderr_text.empty())
    w.name("stderr_tail").string(utf8::tail(results.output.stderr_text, kStderrTail));
  put_place(w, results.metadata);
  if (error.code == ErrorCode::timeout) {
    w.name("timeout_type").word(task.reason == "idle" ? "idle" : "hard");
    w.name("elapsed_seconds").integer(task.duration(task::now_ms()).count() / 1000);
    if (!results.partial_results.empty()) w.name("partial_results").raw({results.partial_results});
  }
  w.end_object();
  return error;
}

}  // namespace dragoman::mcp
