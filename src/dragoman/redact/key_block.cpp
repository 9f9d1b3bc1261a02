// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/key_block.hpp"

#include <algorithm>

#include "dragoman/redact/recognise.hpp"
#include "dragoman/redact/steps.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kMostBetweenStrings = 64;
constexpr std::size_t kLeastLineOfKey = 16;
constexpr std::size_t kLongestLineOfKey = 256;

// A string that is no name of a member, and so may be the next line of a key.
Verdict::Answer is_no_name(std::string_view inside, bool final) {
  const std::size_t close = inside.find_first_of("\"'");
  const bool known = close != std::string_view::npos && close < kLongestLineOfKey;
  if (!known)
    return inside.size() < kLongestLineOfKey && !final ? Verdict::Answer::more
                                                       : Verdict::Answer::no;
  if (close + 1 == inside.size() && !final) return Verdict::Answer::more;
  const bool name = inside.substr(close + 1).starts_with(':');
  return name ? Verdict::Answer::no : Verdict::Answer::yes;
}

// Behind the quote that closes a string comes the next line of the key, as a string of its own.
Verdict::Answer goes_on_in_next_string(std::string_view text, bool final) {
  std::size_t at = 0;
  while (at < text.size() && at < kMostBetweenStrings) {
    if (text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == 'r')) {
      at += 2;
    } else if (std::string_view(" \t\r\n\"'+,\\").find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  const std::string_view body = text.substr(at);
  const std::string_view between = text.substr(1, std::max<std::size_t>(at, 1) - 1);
  if (between.find_first_of("\"'") != std::string_view::npos) return is_no_name(body, final);
  constexpr std::string_view kEnd = "-----END ";
  const std::size_t seen = std::min(kEnd.size(), body.size());
  if (seen > 0 && body.substr(0, seen) == kEnd.substr(0, seen)) {
    if (seen == kEnd.size()) return Verdict::Answer::yes;
    return final ? Verdict::Answer::no : Verdict::Answer::more;
  }
  const std::size_t run = run_of(body, kAlnum | kBase64, kWindow);
  if (!final && run == body.size() && run < kWindow) return Verdict::Answer::more;
  const bool is_key = run >= kLeastLineOfKey && has(body.substr(0, run), kDigit | kBase64);
  return is_key ? Verdict::Answer::yes : Verdict::Answer::no;
}

}  // namespace

KeyBlock::Place KeyBlock::see(char c) {
  constexpr std::string_view kEnd = "END ";
  constexpr std::string_view kKey = "PRIVATE KEY";
  if (at_end_) {
    if (c == '-') {
      if (++dashes_ < 5) return Place::inside;
      if (key_seen_ == kKey.size()) return Place::last;
      at_end_ = false;  // of something else
      return Place::inside;
    }
    const bool cut_off = c == '\n' || c == '\r' || c == '"' || c == '\\' || dashes_ >= 4;
    if (cut_off && key_seen_ == kKey.size()) return Place::behind;
    if (cut_off) {
      at_end_ = false;
      dashes_ = 0;
    } else if (key_seen_ < kKey.size()) {
      key_seen_ = c == kKey[key_seen_] ? key_seen_ + 1 : c == kKey[0] ? 1 : 0;
    }
    return Place::inside;
  }
  if (c == '-') {
    dashes_ = matched_ == 0 ? dashes_ + 1 : 1;
    matched_ = 0;
  } else if (dashes_ >= 4 && c == kEnd[matched_]) {
    ++matched_;
  } else if (dashes_ < 4 || c != ' ' || matched_ != 0) {  // "---- END"
    dashes_ = matched_ = 0;
  }
  if (matched_ == kEnd.size()) {
    at_end_ = true;
    dashes_ = matched_ = key_seen_ = 0;
  }
  return Place::inside;
}

KeyBlock::Step KeyBlock::read(std::string_view text, bool final) {
  for (std::size_t at = 0; at < text.size();) {
    if (length_ >= kLongest) return {at, true};
    const char c = text[at];
    if (start_.in_line && !between_strings_ && (c == '\n' || c == '\r')) return {at, true};
    std::size_t slashes = 0;
    while (slashes < kMostSlashes && at + slashes < text.size() && text[at + slashes] == '\\') {
      ++slashes;
    }
    if (at + slashes == text.size() && slashes < kMostSlashes && !final) return {at, false};
    const bool quote = at + slashes < text.size() && text[at + slashes] == '"';
    if (quote && start_.in_string && slashes <= start_.slashes) {
      const auto more = between_strings_ ? Verdict::Answer::yes
                                         : goes_on_in_next_string(text.substr(at + slashes), final);
      if (more == Verdict::Answer::more) return {at, false};
      if (more == Verdict::Answer::no) return {at, true};
      between_strings_ = !between_strings_;
    }
    const std::size_t unit = std::max<std::size_t>(1, slashes);
    for (std::size_t i = 0; i < unit; ++i) {
      const Place place = see(text[at]);
      if (place == Place::behind) return {at, true};
      ++at;
      ++length_;
      if (place == Place::last) return {at, true};
    }
  }
  return {text.size(), false};
}

}  // namespace dragoman::redact
