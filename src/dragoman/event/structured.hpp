// SPDX-License-Identifier: Apache-2.0
// Which dialects are a program's JSON, and which stand in text for people.
#pragma once

#include "dragoman/event/origin.hpp"

namespace dragoman {

[[nodiscard]] constexpr bool is_structured(Dialect dialect) {
  switch (dialect) {
    case Dialect::claude:
    case Dialect::codex:
    case Dialect::delegator:
      return true;
    case Dialect::text:
    case Dialect::wxcode:
    case Dialect::question:
    case Dialect::markers:
      return false;
  }
  return false;
}

}  // namespace dragoman
