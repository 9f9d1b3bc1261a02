// SPDX-License-Identifier: Apache-2.0
// How a turn of a run comes to its end in the registry, whoever says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

// The reason of a message that was in the hands of a process which then was gone.
inline constexpr std::string_view kRunnerDied = "the runner died while it handed it over";

struct TurnEnd {
  // Writes how it ended into the record as it is now. False: the turn is not the caller's any more.
  std::function<bool(Task&)> end;
  std::vector<LogWrite> then = {};  // written with it
  // Why no turn may follow, so that what waits becomes undelivered; empty: one may.
  std::string last = {};
  // Workers of a fleet have the sessions; a run without one has none there.
  bool fleet = false;
  std::optional<Task> known = {};  // the record as the caller has it: mostly it still is so
};

enum class Concluded : std::uint8_t {
  rests,    // the turn's state is the run's
  goes_on,  // a message waits, and the next turn is queued
  not_ours,
};

// By compare-and-set on the record. Law: when this returns, either every message that was accepted
// is settled and the run rests, or the next turn is in its queue. A message that a process had in
// its hands, and that it did not settle, becomes undelivered: the agent may have it.
[[nodiscard]] Result<Concluded> conclude_turn(Log& log, std::string_view id, TurnEnd turn);

// The session of a run whose turn was ended by another process, so that it can go on.
[[nodiscard]] Result<void> remember_session(Log& log, std::string_view id,
                                            const std::string& session);

// Why no later turn of the run can begin; empty: one can.
[[nodiscard]] std::string why_it_cannot_go_on(const Task& task, bool fleet);

}  // namespace dragoman::task
