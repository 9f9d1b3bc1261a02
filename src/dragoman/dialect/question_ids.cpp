// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_ids.hpp"

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {

std::string QuestionIds::next(QuestionSource source, std::string_view text) {
  constexpr std::size_t kMostTexts = 4096;  // a stream that asks for ever must not grow us for ever
  std::string key = fmt::format("{}\n{}", name(source), text);
  const std::string digest = sha256_hex(key, 32);
  if (asked_.size() >= kMostTexts && !asked_.contains(digest)) asked_.clear();
  const std::uint64_t number = ++asked_[digest];
  fmt::format_to(std::back_inserter(key), "\n{}", number);
  return "q-" + sha256_hex(key, 12);
}

}  // namespace dragoman
