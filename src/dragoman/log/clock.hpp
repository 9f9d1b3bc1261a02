// SPDX-License-Identifier: Apache-2.0
// The time of records: the library below reads no clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace dragoman {

// Milliseconds since 1970.
[[nodiscard]] inline std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace dragoman
