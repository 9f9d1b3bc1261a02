// SPDX-License-Identifier: Apache-2.0
// Stable ids for questions that bring none of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/quick_digest.hpp"
#include "dragoman/event/payloads.hpp"

namespace dragoman {

// "q-" and 12 hex digits over source, text and how often that text was asked before in this
// session: a replay gives the same id, and the same question asked twice is two questions.
class QuestionIds {
 public:
  [[nodiscard]] std::string next(QuestionSource source, std::string_view text);

 private:
  static constexpr std::size_t kLargestKey = std::size_t{64} << 10U;

  static constexpr std::size_t kMostTexts = 4096;  // then all are forgotten
  static constexpr std::size_t kPlaces = 2 * kMostTexts;

  struct Asked {
    QuickDigest digest;       // of source and text
    std::uint64_t times = 0;  // 0: a free place
  };

  [[nodiscard]] Asked& find(const QuickDigest& digest);

  std::vector<Asked> asked_;  // by digest, at the first free place; made when first needed
  std::size_t texts_ = 0;
  std::string key_;  // used again each time
};

}  // namespace dragoman
