// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/find_run.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/record/documents.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCandidates = 10;
constexpr std::size_t kShownOfTitle = 60;
constexpr std::size_t kLongestTitle = 640;
constexpr std::size_t kLongestId = 72;

std::optional<record::CommandRecord> command_of(const fs::path& recording) {
  constexpr std::uint64_t kLargest = 16 << 20;
  const auto text = record::read_whole(recording / "command.json", kLargest);
  if (!text || !*text) return std::nullopt;
  auto command = record::read_command(**text);
  if (!command) return std::nullopt;
  return *std::move(command);
}

std::int64_t milliseconds_in(const std::string& timestamp) {
  const auto time = parse_timestamp(timestamp);
  return time ? time->time_since_epoch().count() : 0;
}

// The run of a recording is called as its directory; what came before these ids was called by time.
std::string run_of(const fs::path& recording) {
  std::string id = run_id_in(recording.filename().string());
  return id.empty() ? recording.filename().string() : id;
}

std::vector<fs::path> recordings_in(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code failed;
  if (directory.empty()) return found;
  for (fs::directory_iterator each(directory, failed), end; !failed && each != end;
       each.increment(failed)) {
    found.push_back(each->path());
  }
  std::ranges::sort(found, {}, &fs::path::native);  // of several attempts the last one stays
  return found;
}

// The runs that were found so far, each once.
class FoundRuns {
 public:
  explicit FoundRuns(const RunPlaces& places) : places_(places) {}

  Result<void> look_up(const std::string& id) {
    if (places_.log != nullptr) {
      DRAGOMAN_TRY(auto task, find_task(*places_.log, id));
      if (task) add(*std::move(task));
    }
    std::error_code failed;
    const fs::path recording = places_.recordings / id;
    if (!places_.recordings.empty() && fs::is_directory(recording, failed)) add(recording);
    return {};
  }

  Result<void> look_for(const std::string& prefix) {
    if (places_.log == nullptr) return {};
    DRAGOMAN_TRY(const auto records, places_.log->beginning_with(kTasks, prefix, 0));
    for (const LogRecord& record : records) {
      DRAGOMAN_TRY(auto task, task_of(record));
      add(std::move(task));
    }
    return {};
  }

  void add(Task task) {
    FoundRun& run = runs_[task.id];
    run.id = task.id;
    run.created_at = task.created_at;
    run.title = title_line(task);
    if (!task.recording.empty()) run.recording = task.recording;
    run.task = std::move(task);
  }
  // The record knows better: where the last attempt was recorded, and what was asked for.
  void add(const fs::path& recording) {
    const std::string id = run_of(recording);
    FoundRun& run = runs_[id];
    run.id = id;
    if (run.task && !run.recording.empty()) return;
    run.recording = recording;
    if (run.task) return;
    const auto command = command_of(recording);
    if (!command) return;
    run.created_at = milliseconds_in(command->started_at);
    run.title = fs::path(command->program).filename().string();
    for (const std::string& word : command->arguments) run.title += " " + word;
    run.title = one_line(utf8::head(run.title, kLongestTitle));
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] bool has(const fs::path& recording) const {
    return std::ranges::any_of(
        runs_, [&](const auto& each) { return each.second.recording == recording; });
  }
  // Of the n-th newest; 0: there are fewer.
  [[nodiscard]] std::int64_t created_at(std::size_t n) const {
    std::vector<std::int64_t> times;
    times.reserve(runs_.size());
    for (const auto& [id, run] : runs_) times.push_back(run.created_at);
    if (n == 0 || times.size() < n) return 0;
    std::ranges::sort(times, std::greater<>());
    return times[n - 1];
  }
  [[nodiscard]] std::vector<FoundRun> newest_first() && {
    std::vector<FoundRun> runs;
    runs.reserve(runs_.size());
    for (auto& [id, run] : runs_) runs.push_back(std::move(run));
    std::ranges::stable_sort(runs, std::greater<>(), &FoundRun::created_at);
    return runs;
  }

 private:
  const RunPlaces& places_;
  std::map<std::string, FoundRun> runs_;
};

Error no_run(std::string_view word) {
  return {ErrorCode::not_found, fmt::format("no run {}", one_line(word.substr(0, 200))),
          std::string(kUnknownRun)};
}

Error several(std::string_view word, const std::vector<FoundRun>& runs) {
  std::string message = fmt::format("{} is the beginning of {} ids:", word, runs.size());
  const std::int64_t now = now_ms();
  for (std::size_t i = 0; i < std::min(runs.size(), kMostCandidates); ++i) {
    message += fmt::format("\n  {}  {:>4}  {}", runs[i].id, age_words(now - runs[i].created_at),
                           utf8::prefix(runs[i].title, kShownOfTitle));
  }
  if (runs.size() > kMostCandidates)
    message += fmt::format("\n  and {} more", runs.size() - kMostCandidates);
  return {ErrorCode::validation, std::move(message), std::string(kAmbiguous)};
}

bool can_be_id(std::string_view word) {
  return !word.empty() && word.size() <= kLongestId &&
         std::ranges::all_of(word, [](char c) { return ascii::is_alnum(c) || c == '-'; });
}

// What an id may begin with where the word is its beginning, whichever form of the id is meant.
std::vector<std::string> beginnings(std::string_view word) {
  for (const std::string_view prefix : {kRunIdPrefix, kTaskIdPrefix}) {
    if (!word.starts_with(prefix)) continue;
    const std::string letters(word.substr(prefix.size()));
    if (letters.empty()) return {};
    if (prefix == kRunIdPrefix) return {std::string(word)};
    return {std::string(kRunIdPrefix) + letters, std::string(word)};
  }
  return {std::string(kRunIdPrefix).append(word), std::string(kTaskIdPrefix).append(word),
          std::string(word)};
}

// Runs are ordered by their last change, which is never before they were created: once the records
// are older than the newest run that was found, no newer one follows.
Result<void> add_newest_tasks(const RunPlaces& places, std::size_t wanted, FoundRuns& found) {
  if (places.log == nullptr) return {};
  for (std::size_t limit = std::max<std::size_t>(64, 2 * wanted);; limit *= 8) {
    DRAGOMAN_TRY(const auto records,
                 places.log->list({.bucket = std::string(kTasks), .limit = limit}));
    std::vector<Task> tasks;
    for (const LogRecord& record : records) {
      DRAGOMAN_TRY(auto task, task_of(record));
      if (places.directory.empty() || task.working_dir == places.directory)
        tasks.push_back(std::move(task));
    }
    std::ranges::stable_sort(tasks, std::greater<>(), &Task::created_at);
    const bool enough =
        tasks.size() >= wanted && tasks[wanted - 1].created_at >= records.back().order;
    if (!enough && records.size() == limit) continue;
    for (std::size_t i = 0; i < std::min(wanted, tasks.size()); ++i) found.add(std::move(tasks[i]));
    return {};
  }
}

// The time of a directory is when a file was last made in it, which is never before the run began:
// behind the first one that is older than the newest runs that were found, none is newer.
Result<void> add_newest_recordings(const RunPlaces& places, std::size_t wanted, FoundRuns& found) {
  std::vector<std::pair<std::int64_t, std::string>> changed;
  for (const fs::path& path : recordings_in(places.recordings)) {
    std::error_code failed;
    const auto time = fs::last_write_time(path, failed);
    if (failed) continue;
    const auto since_1970 = std::chrono::file_clock::to_sys(time).time_since_epoch();
    changed.emplace_back(std::chrono::ceil<std::chrono::milliseconds>(since_1970).count(),
                         path.native());
  }
  std::ranges::sort(changed, std::greater<>());
  for (const auto& [at, path] : changed) {
    if (at < found.created_at(wanted)) return {};
    if (found.has(path)) continue;
    if (places.log != nullptr) {
      DRAGOMAN_TRY(const auto task, find_task(*places.log, run_of(path)));
      if (task) continue;  // it would have been found there, were it new enough
    }
    const auto command = command_of(path);
    if (command && (places.directory.empty() || command->directory == places.directory))
      found.add(path);
  }
  return {};
}

Result<FoundRun> last_run(const RunPlaces& places) {
  DRAGOMAN_TRY(const auto newest, newest_runs(places, 1));
  if (newest.empty()) {
    return Error{ErrorCode::not_found,
                 places.directory.empty() ? "there is no last run"
                                          : fmt::format("no run in {}", one_line(places.directory)),
                 std::string(kUnknownRun)};
  }
  return newest.front();
}

}  // namespace

Result<FoundRun> find_run(const RunPlaces& places, std::string_view word) {
  if (word == "last") return last_run(places);
  if (!can_be_id(word)) return no_run(word);
  FoundRuns exact(places);
  DRAGOMAN_CHECK(exact.look_up(run_id_of(word)));
  if (exact.size() == 1) return std::move(exact).newest_first().front();
  FoundRuns begun(places);
  const auto prefixes = beginnings(word);
  for (const std::string& prefix : prefixes) DRAGOMAN_CHECK(begun.look_for(prefix));
  for (const fs::path& recording : recordings_in(places.recordings)) {
    const std::string name = run_of(recording);
    const auto fits = [&name](const std::string& prefix) { return name.starts_with(prefix); };
    if (std::ranges::any_of(prefixes, fits)) begun.add(recording);
  }
  const auto runs = std::move(begun).newest_first();
  if (runs.empty()) return no_run(word);
  if (runs.size() > 1) return several(word, runs);
  return runs.front();
}

Result<std::vector<FoundRun>> newest_runs(const RunPlaces& places, std::size_t limit) {
  FoundRuns found(places);
  DRAGOMAN_CHECK(add_newest_tasks(places, limit, found));
  DRAGOMAN_CHECK(add_newest_recordings(places, limit, found));
  auto runs = std::move(found).newest_first();
  if (runs.size() > limit) runs.resize(limit);
  return runs;
}

}  // namespace dragoman::task
