// SPDX-License-Identifier: Apache-2.0
// Markers that are there and say nothing.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman::check {

// The fields that a marker has to fill and leaves empty, as "command, title"; mostly none. Readers
// take them in silence, writers refuse them. A field that is not there at all is the reader's to
// miss, but in a bracket marker, where that is the same as an empty one.
[[nodiscard]] std::string empty_texts(const Event& event);

// What mends it.
[[nodiscard]] std::string_view hint_for_empty_text(Dialect dialect);

}  // namespace dragoman::check
