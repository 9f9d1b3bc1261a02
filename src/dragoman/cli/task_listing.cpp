// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_listing.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::cli {
namespace {

using task::Task;

// 0: all of them.
Result<std::size_t> limit_of(const Invocation& invocation) {
  const std::string given = invocation.value("limit").value_or("");
  std::size_t limit = task::ListQuery().limit;
  const char* const end = given.data() + given.size();
  if (given.empty()) return limit;
  if (const auto read = std::from_chars(given.data(), end, limit);
      read.ec != std::errc() || read.ptr != end) {
    return Error{ErrorCode::validation, fmt::format("--limit: '{}' is not a number", given),
                 "bad_value"};
  }
  return limit;
}

Result<task::ListQuery> query_of(const Invocation& invocation) {
  task::ListQuery query;
  query.states = invocation.values("state");
  query.grep = invocation.value("grep").value_or("");
  if (const auto cwd = invocation.value("cwd")) {
    std::error_code gone;  // a directory that is no more is still a name to look for
    const auto found = std::filesystem::canonical(*cwd, gone);
    query.working_dir = gone ? *cwd : found.string();
  }
  DRAGOMAN_TRY(query.limit, limit_of(invocation));
  return query;
}

void put_task(json::Writer& w, const Task& task) {
  w.begin_object().name("task_id").string(task.id);
  w.name("state").string(task.state);
  if (!task.reason.empty()) w.name("reason").string(task.reason);
  w.name("tool").string(task.tool);
  w.name("agent").string(task.agent);
  w.name("working_dir").string(task.working_dir);
  w.name("created_ts").string(task::timestamp(task.created_at));
  if (task.completed_at != 0) w.name("completed_ts").string(task::timestamp(task.completed_at));
  if (!task.thread_id.empty()) w.name("thread_id").string(task.thread_id);
  if (!task.summary.empty()) w.name("summary").string(task.summary);
  w.end_object();
}

}  // namespace

std::string title_of(const Task& task) {
  constexpr std::size_t kLongest = 200;  // code points
  std::string words = task.summary.empty() ? task.text : task.summary;
  if (words.empty()) words = fmt::format("{}", fmt::join(task.words, " "));
  const std::string line = one_line(words);
  return printable(utf8::prefix(line, kLongest));
}

Result<int> list_tasks(const Invocation& invocation, Console& console, task::Service& service) {
  DRAGOMAN_TRY(const auto query, query_of(invocation));
  DRAGOMAN_TRY(const auto tasks, service.list(query));
  if (!invocation.has("json")) {
    for (const Task& task : tasks) {
      console.out().write(
          fmt::format("{}  {:<9}  {:<8}  {}\n", task.id, task.state, task.agent, title_of(task)));
    }
    return kOk;
  }
  std::string& out = console.out().buffer();
  json::Writer w(out);
  w.begin_array();
  for (const Task& task : tasks) put_task(w, task);
  w.end_array();
  out.push_back('\n');
  return kOk;
}

}  // namespace dragoman::cli
