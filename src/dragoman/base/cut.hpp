// SPDX-License-Identifier: Apache-2.0
// Long texts made short: how they begin and how they end is what people look for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

// Stands where something was cut out.
inline constexpr std::string_view kCutMark = "\n... [truncated] ...\n";

// The text, or at most `bytes` of it, the mark included: its beginning and its end, without half a
// code point.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t bytes);

}  // namespace dragoman
