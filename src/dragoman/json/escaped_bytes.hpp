// SPDX-License-Identifier: Apache-2.0
// Which bytes of a block a backslash escapes, without a loop.
#pragma once

#include <cstdint>

namespace dragoman::json {

// One bit a byte. `carry` says whether the first byte is escaped, and afterwards whether the first
// byte of the next block is. A run of backslashes escapes every second byte; adding the run to its
// first bit finds its end.
[[gnu::always_inline]] inline std::uint64_t escaped_bytes(std::uint64_t backslashes,
                                                          std::uint64_t& carry) {
  constexpr std::uint64_t kEven = 0x5555555555555555U;
  backslashes &= ~carry;
  const std::uint64_t behind = backslashes << 1U | carry;
  const std::uint64_t odd_starts = backslashes & ~kEven & ~behind;
  std::uint64_t ends = 0;
  carry = __builtin_add_overflow(odd_starts, backslashes, &ends) ? 1 : 0;
  return (kEven ^ (ends << 1U)) & behind;
}

}  // namespace dragoman::json
