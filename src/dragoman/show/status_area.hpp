// SPDX-License-Identifier: Apache-2.0
// What is going on right now, in a few lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/palette.hpp"
#include "dragoman/show/story.hpp"

namespace dragoman::show {

// One run as the status area sees it.
struct RunStatus {
  std::string_view label;  // empty where there is one run
  const Story* story = nullptr;
  std::chrono::milliseconds elapsed{0};
  std::chrono::milliseconds tool_elapsed{0};  // of the tool that was started last
};

// Lines of at most `width` columns with their inks, without line ends. Pure: the same runs, frame
// and width give the same lines. `frame` counts the pictures of the spinner.
[[nodiscard]] std::vector<std::string> status_lines(const std::vector<RunStatus>& runs,
                                                    std::size_t frame, std::size_t width,
                                                    const Palette& palette);

}  // namespace dragoman::show
