// SPDX-License-Identifier: Apache-2.0
// What becomes of what somebody said on a surface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/ask/desk.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/outbox.hpp"

namespace dragoman::surface {

// Gives the answer to the desk, where the first valid one wins. An error means that the store could
// not be asked; everything else is a verdict, with the words for whoever answered. Late, refused
// and unknown ones are audited here, accepted ones by the desk.
[[nodiscard]] Result<Verdict> give_answer(ask::Desk& desk, Outbox& outbox, std::string_view surface,
                                          const Incoming& incoming);

// The surfaces that a run named; empty: it named none.
[[nodiscard]] Result<std::vector<std::string>> surfaces_of(Log& log, std::string_view task_id);

// The run that a test question of a surface belongs to.
[[nodiscard]] std::string test_task_id(std::string_view surface);

}  // namespace dragoman::surface
