// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/question_ids.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "dragoman/base/sha256.hpp"
#include "dragoman/event/names.hpp"

namespace dragoman {

// The place of the digest, or the free one where it belongs. Half of the places stay free, so the
// search is short.
QuestionIds::Asked& QuestionIds::find(const QuickDigest& digest) {
  std::size_t at = (digest.high ^ digest.low) % kPlaces;
  while (asked_[at].times != 0 && asked_[at].digest != digest) at = (at + 1) % kPlaces;
  return asked_[at];
}

std::string QuestionIds::next(QuestionSource source, std::string_view text) {
  if (asked_.empty()) asked_.resize(kPlaces);
  key_.assign(name(source)).append("\n").append(text);
  const QuickDigest digest = quick_digest(key_);
  Asked* asked = &find(digest);
  if (asked->times == 0 && texts_ == kMostTexts) {
    // A stream that asks for ever must not grow us for ever.
    std::fill(asked_.begin(), asked_.end(), Asked{});
    texts_ = 0;
    asked = &find(digest);
  }
  if (asked->times == 0) ++texts_;
  asked->digest = digest;
  std::array<char, 20> times;
  const char* const end =
      std::to_chars(times.data(), times.data() + times.size(), ++asked->times).ptr;
  key_.append("\n").append(times.data(), static_cast<std::size_t>(end - times.data()));
  std::string id = "q-" + sha256_hex(key_, 12);
  if (key_.capacity() > kLargestKey) key_ = {};
  return id;
}

}  // namespace dragoman
