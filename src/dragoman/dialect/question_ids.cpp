// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_ids.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {

// The place of the digest, or the free one where it belongs. Half of the places stay free, and a
// digest cannot be aimed at a place, so the search is short.
QuestionIds::Asked& QuestionIds::find(const Digest& digest) {
  std::uint64_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  std::size_t at = hash % kPlaces;
  while (asked_[at].times != 0 && asked_[at].digest != digest) at = (at + 1) % kPlaces;
  return asked_[at];
}

std::string QuestionIds::next(QuestionSource source, std::string_view text) {
  if (asked_.empty()) asked_.resize(kPlaces);
  key_.assign(name(source)).append("\n").append(text);
  const auto whole = sha256(key_);
  Digest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  Asked* asked = &find(digest);
  if (asked->times == 0 && texts_ == kMostTexts) {
    // A stream that asks for ever must not grow us for ever.
    std::fill(asked_.begin(), asked_.end(), Asked{});
    texts_ = 0;
    asked = &find(digest);
  }
  if (asked->times == 0) ++texts_;
  asked->digest = digest;
  fmt::format_to(std::back_inserter(key_), "\n{}", ++asked->times);
  std::string id = "q-" + sha256_hex(key_, 12);
  if (key_.capacity() > kLargestKey) key_ = {};
  return id;
}

}  // namespace dragoman
