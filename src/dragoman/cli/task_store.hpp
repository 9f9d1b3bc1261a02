// SPDX-License-Identifier: Apache-2.0
// The store that the task commands work on.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "dragoman/cli/command.hpp"
#include "dragoman/config/config.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/runner.hpp"
#include "dragoman/task/service.hpp"

namespace dragoman::cli {

struct TaskStore {
  std::unique_ptr<Log> log;
  std::string path;    // of the database; of a fleet's store, its address
  std::string config;  // the file of --config, for the runner as well
  bool fleet = false;  // workers elsewhere do the work
  std::size_t concurrency = 2;
  std::size_t waiting = 8;

  void take_slots(const config::Config& settings);
  // Starts a runner in the background where none lives. Its `last` is of the directory that we are
  // in.
  [[nodiscard]] task::Service service() const;
  [[nodiscard]] task::RunnerOptions runner() const;
};

// Starts a runner in the background where none lives. `path` is a database, `config` the file of
// --config or empty.
[[nodiscard]] std::function<Result<void>()> runner_waker(const std::string& path,
                                                         const std::string& config);

[[nodiscard]] OptionSpec store_option();
// What an option or a setting says and cannot mean.
[[nodiscard]] Error bad_value(std::string message);
// Of a command that was refused: 2 for an option or a setting that is wrong and for a word that
// names nothing or too much, 3 for what it was to do, 125 where the store cannot be used.
[[nodiscard]] int refusal_code(const Error& error);
// --store, else $DRAGOMAN_STORE, else a file in the state directory.
[[nodiscard]] Result<std::string> store_path(const Invocation& invocation,
                                             const config::Config& settings);
// Of a command that works with what is there already, a path that is wrong must not make a store:
// it is refused where even its directory is missing. A worker's has to be a fleet's.
enum class StoreUse : std::uint8_t { looks, adds, works };
// `patience`: how long a fleet's store may be silent before a call fails.
[[nodiscard]] Result<TaskStore> open_task_store(
    const Invocation& invocation, Console& console, StoreUse use,
    std::chrono::milliseconds patience = std::chrono::seconds(10));

// For a command that also works without: null where there is no store, and none is made.
enum class Reach : std::uint8_t { here, everywhere };  // whether a fleet's servers are asked
[[nodiscard]] Result<std::unique_ptr<Log>> open_store_if_there(const Invocation& invocation,
                                                               Console& console, Reach reach);

}  // namespace dragoman::cli
