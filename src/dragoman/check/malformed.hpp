// SPDX-License-Identifier: Apache-2.0
// What is said about a marker or line that cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/event/findings.hpp"
#include "dragoman/event/origin.hpp"

namespace dragoman::check {

// "bad_json: not a JSON number at byte 18"
[[nodiscard]] std::string message_of(const Malformed& malformed);

// What mends it, in the dialect it was written in. Empty: nothing better than the rule's own.
[[nodiscard]] std::string_view hint_for(const Malformed& malformed, Dialect dialect);

}  // namespace dragoman::check
