// SPDX-License-Identifier: Apache-2.0
// The canonical line of an event that is short, as nearly all are: put together in fixed memory and
// appended at once. Growing a string in small steps costs more than what is written.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/event/event.hpp"

namespace dragoman {

// Appends what append_json() would, with the number `seq`, and a newline. False: the event is long,
// or has something rare about it; nothing was appended.
[[nodiscard]] bool append_short_line(std::string& out, const Event& event, std::uint64_t seq);

}  // namespace dragoman
