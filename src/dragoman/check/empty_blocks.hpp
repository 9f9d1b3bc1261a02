// SPDX-License-Identifier: Apache-2.0
// Bracket markers whose list is not there, or not one that readers know.
#pragma once

#include <optional>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::check {

struct EmptyBlock {
  std::string_view rule;
  std::optional<Level> level;  // absent: that of the rule
  std::string_view message;
  std::string_view hint;
};

// `text` begins with the marker that the event was read from; what comes behind its block is left.
[[nodiscard]] std::optional<EmptyBlock> empty_block(const Event& event, std::string_view text);

}  // namespace dragoman::check
