// SPDX-License-Identifier: Apache-2.0
// What to show of a tool call that has neither a command nor a file.
#pragma once

#include "dragoman/event/payloads.hpp"
#include "dragoman/json/text.hpp"

namespace dragoman::show {

// The argument that says most: what is searched for, the address, the name of the skill. Absent
// where the arguments have none of these as a string.
[[nodiscard]] json::Text telling_argument(const Raw& input);

}  // namespace dragoman::show
