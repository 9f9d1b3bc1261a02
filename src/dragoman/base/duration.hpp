// SPDX-License-Identifier: Apache-2.0
// How people write lengths of time: 300s, 20m, 1.5h, 250ms, 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman {

// A number with ms, s, m, h or d behind it; a bare number is seconds. Never negative, at most ten
// years. The error names what was given and what is understood.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// How long ago, in the one unit that tells most: "now", "42s", "5m", "3h", "12d".
[[nodiscard]] std::string age_words(std::int64_t milliseconds);

}  // namespace dragoman
