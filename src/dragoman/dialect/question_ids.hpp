// SPDX-License-Identifier: Apache-2.0
// Stable ids for questions that bring none of their own.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

// "q-" and 12 hex digits over source, text and how often that text was asked before in this
// session: a replay gives the same id, and the same question asked twice is two questions.
class QuestionIds {
 public:
  [[nodiscard]] std::string next(QuestionSource source, std::string_view text);

 private:
  static constexpr std::size_t kLargestKey = std::size_t{64} << 10U;

  using Digest = std::array<std::uint8_t, 16>;
  struct Hash {
    std::size_t operator()(const Digest& digest) const {
      std::size_t first = 0;
      std::memcpy(&first, digest.data(), sizeof first);
      return first;
    }
  };

  std::unordered_map<Digest, std::uint64_t, Hash> asked_;  // digest of source and text → times
  std::string key_;                                        // used again each time
};

}  // namespace dragoman
