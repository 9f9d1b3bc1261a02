// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dragoman::test {

// The full counts of the long suites are for ./dev soak; everyday runs do a share of them.
// DRAGOMAN_SCALE is that share, 0.05 when it is not set. Never less than one.
std::size_t scaled(std::size_t full_count);
// The share squared, for counts that multiply with the number of inputs.
std::size_t scaled_twice(std::size_t full_count);

// Sanitizers take ten times as long. What an everyday run does in full without them, it does with
// them at every `step`-th place only; 1 otherwise.
std::size_t step_with_sanitizers(std::size_t step);

}  // namespace dragoman::test
