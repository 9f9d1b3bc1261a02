// SPDX-License-Identifier: Apache-2.0
// Which run a word means.
//
// Law, for every command, address and tool alike: a run is named by its id, by what the Delegator's
// tools call it, by what begins one id and no other, or by `last`. A word that names none is an
// error of the kind not_found; one that begins several is a validation error with the reason
// "ambiguous", whose message lists at most ten of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/log/log.hpp"
#include "dragoman/task/task.hpp"

namespace dragoman::task {

inline constexpr std::string_view kAmbiguous = "ambiguous";  // the reason of that error
inline constexpr std::string_view kUnknownRun = "task";      // and of the other

// A run as far as it is known.
struct FoundRun {
  std::string id;
  std::int64_t created_at = 0;      // milliseconds since 1970
  std::string title;                // what it is to do, on one line
  std::optional<Task> task;         // absent: the store does not have it
  std::filesystem::path recording;  // empty: no recording is known
};

// Where runs are looked for.
struct RunPlaces {
  Log* log = nullptr;                // null: there is no store
  std::filesystem::path recordings;  // a directory of recordings that have their run's name
  std::string directory;             // whose newest run `last` is; empty: the newest of all
};

[[nodiscard]] Result<FoundRun> find_run(const RunPlaces& places, std::string_view word);

// The newest runs first, at most `limit`: what a shell offers where a run is wanted.
[[nodiscard]] Result<std::vector<FoundRun>> newest_runs(const RunPlaces& places, std::size_t limit);

}  // namespace dragoman::task
