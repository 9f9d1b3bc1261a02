// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "dragoman/cli/replay_faults.hpp"
#include "dragoman/record/reader.hpp"

namespace dragoman::cli {

struct ReplayPace {
  double speed = 1;  // 0: as fast as it goes
  // Waits until that moment of the recording has come.
  void wait_for(std::chrono::microseconds at);
  // Whether there is time to fill until then.
  [[nodiscard]] bool is_ahead_of(std::chrono::microseconds at) const;

 private:
  [[nodiscard]] std::chrono::steady_clock::time_point due(std::chrono::microseconds at) const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::microseconds> first_;
};

// Which start of the program is played: a run that was answered has several.
struct ReplayPart {
  std::uint64_t stdin_from = 0, stdin_to = UINT64_MAX;
  std::uint64_t stdout_from = 0, stdout_to = UINT64_MAX;
  std::uint64_t stderr_from = 0, stderr_to = UINT64_MAX;
  std::optional<int> exit_code;
};
// `start` counts from 1; absent when there was no such start.
[[nodiscard]] std::optional<ReplayPart> replay_part(const std::filesystem::path& run,
                                                    std::size_t start);

// Behaves like the program that was recorded: reads what it read, prints what it printed. The exit
// code is its own; a signal that ended it ends us.
[[nodiscard]] int replay_as_agent(record::Reader& run, const ReplayPart& part, ReplayPace pace,
                                  const Faults& faults);

}  // namespace dragoman::cli
