// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "dragoman/event/event.hpp"

namespace dragoman {

// One of that kind with nothing said in it.
[[nodiscard]] inline Payload empty_payload(Kind kind) {
  return []<std::size_t... I>(std::size_t wanted, std::index_sequence<I...> /*kinds*/) {
    Payload payload;
    ((I == wanted ? static_cast<void>(payload.emplace<I>()) : void()), ...);
    return payload;
  }
  (static_cast<std::size_t>(kind), std::make_index_sequence<kKinds>{});
}

}  // namespace dragoman
