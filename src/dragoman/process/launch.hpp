// SPDX-License-Identifier: Apache-2.0
// From a Command to a running program with its guard.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "dragoman/base/result.hpp"
#include "dragoman/process/command.hpp"
#include "dragoman/process/descriptor.hpp"
#include "dragoman/process/run_group.hpp"

namespace dragoman::process {

struct Launched {
  pid_t pid = 0;                    // of the program; 0: its guard was killed before it could say
  std::uint64_t start_time = 0;     // with the pid: which process that is; or of the guard
  pid_t guard = 0;                  // our child; to be reaped
  Descriptor control;               // to the guard: closing it ends the program
  std::unique_ptr<RunGroup> group;  // null: there is none
  Descriptor input;                 // not open: the program reads /dev/null
  Descriptor output;
  Descriptor error;  // not open: a terminal, everything comes through `output`
};

// Our ends do not block. Returns when the program was executed, or has failed to be.
[[nodiscard]] Result<Launched> launch(const Command& command, std::chrono::milliseconds grace);

}  // namespace dragoman::process
