// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/json/bits128.hpp"

namespace dragoman {

// What stands where in the first bytes of a marker's payload. Made by a map_payload() for each kind
// of processor, in line with the code that reads it.
struct PayloadMap {
  json::Bits128 quotes;   // without those that a backslash escapes
  json::Bits128 escapes;  // backslashes that no other one escapes
  json::Bits128 odd;      // control characters, and '$': "$ARGUMENTS" was not filled in
  json::Bits128 foreign;  // above ASCII
};

}  // namespace dragoman
