// SPDX-License-Identifier: Apache-2.0
// The process of ours between us and the agent (ADR 8): it starts the agent, adopts whatever the
// agent's tree lets go of, and ends the whole tree when it is told to or when we are gone.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/process/command.hpp"
#include "dragoman/process/descriptor.hpp"

namespace dragoman::process {

// From the guard to us, one packet each. `started` or `start_failed` is the first.
struct GuardReport {
  enum class Kind : std::uint32_t {
    started,       // pid, start_time
    start_failed,  // value: errno, stage: what failed
    exited,        // value: the wait status of the agent, cpu, memory
    gone,          // the tree is no more; leftovers, survivors
  };
  enum class Stage : std::uint32_t { fork, directory, descriptors, terminal, exec };
  Kind kind = Kind::started;
  Stage stage = Stage::fork;
  std::int32_t value = 0;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  std::int64_t cpu_microseconds = 0;
  std::uint64_t max_rss_bytes = 0;
  std::uint32_t leftovers = 0;
  std::uint32_t survivors = 0;
};

// From us to the guard. That we close our end, in whichever way, is the order to stop.
struct GuardOrder {
  enum class Kind : std::uint32_t { stop, signal };
  Kind kind = Kind::stop;
  std::int32_t value = 0;  // milliseconds between TERM and KILL, or a signal's number
};

// How often a guard that we wait for is told to go on, in milliseconds.
inline constexpr int kGuardNudge = 20;

// Under which number a program of ours gets what is handed to it.
inline constexpr int kHandedNumber = 3;

// What a guard calls itself, with the mark of its owner behind it.
inline constexpr char kGuardName[] = "agent-guard";

// Everything that is needed after the fork, where nothing may be allocated any more.
struct GuardPlan {
  const char* file = nullptr;  // what is executed
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;  // null: stay
  int control = -1;
  int input = -1;  // what become the agent's 0, 1 and 2
  int output = -1;
  int error = -1;
  int handed = -1;        // becomes its 3; -1: nothing does
  int group = -1;         // of the run (run_group.hpp): the directory, -1 where there is none,
  int group_killer = -1;  // what kills all in it,
  const char* group_path = nullptr;  // and its name
  const char* mark = "";             // see run_mark.hpp
  bool terminal = false;             // `input` becomes its controlling terminal
  std::int32_t grace_milliseconds = 0;
  pid_t supervisor = 0;
  rlimit descriptors = {};  // what the agent gets
};

// What the guard process runs. Async-signal-safe from its first to its last line: our process may
// have threads, and after a fork their locks are held by nobody.
[[noreturn]] void run_guard(const GuardPlan& plan);

}  // namespace dragoman::process
