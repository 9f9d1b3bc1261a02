// SPDX-License-Identifier: Apache-2.0
// What people say to a run of this process, and its turns behind the first.
#include <utility>

#include "dragoman/agent/table.hpp"
#include "dragoman/task/live_run.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

Result<void> LiveRun::look_at_turn(Known& known, const Task& task) {
  if (known.at_rest) DRAGOMAN_CHECK(begin_turn(known));
  if (known.at_rest) return {};
  if (known.interrupts < task.interrupts) {
    known.interrupts = task.interrupts;
    if (calls_.interrupted) calls_.interrupted();
  }
  // An agent that is deaf at work is told when it has stopped for an answer, or with its next turn.
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  const bool hears = (agent != nullptr && agent->hears_at_work()) || known.questions.waits();
  if (!calls_.message || !hears) return {};
  DRAGOMAN_TRY(auto message, known.inbox.next(task.said));
  if (message) calls_.message(*std::move(message));
  return {};
}

Result<void> LiveRun::accept(Known& known, const std::string& text, const std::string& by) {
  Service service(known.log, {.fleet = known.log.private_directory().empty()});
  const auto sent = service.send(id_, text, by);
  if (!sent && sent.error().code != ErrorCode::validation) return sent.error();
  if (!sent && calls_.refused) calls_.refused(sent.error().message);
  return {};
}

// A message came to the agent that stays here.
Result<void> LiveRun::begin_turn(Known& known) {
  DRAGOMAN_TRY(const bool begun, change_task(known.log, id_, [&](Task& task) {
                 if (task.task_state() != TaskState::queued || !task.kept_by_its_process())
                   return false;
                 task.state = name(TaskState::working);
                 task.waits.clear();
                 ++task.turns;
                 task.started_at = task.last_event_at = now_ms();
                 known.interrupts = task.interrupts;
                 return true;
               }));
  if (!begun) return {};
  known.at_rest = false;
  known.inbox.listen();
  return {};
}

Result<void> LiveRun::take_told(Known& known, std::uint64_t message, bool heard) {
  heard ? known.inbox.heard(message) : known.inbox.unheard(message);
  DRAGOMAN_CHECK(known.inbox.settle());
  auto end = std::exchange(known.in_doubt, std::nullopt);
  if (!end) return {};
  if (!heard) return conclude(known, *std::move(end));
  // It came when the turn had just ended, and the agent works on with it.
  DRAGOMAN_TRY(const bool changed, change_task(known.log, id_, [](Task& task) {
                 ++task.turns;
                 return true;
               }));
  (void)changed;
  return {};
}

// The agent stays no longer: what came in this moment is for a runner.
Result<void> LiveRun::leave(Log& log) {
  for (;;) {
    DRAGOMAN_TRY(auto task, find_task(log, id_));
    if (!task || task->waits != kKept) return {};
    task->waits.clear();
    const bool queued = task->task_state() == TaskState::queued;
    std::vector<LogWrite> writes;
    writes.emplace_back(Put{std::string(kTasks), record_of(*task), task->revision});
    if (queued) writes.emplace_back(Enqueue{queue_of(*task), id_});
    DRAGOMAN_TRY(const auto written, log.write(std::move(writes)));
    if (!written.front().applied) continue;
    left_queued_ = queued;
    return {};
  }
}

}  // namespace dragoman::task
