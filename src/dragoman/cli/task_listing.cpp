// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/task_listing.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/cli/task_rows.hpp"
#include "dragoman/cli/task_store.hpp"
#include "dragoman/mcp/cloud_registry.hpp"
#include "dragoman/run/run_id.hpp"

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
    return bad_value(fmt::format("--limit: '{}' is not a number", given));
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

// Cloud tasks have no events here that could be searched: their own words and their summary are.
bool has_words(const Task& task, const std::string& words) {
  const std::string text = ascii::lowered(task.text + " " + task.summary);
  std::istringstream each(ascii::lowered(words));
  for (std::string word; each >> word;) {
    std::erase(word, '"');
    if (text.find(word) == std::string::npos) return false;
  }
  return true;
}

bool is_newer(const Task& a, const Task& b) {
  const auto when = [](const Task& task) {
    return task.completed_at != 0 ? task.completed_at : task.created_at;
  };
  return when(a) > when(b);
}

// What was handed over to somewhere else is kept apart, because nobody here may run it; whoever
// lists wants to see it all the same.
Result<void> add_cloud_tasks(Log& log, const task::ListQuery& query, std::vector<Task>& tasks) {
  DRAGOMAN_TRY(const auto cloud, mcp::CloudRegistry(log).list());
  const auto here = static_cast<std::ptrdiff_t>(tasks.size());
  for (const mcp::CloudTask& each : cloud) {
    Task task = mcp::as_task(each);
    const bool wanted = (query.states.empty() ||
                         std::ranges::find(query.states, task.state) != query.states.end()) &&
                        (query.working_dir.empty() || task.working_dir == query.working_dir) &&
                        has_words(task, query.grep);
    if (wanted) tasks.push_back(std::move(task));
  }
  std::inplace_merge(tasks.begin(), tasks.begin() + here, tasks.end(), is_newer);
  if (query.limit != 0 && tasks.size() > query.limit) tasks.resize(query.limit);
  return {};
}

void put_task(json::Writer& w, const Task& task) {
  w.begin_object().name("id").string(task.id).name("task_id").string(task_id_of(task.id));
  w.name("title").string(title_line(task));
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

// "  ? Which store?  since 5m: dragoman answer q-1f0c VALUE"
void print_questions(const Task& task, std::int64_t now,
                     const std::vector<ask::QuestionRecord>& open, Console& console) {
  for (const ask::QuestionRecord& question : open) {
    if (question.task_id != task.id) continue;
    console.out().write(
        fmt::format("  {} {}\n", console.styled(Style::yellow, "?"), printable(question.text)));
    console.out().write(
        console.styled(Style::dim, fmt::format("    waits since {}: dragoman answer {} VALUE",
                                               age_words(now - question.asked_at),
                                               printable(answered_as(question, open)))) +
        "\n");
  }
}

}  // namespace

std::string answered_as(const ask::QuestionRecord& question,
                        const std::vector<ask::QuestionRecord>& open) {
  const auto same = std::ranges::count(open, question.id, &ask::QuestionRecord::id);
  return same > 1 ? question.key() : question.id;
}

namespace {

// What a run needs to begin or to go on, where its questions do not say so. `before`: how many are
// in front of it in the queue.
void print_wait(const Task& task, std::size_t position, Console& console) {
  std::string words = task::waiting_words(task, position);
  if (task.waits == task::kKept) {
    words = fmt::format("the agent stays: dragoman send {} TEXT", task.id);
  } else if (!words.empty()) {
    words.insert(0, "waits for ");
  }
  if (words.empty()) return;
  console.out().write(console.styled(Style::dim, "    " + printable(words)) + "\n");
}

}  // namespace

void print_status(const task::Snapshot& snapshot, const std::vector<ask::QuestionRecord>& open,
                  LastLines lines, Console& console) {
  Output& out = console.out();
  out.write(fmt::format("{} running, {} queued, {} ended in the last 24 h\n",
                        snapshot.running.size(), snapshot.queued.size(), snapshot.recent_count));
  for (const Task& task : snapshot.running) {
    out.write(task_row(task, snapshot.at, title_of(task), console));
    print_questions(task, snapshot.at, open, console);
    print_wait(task, 0, console);
    if (lines == LastLines::no) continue;
    for (const std::string& line : task.last_lines)
      out.write(fitted(fmt::format("  {}", printable(line))));
  }
  for (const auto& queued : snapshot.queued) {
    out.write(task_row(queued.task, snapshot.at, title_of(queued.task), console));
    print_wait(queued.task, queued.position, console);
  }
  for (const Task& task : snapshot.recent) {
    out.write(task_row(task, snapshot.at, title_of(task), console));
    print_wait(task, 0, console);
  }
}

Result<int> list_tasks(const Invocation& invocation, Console& console, task::Service& service) {
  DRAGOMAN_TRY(const auto query, query_of(invocation));
  DRAGOMAN_TRY(auto tasks, service.list(query));
  DRAGOMAN_CHECK(add_cloud_tasks(service.log(), query, tasks));
  if (!invocation.has("json")) {
    if (tasks.empty()) console.note("no task");
    const std::int64_t now = task::now_ms();
    DRAGOMAN_TRY(const auto open, service.desk().open_questions());
    for (const Task& task : tasks) {
      console.out().write(
          task_row(task, now, fmt::format("{:<8}  {}", task.agent, title_of(task)), console));
      print_questions(task, now, open, console);
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
