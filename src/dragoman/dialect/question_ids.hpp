// SPDX-License-Identifier: Apache-2.0
// Stable ids for questions that bring none of their own.
#pragma once

#include <cstdint>
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
  std::unordered_map<std::string, std::uint64_t> asked_;  // digest of source and text → times
};

}  // namespace dragoman
