// SPDX-License-Identifier: Apache-2.0
// What every implementation of scan_string shares: single bytes and escapes.
#pragma once

#include "dragoman/json/scan.hpp"

namespace dragoman::json::kernels {

inline bool is_simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return true;
    default:
      return false;
  }
}

// Steps over the escape at `p` (a backslash) and returns where to go on; fills `result` and returns
// null when the scan ends here. A surrogate pair is one step, so that its halves stay together.
const char* step_over_escape(const char* p, const char* end, StringEnd& result);

// Byte by byte, going on from `so_far`.
StringEnd scan_string_bytes(const char* p, const char* end, StringEnd so_far);

}  // namespace dragoman::json::kernels
