// SPDX-License-Identifier: Apache-2.0
// What a run was before its turn in this process, as its recording has it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/engine/stream.hpp"
#include "dragoman/record/reader.hpp"

namespace dragoman::engine {

struct Past {
  EventStream::Position position;     // where its events and its streams end
  std::chrono::microseconds wall{0};  // how long it went on
  int exit_code = 0;                  // of the last start; unknown: as of one that was killed
  record::CommandRecord command;
  std::vector<std::string> events;      // canonical lines
  std::vector<std::string> notes = {};  // what is wrong with it
};

// Of a recording that is gone on with; not_found where there is none. Whatever is in its events,
// those that can be read count.
[[nodiscard]] Result<Past> read_past(const std::filesystem::path& directory);

}  // namespace dragoman::engine
