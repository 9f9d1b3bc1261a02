// SPDX-License-Identifier: Apache-2.0
// The process that does the work: takes tasks from the queue, runs their agents, ends when nothing
// is left.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/engine/run_handle.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/process/leftovers.hpp"

namespace dragoman::task {

struct RunnerOptions {
  std::size_t concurrency = 2;
  std::size_t waiting = 8;          // processes that wait for answers or messages beside them
  engine::StartRun start;           // how each task is run
  std::filesystem::path lock_file;  // one runner for each store
  bool handed_lock = false;         // we have it from start_runner()
  std::filesystem::path
      recordings;  // where each task has its directory; empty: wherever `run` says
  std::filesystem::path private_words;  // see private_words.hpp
  std::filesystem::path git_files;      // see git_twin.hpp
  std::chrono::milliseconds lease{std::chrono::seconds(30)};
  std::chrono::milliseconds linger{500};  // how long an empty queue is watched before the end
  std::chrono::milliseconds answer_within{std::chrono::hours(24)};
  // Of a worker in a fleet: it takes over what dead workers left, runs on until it is told to stop,
  // and ends its agents before its lease does.
  bool fleet = false;
  // What was found of killed runs, each time something was.
  std::function<void(const process::Leftovers&)> swept;
  std::string name;                  // of the worker; empty: its process number
  std::vector<std::string> labels;   // what it has
  std::filesystem::path workspaces;  // where each task gets its clone
  std::uint32_t most_attempts = 3;
};

// Whether a runner holds the lock at this moment.
[[nodiscard]] bool runner_lives(const std::filesystem::path& lock_file);

// Works until the queue is empty; returns at once when another runner lives. Agents end with this
// process, however it ends.
[[nodiscard]] Result<void> work_queue(Log& log, const RunnerOptions& options);

// Works the queues of a fleet until SIGTERM, then finishes what it has begun and returns; a second
// signal ends the agents and gives their tasks back.
[[nodiscard]] Result<void> work_fleet(Log& log, const RunnerOptions& options);

// Starts `arguments` (the program first) as a process of its own that outlives us and our terminal.
// It gets the descriptor `handed`, if any, as its number 3. A program that cannot be started is an
// error; what becomes of it afterwards nobody hears.
[[nodiscard]] Result<void> start_detached(const std::vector<std::string>& arguments,
                                          int handed = -1);

// Starts a runner in the same way, unless one lives. The lock is handed over, so that of several
// who want one at the same moment the first starts the only one.
[[nodiscard]] Result<void> start_runner(const std::filesystem::path& lock_file,
                                        const std::vector<std::string>& arguments);

}  // namespace dragoman::task
