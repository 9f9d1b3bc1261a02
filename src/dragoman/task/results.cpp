// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/results.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/run/fold.hpp"
#include "dragoman/task/agent_lines.hpp"
#include "dragoman/task/printed.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kPage = 2000;
constexpr std::size_t kEventBytes = 32 * 1024;  // an answer has to fit into a client's window

// Every event of the run, in order. Lines that are no events are passed over.
Result<void> replay(Log& log, std::string_view task_id, const std::vector<EventSink*>& sinks) {
  const std::string stream = event_stream(task_id);
  for (std::uint64_t next = 1;;) {
    DRAGOMAN_TRY(const auto page, log.read(stream, next, kPage));
    if (page.empty()) return {};
    Arena arena;
    for (const LogEntry& entry : page) {
      arena.reset();
      auto event = read_event(entry.body, arena);
      if (!event) continue;
      for (EventSink* sink : sinks) sink->on_event(*event);
    }
    next = page.back().seq + 1;
  }
}

std::string summary_of(const Task& task, std::int64_t now) {
  if (!task.summary.empty()) return task.summary;
  if (task.task_state() == TaskState::queued) return "Task is queued";
  if (task.task_state() == TaskState::working)
    return fmt::format("Task is still running ({} s)", task.duration(now).count() / 1000);
  return "Task " + task.state;
}

// Lists of files of a task that touched thousands would fill an answer by themselves: of each the
// first ones stay, and how many were left out is said.
void put_short_files(json::Writer& w, json::Cursor& cursor) {
  constexpr std::size_t kFilesShown = 100;
  std::uint64_t omitted = 0;
  w.begin_object();
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    w.key(std::string(key));
    if (!cursor.next_is(json::Kind::array)) {
      w.raw({cursor.take().raw});
      continue;
    }
    w.begin_array();
    std::size_t count = 0;
    for (json::Elements files(cursor); files.next();) {
      const json::Value file = cursor.take();
      if (++count <= kFilesShown) {
        w.raw({file.raw});
      } else {
        ++omitted;
      }
    }
    w.end_array();
  }
  if (omitted > 0) w.name("omitted_files").count(omitted);
  w.end_object();
}

// The output of a task that ran out of time is in the answer anyway: the end is enough here.
void put_short_partial(json::Writer& w, json::Cursor& cursor) {
  constexpr std::size_t kShort = 8 * 1024;
  w.begin_object();
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool events = key == "last_events";
    const bool output = key == "last_output";
    w.key(std::string(key));
    if (events && cursor.next_is(json::Kind::array)) {
      std::vector<std::string> lines;
      for (json::Elements elements(cursor); elements.next();) lines.emplace_back(cursor.take().raw);
      w.begin_array();
      for (const auto& line : last_that_fit(std::move(lines), kShort)) w.raw({line});
      w.end_array();
      continue;
    }
    const json::Value value = cursor.take();
    if (output && value.is(json::Kind::string)) {
      w.string(utf8::tail(value.text().str(), kShort));
    } else {
      w.raw({value.raw});
    }
  }
  w.end_object();
}

void put_short_error(json::Writer& w, json::Cursor& cursor) {
  w.begin_object();
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool partial = key == "partial_results";
    w.key(std::string(key));
    if (partial && cursor.next_is(json::Kind::object)) {
      put_short_partial(w, cursor);
    } else {
      w.raw({cursor.take().raw});
    }
  }
  w.end_object();
}

std::string short_metadata(std::string metadata) {
  constexpr std::size_t kLong = 8 * 1024;
  if (metadata.size() <= kLong) return metadata;
  std::string out;
  json::Writer w(out);
  json::Cursor cursor(metadata);
  std::string_view key;
  w.begin_object();
  for (json::Members members(cursor); members.next(key);) {
    const bool files = key == "file_operations";
    const bool error = key == "error_context";
    w.key(std::string(key));
    if (files && cursor.next_is(json::Kind::object)) {
      put_short_files(w, cursor);
    } else if (error && cursor.next_is(json::Kind::object)) {
      put_short_error(w, cursor);
    } else {
      w.raw({cursor.take().raw});
    }
  }
  w.end_object();
  return cursor.finish() ? out : metadata;
}

// What ends a run is no event of the agent, and repeats the last ones of a run that took too long.
bool is_end(const std::string& line) {
  Arena arena;
  const auto event = read_event(line, arena);
  return event && event->kind() == Kind::finished;
}

// What the agent wrote, or where that is not at hand what was made of it.
Result<void> read_events(Log& log, bool included, TaskResults& results) {
  if (auto own = agent_lines(results.task, included ? kEventsShown : 0, kEventBytes)) {
    results.event_count = own->count;
    results.events = std::move(own->last);
    return {};
  }
  const std::string stream = event_stream(results.task.id);
  DRAGOMAN_TRY(results.event_count, log.last(stream));
  if (!included) return {};
  DRAGOMAN_TRY(auto last, read_before(log, stream, results.event_count + 1, kEventsShown + 1));
  std::vector<std::string> lines;
  for (LogEntry& entry : last) {
    if (is_end(entry.body)) {
      --results.event_count;
    } else {
      lines.push_back(std::move(entry.body));
    }
  }
  if (lines.size() > kEventsShown) lines.erase(lines.begin());
  results.events = last_that_fit(std::move(lines), kEventBytes);
  return {};
}

}  // namespace

Result<TaskResults> results_of(Service& service, const Task& task, const ResultsQuery& query) {
  TaskResults results;
  results.task = task;
  const std::int64_t now = now_ms();
  results.summary = summary_of(task, now);
  results.output_included = includes_output(task.task_state(), query.include_output);
  ReadableOutput output;
  MetadataFold metadata;
  RunFold run;
  std::vector<EventSink*> sinks;
  if (results.output_included) sinks.push_back(&output);
  if (task.metadata.json.empty()) sinks.insert(sinks.end(), {&metadata, &run});
  if (!sinks.empty()) DRAGOMAN_CHECK(replay(service.log(), task.id, sinks));
  results.metadata = task.metadata.json;
  if (results.metadata.empty()) {
    RunFacts facts;
    facts.state = task.task_state();
    facts.reason = task.reason;
    facts.duration = task.duration(now);
    json::Writer w(results.metadata);
    put_metadata(w, metadata.metadata(run.summary(), facts));
  }
  results.metadata = short_metadata(std::move(results.metadata));
  if (results.output_included) {
    const bool speaks_json = output.speaks_json();
    results.max_bytes = std::clamp(query.max_output_bytes, kMinOutputBytes, kMaxOutputBytes);
    Printed printed = std::move(output).take();
    if (!speaks_json) printed = recorded_output(task).value_or(std::move(printed));
    results.output = cut_output(printed.out, printed.err, results.max_bytes);
  }
  results.events_included = query.include_events;
  DRAGOMAN_CHECK(read_events(service.log(), query.include_events, results));
  DRAGOMAN_TRY(results.questions, service.desk().open_questions(task.id));
  return results;
}

}  // namespace dragoman::task
