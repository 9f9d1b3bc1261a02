// SPDX-License-Identifier: Apache-2.0
// What stdout can show.
#pragma once

#include <cstddef>
#include <string>

#include "dragoman/show/renderer.hpp"

namespace dragoman::cli {

inline constexpr std::size_t kNarrowest = 20;
inline constexpr std::size_t kWidest = 1000;

// Empty when it is not set.
[[nodiscard]] std::string variable(const char* name);

// A terminal that can move its cursor.
[[nodiscard]] bool is_smart_terminal();

// Columns of the terminal, else of $COLUMNS, else 80.
[[nodiscard]] std::size_t screen_width();

// Nobody here can be stopped with Ctrl-Z.
[[nodiscard]] bool stop_is_ignored();

// `when`: auto, always or never.
[[nodiscard]] show::ColorDepth screen_colors(const std::string& when);

}  // namespace dragoman::cli
