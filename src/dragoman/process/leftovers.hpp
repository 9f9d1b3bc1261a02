// SPDX-License-Identifier: Apache-2.0
// What is left of runs whose dragoman is gone although a guard should have ended it: an agent may
// kill its guard, or keep it stopped.
#pragma once

#include <chrono>
#include <cstdint>

namespace dragoman::process {

struct Leftovers {
  std::uint32_t ended = 0;
  std::uint32_t survivors = 0;  // still there when the patience was over
};

// Looks at all processes of this machine and ends those whose dragoman is gone: guards and
// everything below them, what is in the control group of a run (run_group.hpp), what carries its
// mark (run_mark.hpp), and everything below that. Neither we nor those above us are ended.
Leftovers end_leftovers(std::chrono::milliseconds patience = std::chrono::seconds(4));

}  // namespace dragoman::process
