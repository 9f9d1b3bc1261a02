// SPDX-License-Identifier: Apache-2.0
// How people write lengths of time: 300s, 20m, 1.5h, 250ms, 0.
#pragma once

#include <chrono>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman {

// A number with ms, s, m, h or d behind it; a bare number is seconds. Never negative, at most ten
// years. The error names what was given and what is understood.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace dragoman
