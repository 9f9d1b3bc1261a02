// SPDX-License-Identifier: Apache-2.0
// When an agent hears what is said to its run.
#pragma once

#include <cstdint>
#include <string_view>

#include "dragoman/task/task.hpp"

namespace dragoman::task {

enum class Hearing : std::uint8_t {
  now,         // while it works
  after_turn,  // it works, and cannot be told before its turn ends
  next_turn,   // it is at rest, or has stopped for an answer: a turn begins with the message
};
// As programs are told: "after_turn".
[[nodiscard]] std::string_view name(Hearing hearing);

// Of a run that can go on, as its record is now, or is with the message.
[[nodiscard]] Hearing hearing_of(const Task& task);

}  // namespace dragoman::task
