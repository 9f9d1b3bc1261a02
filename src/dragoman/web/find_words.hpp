// SPDX-License-Identifier: Apache-2.0
// Whether an event says what somebody looks for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::web {

// How often the strings of an event's data have `words`, which are lower case, whatever the case of
// its ASCII letters. Counted is what a page shows of the event: no ids, no figures, no colours of a
// terminal between the letters, and nothing of a fragment, for the whole message follows it.
[[nodiscard]] std::size_t times_said(std::string_view event, std::string_view words);

}  // namespace dragoman::web
