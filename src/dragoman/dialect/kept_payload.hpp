// SPDX-License-Identifier: Apache-2.0
// Payloads that are made in the same place again and again.
#pragma once

#include "dragoman/event/event.hpp"

namespace dragoman {

// The T that stands there already, or a new one. Whoever fills it has to set every field that
// anyone who fills the same payload ever sets: clearing one costs more than filling it.
template <typename T>
[[nodiscard]] T& kept(Payload& payload) {
  if (T* const there = std::get_if<T>(&payload); there != nullptr) return *there;
  return payload.emplace<T>();
}

}  // namespace dragoman
