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

// An object as it is, but for the member `name`: `put` writes the value of that.
template <typename Put>
void put_with(json::Writer& w, json::Cursor& cursor, std::string_view name, Put put) {
  w.begin_object();
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool wanted = key == name;
    w.key(std::string(key));
    if (wanted && cursor.next_is(json::Kind::object)) {
      put(w, cursor);
    } else {
      w.raw({cursor.take().raw});
    }
  }
  w.end_object();
}

void put_short_error(json::Writer& w, json::Cursor& cursor) {
  put_with(w, cursor, "partial_results", put_short_partial);
}

// What was kept when the run ended are events of ours. Told is what every other answer tells too.
std::string with_partial_results(const std::string& metadata, std::string_view partial) {
  std::string out;
  json::Writer w(out);
  json::Cursor cursor(metadata);
  put_with(w, cursor, "error_context", [partial](json::Writer& to, json::Cursor& context) {
    to.begin_object();
    std::string_view key;
    for (json::Members members(context); members.next(key);) {
      const bool old = key == "partial_results";
      const std::string name(key);
      const json::Value value = context.take();
      if (!old) to.key(name).raw({value.raw});
    }
    to.key("partial_results").raw({partial});
    to.end_object();
  });
  return cursor.finish() ? out : metadata;
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
// Nor is what we remark ourselves, such as that the time is up.
bool is_ours(const std::string& line) {
  Arena arena;
  const auto event = read_event(line, arena);
  if (!event) return false;
  return event->kind() == Kind::finished ||
         (event->kind() == Kind::diagnostic && event->origin.channel == Channel::control);
}

// What the agent wrote, or where that is not at hand what was made of it. False: nothing is known.
Result<bool> read_events(Log& log, TaskResults& results) {
  if (auto own = agent_lines(results.task, kEventsShown, kEventBytes)) {
    results.event_count = own->count;
    results.events = std::move(own->last);
    return true;
  }
  constexpr std::size_t kMostOfOurs = 16;  // among the last ones
  const std::string stream = event_stream(results.task.id);
  DRAGOMAN_TRY(results.event_count, log.last(stream));
  const bool known = results.event_count != 0;
  DRAGOMAN_TRY(auto last,
               read_before(log, stream, results.event_count + 1, kEventsShown + kMostOfOurs));
  std::vector<std::string> lines;
  for (LogEntry& entry : last) {
    if (is_ours(entry.body)) {
      --results.event_count;
    } else {
      lines.push_back(std::move(entry.body));
    }
  }
  if (lines.size() > kEventsShown) lines.erase(lines.begin(), lines.end() - kEventsShown);
  results.events = last_that_fit(std::move(lines), kEventBytes);
  return known;
}

// The end of both streams; neither takes more than half when the other needs that.
std::string last_output(const Printed& printed) {
  constexpr std::size_t kLastOutput = 64 * 1024;
  const std::size_t beside = kLastOutput - std::min(kLastOutput, printed.out.size());
  const std::string_view end = utf8::tail(printed.err, std::max(kLastOutput / 2, beside));
  std::string text(utf8::tail(printed.out, kLastOutput - end.size()));
  return text += end;
}

std::string partial_results(const std::vector<std::string>& events, const Printed& printed) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("last_events").begin_array();
  for (const auto& line : events) w.raw({line});
  w.end_array();
  w.name("last_output").string(last_output(printed));
  w.end_object();
  return out;
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
  Printed printed;
  if (results.output_included) {
    const bool speaks_json = output.speaks_json();
    results.max_bytes = std::clamp(query.max_output_bytes, kMinOutputBytes, kMaxOutputBytes);
    printed = std::move(output).take();
    if (!speaks_json) printed = recorded_output(task).value_or(std::move(printed));
    results.output = cut_output(printed.out, printed.err, results.max_bytes);
  }
  results.events_included = query.include_events;
  DRAGOMAN_TRY(const bool known, read_events(service.log(), results));
  if (known && task.task_state() == TaskState::timeout) {
    results.partial_results = partial_results(results.events, printed);
    results.metadata = with_partial_results(results.metadata, results.partial_results);
  }
  if (!query.include_events) results.events.clear();
  results.metadata = short_metadata(std::move(results.metadata));
  DRAGOMAN_TRY(results.questions, service.desk().open_questions(task.id));
  return results;
}

}  // namespace dragoman::task
