// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "dragoman/event/event.hpp"

namespace dragoman::agent {

// As events have it.
[[nodiscard]] inline Timestamp wall_clock() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace dragoman::agent
