// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "dragoman/event/event.hpp"

namespace dragoman::test {

template <std::size_t... I>
Payload empty_payload(Kind kind, std::index_sequence<I...> /*kinds*/) {
  Payload payload;
  const auto wanted = static_cast<std::size_t>(kind);
  ((I == wanted ? static_cast<void>(payload.emplace<I>()) : void()), ...);
  return payload;
}

// One of that kind with nothing said in it.
inline Payload empty_payload(Kind kind) {
  return empty_payload(kind, std::make_index_sequence<kKinds>{});
}

}  // namespace dragoman::test
