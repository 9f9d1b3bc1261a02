// SPDX-License-Identifier: Apache-2.0
// Bracket markers as events.
#pragma once

#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/bracket_block.hpp"
#include "dragoman/dialect/finding.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

// The event of a marker and all its lines. Strings point into the block or the arena. A question's
// id is the caller's to set. What is wrong with the form goes to `findings`; an empty value that
// makes the marker malformed is found under the rule "empty_value". What has no typed home is added
// to `extra`.
[[nodiscard]] Payload read_bracket(const BracketBlock& block, Arena& arena, Findings& findings,
                                   std::vector<Extra>& extra);

// "label - description"
[[nodiscard]] Option split_option(std::string_view text);

}  // namespace dragoman
