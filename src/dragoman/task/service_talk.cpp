// SPDX-License-Identifier: Apache-2.0
// What people say to runs.
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/report/plain_text.hpp"
#include "dragoman/task/git_safety.hpp"
#include "dragoman/task/private_words.hpp"
#include "dragoman/task/queues.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/task/turn_end.hpp"
#include "dragoman/task/values.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kLongestMessage = std::size_t{1024} * 1024;

Error refusal(std::string message, std::string_view reason) {
  return {ErrorCode::validation, std::move(message), std::string(reason)};
}

Result<void> check_text(std::string_view text) {
  if (without_blanks(text).empty())
    return Error{ErrorCode::validation, "the message is empty", "missing_parameter",
                 R"({"parameter":"text"})"};
  if (text.size() > kLongestMessage) return bad_value("text", "at most 1 MiB");
  if (text.find('\0') != std::string_view::npos) return bad_value("text", "no NUL");
  // What the task itself was allowed was about its own text.
  return allow_git(judge_git(text), false);
}

}  // namespace

Result<void> Service::can_go_on(const Task& task) {
  std::string why = why_it_cannot_go_on(task, options_.fleet);
  // One that has not come to rest may get the message before its turn ends, and its session yet.
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  const bool has_sessions = agent != nullptr && agent->goes_on == agent::GoesOn::by_session;
  if (has_sessions && !task.terminal()) return {};
  if (why.empty() && options_.fleet && !task.worker.empty()) {
    DRAGOMAN_TRY(const bool lives, worker_lives(log_, task.worker));
    if (!lives) why = fmt::format("its session is with {}, which is gone", task.worker);
  }
  if (why.empty()) return {};
  return refusal(fmt::format("{} cannot go on: {}", task.id, why), kCannotGoOn);
}

Result<std::optional<Sent>> Service::accept(Task& task, ask::MessageRecord& message,
                                            std::string_view words) {
  Task next = task;
  const bool at_rest = task.terminal();
  // A process that keeps its agent begins the turn itself, and so does one that is at work.
  const bool kept_by_its_process = task.kept_by_its_process();
  if (at_rest) next.await_turn();
  if (kept_by_its_process) next.waits = kKept;
  std::vector<LogWrite> writes;
  const bool is_new = message.revision == 0;
  if (is_new) {
    message.number = std::max(message.number, task.said) + 1;
    DRAGOMAN_TRY(writes, messages_.put_new(message, words));
  }
  next.said = message.number;
  const std::size_t put = writes.size();
  writes.emplace_back(Put{std::string(kTasks), record_of(next), task.revision});
  if (at_rest && !kept_by_its_process) {
    const std::string queue = queue_of(next);
    if (options_.fleet) DRAGOMAN_CHECK(announce_queue(log_, queue));
    writes.emplace_back(Enqueue{queue, next.id});
  }
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  if (is_new && written.front().applied) message.revision = written.front().number;
  if (written.size() > put && written[put].applied) {
    next.revision = written[put].number;
    return std::optional<Sent>({std::move(next), message.number});
  }
  DRAGOMAN_TRY(auto found, find_task(log_, task.id));
  if (!found) return Error{ErrorCode::not_found, fmt::format("no run {}", task.id), "task"};
  task = *std::move(found);
  return std::optional<Sent>();
}

Result<Sent> Service::send(std::string_view word, std::string_view text, std::string_view by,
                           std::optional<std::chrono::milliseconds> keep) {
  DRAGOMAN_TRY(Task task, get(word));
  DRAGOMAN_CHECK(check_text(text));
  ask::MessageRecord message;
  message.task_id = task.id;
  message.text = without_secrets(text);
  message.by = by;
  for (;;) {
    // Another message that was accepted behind it has taken it along.
    if (message.revision != 0 && task.said >= message.number)
      return Sent{std::move(task), message.number};
    const auto able = can_go_on(task);
    if (keep) task.keep_ms = keep->count();
    auto sent = able ? accept(task, message, text) : Result<std::optional<Sent>>(able.error());
    if (!sent) {
      messages_.take_back(message);
      return sent.error();
    }
    if (!*sent) continue;
    if ((*sent)->task.task_state() == TaskState::queued) wake();
    return **std::move(sent);
  }
}

Result<Task> Service::interrupt(std::string_view word, std::string_view by) {
  DRAGOMAN_TRY(const Task task, get(word));
  bool at_work = false;
  DRAGOMAN_TRY(
      const bool counted,
      change_task(log_, task.id,
                  [&](Task& found) {
                    at_work = found.task_state() == TaskState::working;
                    if (at_work) ++found.interrupts;
                    return at_work;
                  },
                  {Append{"audit", {ask::audit_entry("interrupted", "run", task.id, by)}, {}}}));
  if (!counted)
    return refusal(fmt::format("{} is not at work: {}", task.id, task.state), kNotAtWork);
  return get(task.id);
}

Result<std::vector<ask::MessageRecord>> Service::messages(std::string_view word) {
  DRAGOMAN_TRY(const Task task, get(word));
  DRAGOMAN_TRY(auto messages, messages_.of(task.id));
  // One that is not accepted yet is none.
  std::erase_if(messages, [&](const ask::MessageRecord& one) { return one.number > task.said; });
  return messages;
}

}  // namespace dragoman::task
