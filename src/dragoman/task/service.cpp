// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/service.hpp"

#include <signal.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/report/plain_text.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/agent_request.hpp"
#include "dragoman/task/find_run.hpp"
#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/queues.hpp"
#include "dragoman/task/values.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kLongestTask = 1024 * 1024;
constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1000;
constexpr std::size_t kEstimateFrom = 20;
constexpr std::string_view kTaken = "taken";  // the reason when a run has that id already

// Refused here, and not when its turn has come: then nobody may be looking any more.
Result<void> check_agent(const Task& task) {
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr)
    return bad_value("agent", fmt::format("one of {}", fmt::join(agent::agent_names(), ", ")));
  agent::Request words;
  words.words = task.words;
  if (!agent->check(words)) {
    const auto known = agent::agent_names({}, &agent::AgentRow::has_program);
    return bad_value("agent",
                     fmt::format("{}, or the words that {} needs", listed(known), task.agent));
  }
  DRAGOMAN_CHECK(check_model(task.model));
  const auto fit = agent->check(agent_request(task));
  if (fit) return {};
  return Error{ErrorCode::validation, fit.error().message, "bad_value"};
}

Result<void> check(Task& task, bool fleet) {
  const std::string_view text = without_blanks(task.text);
  if (text.empty() && task.words.empty()) {
    return Error{ErrorCode::validation, "the task is empty", "missing_parameter",
                 R"({"parameter":"task"})"};
  }
  if (task.text.size() > kLongestTask) return bad_value("task", "at most 1 MiB");
  for (const auto* value : {&task.text, &task.working_dir, &task.model, &task.thread_id}) {
    if (value->find('\0') != std::string::npos) return bad_value("task", "no NUL in any text");
  }
  DRAGOMAN_CHECK(check_agent(task));
  // They are words of git's command line, and must not become options of it.
  if (task.repository.starts_with('-') || task.branch.starts_with('-'))
    return bad_value("repository", "an address, and a branch's name");
  for (const auto& label : task.needs) {
    if (label.empty() || label.find_first_of(" \t\r\n") != std::string::npos)
      return bad_value("needs", "labels without blanks, such as os=linux");
  }
  DRAGOMAN_CHECK(refuse_way_up(task.working_dir));
  // Where a fleet's task runs is the worker's business.
  if (fleet) return allow_git(judge_git(asked_of(task)), task.allow_destructive_git);
  if (!task.repository.empty() || !task.needs.empty()) {
    return bad_value(task.repository.empty() ? "needs" : "repository",
                     "a fleet's store (nats://), where workers have labels and make clones");
  }
  DRAGOMAN_TRY(task.working_dir, checked_directory(task.working_dir));
  return allow_git(judge_git(asked_of(task)), task.allow_destructive_git);
}

// NAME becomes NAME=value: the runner was started by somebody else, with another environment.
// Workers of a fleet have their own, and no secret of ours lies in its store.
void give_values(std::vector<std::string>& named, const std::vector<std::string>& ours) {
  for (std::string& variable : named) {
    if (variable.find('=') != std::string::npos) continue;
    const auto known = std::ranges::find_if(
        ours, [&](const std::string& one) { return one.starts_with(variable + "="); });
    if (known != ours.end()) variable = *known;
  }
}

std::string one_entry(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\0' || c == '\r') c = ' ';
  }
  return line;
}

// What was asked for, without what became of it.
Task asked_for(const Task& before) {
  Task task;
  static_cast<TaskOrder&>(task) = before;
  task.parent = before.id;
  return task;
}

}  // namespace

const std::vector<std::string>& terminal_states() {
  static const std::vector<std::string> kStates = {"completed", "failed", "cancelled", "timeout"};
  return kStates;
}

std::optional<std::int64_t> estimate_start(std::vector<std::int64_t> durations,
                                           std::size_t position, std::size_t slots) {
  if (durations.size() < 3 || position == 0 || slots == 0) return std::nullopt;
  std::sort(durations.begin(), durations.end());
  const std::int64_t median = durations[durations.size() / 2];
  return median * static_cast<std::int64_t>(position) / static_cast<std::int64_t>(slots);
}

std::string expected_duration(std::vector<std::int64_t> durations) {
  if (durations.size() < 3) return {};
  std::sort(durations.begin(), durations.end());
  const std::int64_t low = durations[durations.size() / 4] / 1000;
  const std::int64_t high = durations[durations.size() * 3 / 4] / 1000;
  if (high < 120) return fmt::format("{}-{} seconds", low, std::max(high, low + 1));
  return fmt::format("{}-{} minutes", low / 60, (high + 59) / 60);
}

Result<std::vector<Task>> Service::in_states(std::vector<std::string> states) {
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = std::string(kTasks),
                                              .states = std::move(states),
                                              .newest_first = false}));
  std::vector<Task> tasks;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto task, task_of(record));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

// Every submit asks, and between two of them a task seldom ends: the newest record tells.
Result<std::vector<std::int64_t>> Service::recent_durations() {
  RecordQuery query{.bucket = std::string(kTasks), .states = {"completed"}, .limit = 1};
  DRAGOMAN_TRY(auto newest, log_.list(query));
  if (newest.empty()) return std::vector<std::int64_t>();
  {
    const Lock lock(durations_mutex_);
    if (durations_until_ == newest.front()) return durations_;
  }
  query.limit = kEstimateFrom;
  DRAGOMAN_TRY(const auto records, log_.list(query));
  std::vector<std::int64_t> durations;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(const auto task, task_of(record));
    if (task.started_at != 0) durations.push_back(task.duration(0).count());
  }
  const Lock lock(durations_mutex_);
  durations_until_ = std::move(newest.front());
  return durations_ = std::move(durations);
}

// Those in the slots do not wait, and those who will be in a free one do not either: of the `place`
// in the whole queue, as many as there are slots fall away, whoever is in them now.
Result<std::size_t> Service::position_of(const Task& task, std::uint64_t place) {
  if (place != 0) return place <= options_.concurrency ? 0 : place - options_.concurrency;
  DRAGOMAN_TRY(const auto items, log_.queue(queue_of(task)));
  std::size_t running = 0;
  std::size_t waiting = 0;
  for (const QueueItem& item : items) {
    if (item.key == task.id) break;
    ++(item.claimed ? running : waiting);
  }
  const std::size_t free = options_.concurrency > running ? options_.concurrency - running : 0;
  return waiting < free ? 0 : waiting - free + 1;
}

Result<Acknowledgement> Service::submit(const Task& task) {
  for (;;) {
    auto ack = submit_as(task.id.empty() ? new_run_id() : task.id, task);
    if (ack || !task.id.empty() || ack.error().reason != kTaken) return ack;
  }
}

Result<Acknowledgement> Service::submit_as(std::string id, Task task) {
  DRAGOMAN_CHECK(check(task, options_.fleet));
  task.id = std::move(id);
  task.state = name(TaskState::queued);
  task.created_at = now_ms();
  if (!options_.fleet) give_values(task.environment, process::own_environment());
  DRAGOMAN_CHECK(hide_secrets(task, options_.private_words));
  std::string first = task.text;
  for (const auto& word : task.words) first += " " + word;
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{std::string(kTasks), record_of(task), 0});
  writes.emplace_back(Append{word_stream(task.id), {one_entry(first)}, {}});
  const std::string queue = queue_of(task);
  DRAGOMAN_CHECK(announce_queue(log_, queue));
  writes.emplace_back(Enqueue{queue, task.id});
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  if (!written.front().applied) {
    forget_secrets(task.id, options_.private_words);
    return Error{ErrorCode::internal, "a run id was given twice", std::string(kTaken)};
  }
  wake();
  // It is durable: a guess that cannot be made is no reason to say otherwise.
  Acknowledgement ack;
  const auto position = position_of(task, written.back().number);
  auto durations = recent_durations();
  if (position && durations) {
    ack.queue_position = *position;
    ack.estimated_start_ms = estimate_start(*durations, *position, options_.concurrency);
    ack.expected_duration = expected_duration(*std::move(durations));
  }
  ack.task = std::move(task);
  return ack;
}

Result<std::optional<Task>> Service::last_in_thread(std::string_view task_or_thread) {
  // Codex begins a new thread without a word when the id is none.
  if (!agent::is_uuid(task_or_thread)) {
    auto task = get(task_or_thread);
    const bool unknown = !task && task.error().code == ErrorCode::not_found;
    if (unknown && !is_run_id(task_or_thread) && !is_task_id(task_or_thread))
      return bad_value("resume", "a run, or a thread: a UUID");
    if (!task) return std::move(task).error();
    if (!task->thread_id.empty()) return std::optional<Task>(*std::move(task));
    return Error{ErrorCode::not_found, fmt::format("{} has no thread to resume", task->id),
                 "thread"};
  }
  DRAGOMAN_TRY(auto known, list({.limit = 1000}));
  for (Task& each : known) {
    if (each.thread_id == task_or_thread) return std::optional<Task>(std::move(each));
  }
  return std::optional<Task>();
}

Result<Task> Service::next_in_thread(std::string_view task_or_thread, std::string_view agent) {
  DRAGOMAN_TRY(const auto last, last_in_thread(task_or_thread));
  if (last && !agent.empty() && agent != last->agent)
    return bad_value("agent", fmt::format("{}, whose thread it is", last->agent));
  Task task = last ? asked_for(*last) : Task();
  if (!last) task.agent = agent;
  task.tool = "_codex_local_resume";
  task.text.clear();
  keep_words_of_mode(task);
  task.output_schema.clear();
  task.allow_destructive_git = false;
  task.resume = last ? last->thread_id : std::string(task_or_thread);
  // What was taken out of them is not known any more.
  std::erase_if(task.environment, [](const std::string& variable) {
    return variable.find("[REDACTED:") != std::string::npos;
  });
  return task;
}

Result<Acknowledgement> Service::repeat(std::string_view task_id, std::string as) {
  DRAGOMAN_TRY(auto before, get(task_id));
  reveal_secrets(before, options_.private_words);
  Task again = asked_for(before);
  again.id = std::move(as);
  return submit(again);
}

Result<Task> Service::get(std::string_view word) {
  DRAGOMAN_TRY(auto run, find_run({.log = &log_, .directory = options_.directory}, word));
  return *std::move(run.task);
}

Result<ask::QuestionRecord> Service::question(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    const auto task = get(word.substr(0, slash));
    if (task) return desk_.find(task->id + std::string(word.substr(slash)));
    if (task.error().code != ErrorCode::not_found) return task.error();
  }
  auto found = desk_.find(word);
  if (found || found.error().code != ErrorCode::not_found) return found;
  const auto task = get(word);
  if (!task) return task.error().reason == kAmbiguous ? task.error() : found.error();
  DRAGOMAN_TRY(auto open, desk_.open_questions(task->id));
  if (open.size() == 1) return std::move(open.front());
  if (open.empty())
    return Error{ErrorCode::not_found, fmt::format("{} asks nothing", task->id), "question"};
  return ask::several_questions(word, open);
}

Result<Snapshot> Service::status(const StatusQuery& query) {
  Snapshot snapshot;
  snapshot.at = now_ms();
  const auto wanted = [&query](const Task& task) {
    return (query.working_dir.empty() || task.working_dir == query.working_dir) &&
           (query.task_id.empty() || task.id == query.task_id);
  };
  DRAGOMAN_TRY(auto open, in_states({"queued", "working"}));
  DRAGOMAN_TRY(const auto durations, recent_durations());
  // Next turns come before new tasks.
  std::ranges::stable_partition(open, [](const Task& task) { return task.turn() > 1; });
  std::size_t position = 0;
  for (Task& task : open) {
    const bool queued = task.task_state() == TaskState::queued;
    if (queued) {
      const auto start = estimate_start(durations, position + 1, options_.concurrency);
      if (wanted(task)) snapshot.queued.push_back({std::move(task), position, start});
      ++position;
    } else if (wanted(task)) {
      snapshot.running.push_back(std::move(task));
    }
  }
  RecordQuery ended{
      .bucket = std::string(kTasks), .states = terminal_states(), .from_order = snapshot.at - kDay};
  const bool filtered = !query.working_dir.empty() || !query.task_id.empty();
  if (!filtered) {
    DRAGOMAN_TRY(snapshot.recent_count, log_.count(ended));
    ended.limit = query.limit;
  }
  DRAGOMAN_TRY(const auto records, log_.list(ended));
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto task, task_of(record));
    if (!wanted(task)) continue;
    if (filtered) ++snapshot.recent_count;
    if (snapshot.recent.size() < query.limit) snapshot.recent.push_back(std::move(task));
  }
  return snapshot;
}

Result<std::vector<Task>> Service::list(const ListQuery& query) {
  std::optional<std::set<std::string, std::less<>>> matching;
  if (!query.grep.empty()) {
    DRAGOMAN_TRY(const auto hits, log_.search(query.grep, 100'000));
    matching.emplace();
    for (const SearchHit& hit : hits) {
      const std::size_t slash = hit.stream.find('/');
      if (slash != std::string::npos) matching->insert(hit.stream.substr(slash + 1));
    }
  }
  const bool filtered = matching || !query.working_dir.empty();
  DRAGOMAN_TRY(const auto records, log_.list({.bucket = std::string(kTasks),
                                              .states = query.states,
                                              .limit = filtered ? 0 : query.limit}));
  std::vector<Task> tasks;
  for (const LogRecord& record : records) {
    if (matching && !matching->contains(record.key)) continue;
    DRAGOMAN_TRY(auto task, task_of(record));
    if (!query.working_dir.empty() && task.working_dir != query.working_dir) continue;
    tasks.push_back(std::move(task));
    if (query.limit != 0 && tasks.size() == query.limit) break;
  }
  return tasks;
}

Result<Task> Service::wait(std::string_view task_id, std::chrono::milliseconds timeout,
                           const std::function<void(const Task&)>& progress) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  DRAGOMAN_TRY(const Task first, get(task_id));
  std::uint64_t known = 0;
  for (;;) {
    DRAGOMAN_TRY(auto task, get(first.id));
    if (progress && task.revision != known) progress(task);
    known = task.revision;
    if (task.terminal()) return task;
    DRAGOMAN_TRY(const auto questions, desk_.open_questions(first.id));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (!questions.empty() || left.count() <= 0) return task;
    // A runner that dies is noticed here; nobody else may be looking.
    const auto nap = std::min(left, std::chrono::milliseconds(2000));
    DRAGOMAN_TRY(const auto changed, log_.follow_record(kTasks, first.id, known, nap));
    if (changed && changed->revision == known) DRAGOMAN_CHECK(reconcile());
  }
}

}  // namespace dragoman::task
