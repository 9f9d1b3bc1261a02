// SPDX-License-Identifier: Apache-2.0
// Events that take the place of an earlier one.
#pragma once

#include "dragoman/event/event.hpp"

namespace dragoman {

// What a reader gives out in a pause, and again in whole when more of it has come: the block of a
// bracket marker.
[[nodiscard]] bool may_grow(const Event& event);

// The same lines and some more.
[[nodiscard]] bool has_grown(const Origin& before, const Origin& now);

// Whether `now` takes the place of `before`: a block that has grown, or the same question again.
[[nodiscard]] bool is_update(const Event& before, const Event& now);

}  // namespace dragoman
