// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/task.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/base/ascii.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman::task {

namespace {

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";

std::string base36(std::uint64_t value) {
  std::string text;
  do {
    text.push_back(kDigits[value % 36]);
    value /= 36;
  } while (value > 0);
  std::reverse(text.begin(), text.end());
  return text;
}

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

std::string queue_of(const Task& task) {
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

std::string new_task_id() {
  std::string id = "T-local-" + base36(static_cast<std::uint64_t>(now_ms()));
  for (std::size_t kept = 0; kept < 16;) {
    std::array<unsigned char, 32> bytes{};
    fill_random(bytes.data(), bytes.size());
    for (const unsigned char byte : bytes) {
      if (byte >= 252 || kept == 16) continue;  // 252 = 7 * 36: no character is likelier
      id.push_back(kDigits[byte % 36]);
      ++kept;
    }
  }
  return id;
}

std::string asked_of(const Task& task) {
  std::string asked = task.text;
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr || agent->words.task_at == 0) return asked;
  for (std::size_t i = agent->words.task_at; i < task.words.size(); ++i)
    asked += (asked.empty() ? "" : "\n") + task.words[i];
  return asked;
}

bool is_task_id(std::string_view text) {
  if (!text.starts_with("T-local-") && !text.starts_with("T-cloud-")) return false;
  text.remove_prefix(8);
  return text.size() >= 3 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return ascii::is_alnum(c) || c == '-';
         });
}

LogRecord record_of(const Task& task) {
  return {task.id, write_fields(task), 0, task.state,
          task.completed_at != 0 ? task.completed_at : task.created_at};
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
