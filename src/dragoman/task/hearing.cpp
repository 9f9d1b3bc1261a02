// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/hearing.hpp"

#include "dragoman/agent/table.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::task {

std::string_view name(Hearing hearing) {
  switch (hearing) {
    case Hearing::now:
      return "now";
    case Hearing::after_turn:
      return "after_turn";
    case Hearing::next_turn:
      return "next_turn";
  }
  return {};
}

Hearing hearing_of(const Task& task) {
  if (task.terminal()) return Hearing::next_turn;
  // Its first turn has not begun, or the message is what the next one begins with.
  if (task.task_state() == TaskState::queued)
    return task.queued_at != 0 ? Hearing::next_turn : Hearing::after_turn;
  const agent::AgentRow* const agent = agent::find_agent(task.agent);
  if (agent != nullptr && agent->hears_at_work()) return Hearing::now;
  return task.waits == kWaitsForAnswer ? Hearing::next_turn : Hearing::after_turn;
}

Result<Hearing> Service::hears(const Task& task) {
  DRAGOMAN_CHECK(can_go_on(task));
  return hearing_of(task);
}

}  // namespace dragoman::task
