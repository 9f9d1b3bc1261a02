// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/task/pages.hpp"
#include "dragoman/task/printed.hpp"
#include "dragoman/web/api.hpp"
#include "dragoman/web/demo.hpp"

namespace dragoman::web {

namespace {

constexpr std::size_t kMostRuns = 500;
constexpr std::size_t kMostEventsAtOnce = 5000;
constexpr std::uint64_t kMostRaw = 1024 * 1024;

const std::vector<std::string>& states() {
  static const std::vector<std::string> kStates = {"queued", "working",   "completed",
                                                   "failed", "cancelled", "timeout"};
  return kStates;
}

Result<std::vector<task::Task>> waiting_runs(Api& api, const OpenQuestions& open) {
  std::vector<task::Task> tasks;
  for (const auto& [id, questions] : open) {
    DRAGOMAN_TRY(auto task, task::find_task(api.service.log(), id));
    if (task && task->state == "working") tasks.push_back(*std::move(task));
  }
  std::sort(tasks.begin(), tasks.end(),
            [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
  return tasks;
}

Result<task::TaskPage> find_page(Api& api, const http::Request& request,
                                 const OpenQuestions& open) {
  task::TaskPage page;
  DRAGOMAN_TRY(const auto asked, number_in(request, "limit", 50));
  const std::size_t limit = std::clamp<std::size_t>(asked, 1, kMostRuns);
  const std::string state = request.parameter("state").value_or("");
  const std::string words = request.parameter("q").value_or("");
  if (state == "waiting") {
    DRAGOMAN_TRY(page.tasks, waiting_runs(api, open));
    return page;
  }
  if (!state.empty() && std::find(states().begin(), states().end(), state) == states().end())
    return Error{ErrorCode::validation, "state: no such state", "state"};
  const auto wanted = state.empty() ? std::vector<std::string>() : std::vector<std::string>{state};
  if (!words.empty()) {
    DRAGOMAN_TRY(page.tasks, api.service.list({.states = wanted, .grep = words, .limit = limit}));
    return page;
  }
  auto listed =
      task::list_page(api.service.log(), wanted, request.parameter("before").value_or(""), limit);
  if (!listed && listed.error().reason == "bad_mark")
    return Error{ErrorCode::validation, "before: not what 'next' of a page said", "before"};
  return listed;
}

Result<void> put_counts(json::Writer& w, Log& log, std::size_t waiting) {
  w.begin_object();
  for (const auto& state : states()) {
    DRAGOMAN_TRY(auto count, log.count({.bucket = std::string(task::kTasks), .states = {state}}));
    if (state == "working") count -= std::min<std::uint64_t>(count, waiting);
    w.key(state).count(count);
  }
  w.name("waiting").count(waiting);
  w.end_object();
  return {};
}

Result<http::Response> list_runs(Api& api, const Call& call) {
  const std::uint64_t revision = api.feed.revision();  // before: what comes now is in the stream
  DRAGOMAN_TRY(const auto open, open_questions(api));
  DRAGOMAN_TRY(const auto page, find_page(api, *call.request, open));
  DRAGOMAN_TRY(const auto waiting, waiting_runs(api, open));
  std::string out;
  json::Writer w(out);
  w.begin_object().name("runs").begin_array();
  for (const auto& task : page.tasks) put_run(w, view_of(api, task, open));
  w.end_array().name("counts");
  DRAGOMAN_CHECK(put_counts(w, api.service.log(), waiting.size()));
  w.name("next");
  if (page.next.empty()) {
    w.null();
  } else {
    w.string(page.next);
  }
  w.name("revision").count(revision);
  w.end_object();
  return json_response(200, std::move(out));
}

Result<std::uint64_t> last_of(Api& api, const std::string& id) {
  return api.service.log().last(task::event_stream(id));
}

Result<http::Response> show_events(Api& api, const Call& call) {
  DRAGOMAN_TRY(const auto task, api.service.get(call.parts[0]));
  DRAGOMAN_TRY(const auto last, last_of(api, task.id));
  DRAGOMAN_TRY(const auto asked, number_in(*call.request, "limit", 500));
  DRAGOMAN_TRY(const auto before, number_in(*call.request, "before", 0));
  DRAGOMAN_TRY(const auto from, number_in(*call.request, "from", 1));
  const auto limit = std::clamp<std::uint64_t>(asked, 1, kMostEventsAtOnce);
  Log& log = api.service.log();
  const std::string stream = task::event_stream(task.id);
  DRAGOMAN_TRY(const auto entries, before > 0
                                       ? read_before(log, stream, std::min(before, last + 1), limit)
                                       : log.read(stream, from, limit));
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.name("first").count(entries.empty() ? from : entries.front().seq);
  w.name("last").count(last);
  w.name("events").begin_array();
  for (const auto& entry : entries)
    w.begin_object().name("seq").count(entry.seq).name("event").raw({entry.body}).end_object();
  w.end_array().end_object();
  return json_response(200, std::move(out));
}

http::Response raw_response(std::string bytes, std::uint64_t size) {
  return {200,
          {{"Content-Type", "text/plain; charset=utf-8"},
           {"Content-Disposition", "inline; filename=\"output.txt\""},
           {"Cache-Control", "no-store"},
           {"X-Total-Size", std::to_string(size)}},
          std::move(bytes)};
}

Result<http::Response> show_raw(Api& api, const Call& call) {
  DRAGOMAN_TRY(const auto task, api.service.get(call.parts[0]));
  const std::string channel = call.request->parameter("stream").value_or("stdout");
  if (channel != "stdout" && channel != "stderr")
    return Error{ErrorCode::validation, "stream: stdout or stderr", "stream"};
  DRAGOMAN_TRY(const auto offset, number_in(*call.request, "offset", 0));
  DRAGOMAN_TRY(const auto length, number_in(*call.request, "length", kMostRaw));
  const std::string_view bundled = demo_recording(task);
  if (!bundled.empty()) {
    const std::string_view all = channel == "stdout" ? bundled : std::string_view();
    const std::string_view part =
        all.substr(std::min<std::uint64_t>(offset, all.size()), std::min(length, kMostRaw));
    return raw_response(std::string(part), all.size());
  }
  const auto starts = task::recorded_starts(task);
  const int fd = starts.empty() ? -1
                                : ::open((starts.front() / channel).c_str(),
                                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return Error{ErrorCode::not_found, "there is no recording of this run", "recording"};
  std::string bytes(std::min(length, kMostRaw), '\0');
  const ssize_t got =
      ::pread(fd, bytes.data(), bytes.size(),
              static_cast<off_t>(std::min<std::uint64_t>(offset, std::uint64_t{1} << 62U)));
  const off_t size = ::lseek(fd, 0, SEEK_END);
  ::close(fd);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return raw_response(std::move(bytes), size < 0 ? 0 : static_cast<std::uint64_t>(size));
}

}  // namespace

Result<OpenQuestions> open_questions(Api& api) {
  DRAGOMAN_TRY(auto questions, api.service.desk().open_questions());
  return by_task(std::move(questions));
}

RunView view_of(Api& api, const task::Task& task, const OpenQuestions& open) {
  const auto found = open.find(task.id);
  return {task, found == open.end() ? nullptr : &found->second, api.costs.of(task)};
}

Result<std::uint64_t> number_in(const http::Request& request, std::string_view name,
                                std::uint64_t otherwise) {
  const auto text = request.parameter(name);
  if (!text || text->empty()) return otherwise;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  return Error{ErrorCode::validation, fmt::format("{}: not a number", name), std::string(name)};
}

std::vector<RouteSpec> run_routes(Api& api) {
  return {
      {"GET", "/api/v1/runs", "listRuns", handling(api, list_runs)},
      {"GET", "/api/v1/tasks", "listTasks", handling(api, list_runs)},
      {"GET", "/api/v1/runs/{id}", "getRun", handling(api, show_run)},
      {"GET", "/api/v1/runs/{id}/events", "listEvents", handling(api, show_events)},
      {"GET", "/api/v1/runs/{id}/search", "searchRun", handling(api, find_in_run)},
      {"GET", "/api/v1/runs/{id}/raw", "getRaw", handling(api, show_raw)},
  };
}

}  // namespace dragoman::web
