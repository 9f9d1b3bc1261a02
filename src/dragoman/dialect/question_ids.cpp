// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_ids.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {

std::string QuestionIds::next(QuestionSource source, std::string_view text) {
  constexpr std::size_t kMostTexts = 4096;  // a stream that asks for ever must not grow us for ever
  key_.assign(name(source)).append("\n").append(text);
  const auto whole = sha256(key_);
  Digest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  if (asked_.size() >= kMostTexts && !asked_.contains(digest)) asked_.clear();
  const std::uint64_t number = ++asked_[digest];
  fmt::format_to(std::back_inserter(key_), "\n{}", number);
  std::string id = "q-" + sha256_hex(key_, 12);
  if (key_.capacity() > kLargestKey) key_ = {};
  return id;
}

}  // namespace dragoman
