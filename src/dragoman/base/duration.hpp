// SPDX-License-Identifier: Apache-2.0
// How people write lengths of time: 300s, 20m, 1.5h, 250ms, 0.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman {

// A number with ms, s, m, h or d behind it; a bare number is seconds. Never negative, at most ten
// years. The error names what was given and what is understood.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// The shortest way to write it that reads back as the same: 20m, 90s, 1500ms, 0.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace dragoman
