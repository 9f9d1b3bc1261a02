// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace dragoman::test {

// Whether `condition` came true. The one place where a test may sleep: waiting longer than needed
// costs time only when the test fails.
template <typename Condition>
[[nodiscard]] bool eventually(Condition condition,
                              std::chrono::seconds patience = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace dragoman::test
