// SPDX-License-Identifier: Apache-2.0
// What Detail::quiet leaves out: everything but what was said, what went wrong and what is asked.
#pragma once

#include "dragoman/event/event.hpp"

namespace dragoman::show {

// How it goes on, and nothing said, wrong or asked. Kinds that bring good news or bad decide by
// what they say.
[[nodiscard]] bool is_mere_progress(Kind kind);

// Mere progress, or a kind that could have brought bad news and did not.
[[nodiscard]] bool is_good_news(const Event& event);

}  // namespace dragoman::show
