// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/turn_end.hpp"

#include <fmt/format.h>

#include "dragoman/agent/table.hpp"
#include "dragoman/ask/messages.hpp"
#include "dragoman/task/queues.hpp"

namespace dragoman::task {

namespace {

// Settles what can be settled, and says up to which number all are then.
Result<std::uint64_t> settle_messages(Log& log, const Task& task, std::string_view last) {
  if (task.said <= task.heard) return task.said;
  ask::Messages messages(log);
  DRAGOMAN_TRY(const auto all, messages.of(task.id));
  for (const ask::MessageRecord& message : all) {
    if (message.number <= task.heard || message.number > task.said || message.is_settled())
      continue;
    const bool in_hands = message.state == ask::kTaken;
    if (!in_hands && last.empty()) return message.number - 1;
    DRAGOMAN_TRY(const bool failed,
                 messages.fail(task.id, message.number, in_hands ? kRunnerDied : last));
    (void)failed;  // false: it was settled meanwhile
  }
  return task.said;
}

}  // namespace

std::string why_it_cannot_go_on(const Task& task, bool fleet) {
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent == nullptr || agent->goes_on != agent::GoesOn::by_session)
    return fmt::format("{} takes no messages", task.agent);
  if (task.thread_id.empty()) return "there is no session to go on with";
  if (fleet && task.worker.empty() && !task.kept_by_its_process())
    return "it ran where no worker is";
  return {};
}

Result<void> remember_session(Log& log, std::string_view id, const std::string& session) {
  for (;;) {
    DRAGOMAN_TRY(auto task, find_task(log, id));
    if (!task || !task->thread_id.empty() || session.empty()) return {};
    task->thread_id = session;
    DRAGOMAN_TRY(const auto written,
                 write_one(log, Put{std::string(kTasks), record_of(*task), task->revision}));
    if (written.applied) return {};
  }
}

Result<Concluded> conclude_turn(Log& log, std::string_view id, TurnEnd turn) {
  for (;; turn.known.reset()) {
    if (!turn.known) {
      DRAGOMAN_TRY(turn.known, find_task(log, id));
    }
    if (!turn.known || turn.known->terminal()) return Concluded::not_ours;
    Task& task = *turn.known;
    const std::uint64_t revision = task.revision;
    task.waits.clear();
    if (!turn.end(task)) return Concluded::not_ours;
    if (task.completed_at == 0) task.completed_at = now_ms();
    const std::string last = turn.last.empty() ? why_it_cannot_go_on(task, turn.fleet) : turn.last;
    DRAGOMAN_TRY(task.heard, settle_messages(log, task, last));
    std::vector<LogWrite> writes(1);
    writes.insert(writes.end(), turn.then.begin(), turn.then.end());
    const bool goes_on = task.heard < task.said;
    if (goes_on) {
      const bool kept = task.kept_by_its_process();
      task.await_turn();
      if (kept) task.waits = kKept;
      const std::string queue = queue_of(task);
      if (!task.worker.empty()) DRAGOMAN_CHECK(announce_queue(log, queue));
      if (!kept) writes.emplace_back(Enqueue{queue, task.id});
    }
    writes.front() = Put{std::string(kTasks), record_of(task), revision};
    DRAGOMAN_TRY(const auto written, log.write(std::move(writes)));
    if (written.front().applied) return goes_on ? Concluded::goes_on : Concluded::rests;
  }
}

}  // namespace dragoman::task
