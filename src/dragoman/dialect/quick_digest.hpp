// SPDX-License-Identifier: Apache-2.0
// 128 bits that tell texts apart. Not secret and not proof against forgery: for memories of what a
// stream has said, where a forged match harms nobody but its author.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

struct QuickDigest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const QuickDigest&, const QuickDigest&) = default;
};

[[nodiscard]] QuickDigest quick_digest(std::string_view text);

}  // namespace dragoman
