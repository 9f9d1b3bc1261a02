// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/run/one_line.hpp"
#include "dragoman/run/run_id.hpp"

namespace dragoman::task {

namespace {

// Containers share the start of their machine, but neither numbers of processes nor the sight of
// them.
const std::string& our_boot() {
  static const std::string kBoot = [] {
    constexpr std::string_view kOfTheMachine = "pid:[4026531836]";
    std::error_code unknown;
    const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
    return unknown || space == kOfTheMachine ? boot_id() : boot_id() + " " + space;
  }();
  return kBoot;
}

}  // namespace

ProcessIdentity identity_of(std::int64_t pid) {
  if (pid <= 0) return {};
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return {};
  // The name in brackets may hold anything; what follows the last one is numbers.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  std::string field;
  for (int i = 3; i < 22 && rest >> field; ++i) {
    if (i == 3 && (field == "Z" || field == "X")) return {};  // dead, only not buried
  }
  std::int64_t start = 0;
  if (!(rest >> start)) return {};
  return {pid, start, our_boot()};
}

bool is_alive(const ProcessIdentity& process) {
  return process.known() && identity_of(process.pid) == process;
}

bool is_known_dead(const ProcessIdentity& process) {
  return process.known() && process.boot == our_boot() && !is_alive(process);
}

TaskState Task::task_state() const { return task_state_named(state).value_or(TaskState::failed); }

std::chrono::milliseconds Task::duration(std::int64_t now) const {
  if (started_at == 0) return std::chrono::milliseconds(0);
  const std::int64_t end = completed_at != 0 ? completed_at : now;
  return std::chrono::milliseconds(std::max<std::int64_t>(0, end - started_at));
}

std::string event_stream(std::string_view task_id) { return fmt::format("run/{}", task_id); }
std::string word_stream(std::string_view task_id) { return fmt::format("words/{}", task_id); }
std::string diff_stream(std::string_view task_id) { return fmt::format("diff/{}", task_id); }

bool Task::from_queue() const { return tool != kRunTool || claim != 0; }

bool Task::kept_by_its_process() const {
  return !from_queue() && waits == kKept && !is_known_dead(runner());
}

std::uint64_t Task::turn() const {
  return turns + (task_state() == TaskState::queued || turns == 0 ? 1 : 0);
}

void Task::await_turn() {
  static_cast<TaskTurn&>(*this) = TaskTurn{};
  waits.clear();
  queued_at = now_ms();
  allow_destructive_git = false;
  attempt = 0;
}

std::string worker_label(std::string_view worker) { return fmt::format("worker={}", worker); }

std::string queue_of(const Task& task) {
  if (task.turn() > 1) {
    return task.worker.empty() ? std::string(kNext)
                               : fmt::format("needs {}", worker_label(task.worker));
  }
  if (task.needs.empty()) return std::string(kQueue);
  std::vector<std::string> labels = task.needs;
  std::sort(labels.begin(), labels.end());
  std::string queue = "needs";
  for (const auto& label : labels) queue += " " + label;
  return queue;
}

bool serves(const std::vector<std::string>& labels, std::string_view queue) {
  if (queue == kQueue) return true;
  std::istringstream words{std::string(queue)};
  std::string word;
  if (!(words >> word) || word != "needs") return false;
  while (words >> word) {
    if (std::find(labels.begin(), labels.end(), word) == labels.end()) return false;
  }
  return true;
}

std::int64_t now_ms() { return wall_ms(); }

std::string timestamp(std::int64_t ms) {
  std::string text;
  append_timestamp(text, Timestamp(std::chrono::milliseconds(ms - ms % 1000)));
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? text : text.substr(0, dot) + "Z";
}

std::string waiting_words(const Task& task, std::size_t position) {
  const bool queued = task.task_state() == TaskState::queued;
  if (queued && position > 0)
    return fmt::format("its turn behind {} other{}", position, position == 1 ? "" : "s");
  if (queued || task.waits == kWaitsForSlot) return "a slot";
  return task.waits == kWaitsForAnswer ? "an answer" : "";
}

std::string title_line(const Task& task) {
  constexpr std::size_t kTitle = 160;
  std::string text(utf8::head(task.text, 4 * kTitle));
  if (text.empty())
    for (const auto& word : task.words) text.append(text.empty() ? "" : " ").append(word);
  std::string line = one_line(utf8::head(text, 4 * kTitle));
  const std::string_view cut = utf8::prefix(line, kTitle);
  if (cut.size() < line.size()) return std::string(cut) + "…";
  return line.empty() ? task.id : line;
}

std::string random_letters(std::size_t count) {
  static_assert(kRunIdAlphabet.size() == 32);  // every byte of chance gives each letter as often
  std::string letters = random_bytes(count);
  for (char& c : letters) c = kRunIdAlphabet[static_cast<unsigned char>(c) % 32];
  return letters;
}

std::string new_run_id() { return std::string(kRunIdPrefix) + random_letters(kRunIdLetters); }

Result<std::string> free_run_id(Log& log) {
  for (;;) {
    std::string id = new_run_id();
    DRAGOMAN_TRY(const auto taken, log.get(kTasks, id));
    if (!taken) return id;
  }
}

std::string asked_of(const Task& task) {
  std::string asked = task.text;
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr || agent->words.task_at == 0) return asked;
  for (std::size_t i = agent->words.task_at; i < task.words.size(); ++i)
    asked += (asked.empty() ? "" : "\n") + task.words[i];
  return asked;
}

LogRecord record_of(const Task& task) {
  return {task.id, write_fields(task), 0, task.state,
          task.completed_at != 0 ? task.completed_at : std::max(task.created_at, task.queued_at)};
}

Result<Task> task_of(const LogRecord& record) {
  Task fresh;
  fresh.idle_ms = fresh.hard_ms = fresh.grace_ms = 0;  // zero is not written, so it is the default
  fresh.agent.clear();
  json::Cursor cursor(record.value);
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    RecordReader reader(cursor, key);
    Task::fields(fresh, reader);
    if (!reader.taken()) (void)cursor.skip();
  }
  if (!cursor.finish())
    return Error{ErrorCode::internal, fmt::format("the record of {} is not readable", record.key)};
  fresh.revision = record.revision;
  // Of a record from before runs had turns.
  if (fresh.turns == 0 && fresh.started_at != 0) fresh.turns = 1;
  return fresh;
}

Result<std::optional<Task>> find_task(Log& log, std::string_view id) {
  DRAGOMAN_TRY(const auto record, log.get(kTasks, id));
  if (!record) return std::optional<Task>();
  DRAGOMAN_TRY(auto task, task_of(*record));
  return std::optional<Task>(std::move(task));
}

Result<bool> change_task(Log& log, std::string_view id, const std::function<bool(Task&)>& change,
                         std::vector<LogWrite> then) {
  for (;;) {
    DRAGOMAN_TRY(auto task, find_task(log, id));
    if (!task || task->terminal() || !change(*task)) return false;
    if (task->terminal() && task->completed_at == 0) task->completed_at = now_ms();
    std::vector<LogWrite> writes;
    writes.emplace_back(Put{std::string(kTasks), record_of(*task), task->revision});
    writes.insert(writes.end(), then.begin(), then.end());
    DRAGOMAN_TRY(const auto written, log.write(std::move(writes)));
    if (written.front().applied) return true;
  }
}

}  // namespace dragoman::task
