// SPDX-License-Identifier: Apache-2.0
// Figures in words for people: the same in every page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/event/payloads.hpp"

namespace dragoman::show {

// "45 ms", "1.2 s", "3 min 05 s", "2 h 07 min"; what is negative or no number is "0 ms".
[[nodiscard]] std::string duration_words(double milliseconds);
// Nothing where it is not known.
[[nodiscard]] std::string duration_words(std::optional<double> milliseconds);

// "17", "1,234", "2.3 M"
[[nodiscard]] std::string count_words(std::int64_t count);

// "812 bytes", "12 KB", "3.4 MB"
[[nodiscard]] std::string size_words(std::uint64_t bytes);

// A number as short as it can be written: 33, 12.5.
[[nodiscard]] std::string number_words(double value);

// What one types to take the suggestion: "/wxcode:verify-work 3".
[[nodiscard]] std::string call_of(const NextAction& action);

// "in_progress" → "in progress"
[[nodiscard]] std::string spaced(std::string_view name);

}  // namespace dragoman::show
