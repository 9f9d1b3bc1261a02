// SPDX-License-Identifier: Apache-2.0
// Where a private key in lines begins, and where one is only mentioned.
#include <algorithm>

#include "dragoman/redact/recognise.hpp"
#include "dragoman/redact/steps.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kEvidence = 128;  // so far behind BEGIN a line of the key is looked for

bool is_line_of_key(std::string_view text) {
  constexpr std::size_t kLeastBody = 16;
  return text.size() >= kLeastBody && has(text, kDigit | kBase64) && has(text, kUpper) &&
         has(text, kLower);
}

bool holds_line_of_key(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t run = run_of(text.substr(at), kAlnum | kBase64, kEvidence);
    if (is_line_of_key(text.substr(at, run))) return true;
    at += run + 1;
  }
  return false;
}

}  // namespace

// Behind BEGIN the line ends, in any spelling: then all that follows is the key. Or something else
// stands there, as in a list of strings or in "grep -e '-----BEGIN PRIVATE KEY-----' file": then a
// line of a key must be near.
Verdict recognise_pem(const Place& place) {
  constexpr std::string_view kBegin = "BEGIN ";
  constexpr std::size_t kLongestLabel = 64;
  constexpr std::size_t kMostBlanks = 8;
  const std::size_t opening = place.rest().find(kBegin) + kBegin.size();
  const std::string_view rest = place.rest(opening);
  const std::size_t label = run_of(rest, kUpper | kDigit | kSpace, kLongestLabel);
  if (!place.final && label == rest.size() && label < kLongestLabel) return Verdict::more();
  if (rest.substr(0, label).find("PRIVATE KEY") == std::string_view::npos) return Verdict::no();
  const std::string_view behind_label = rest.substr(label);
  const std::size_t dashes = run_of(behind_label, kDash, 5);
  if (!place.final && dashes == behind_label.size() && dashes < 5) return Verdict::more();
  if (dashes < 4) return Verdict::no();
  const std::string_view behind = behind_label.substr(dashes);
  const std::size_t blanks = run_of(behind, kSpace, kMostBlanks);
  std::size_t slashes = 0;
  while (slashes < kMostSlashes && behind.substr(blanks + slashes).starts_with('\\')) ++slashes;
  const std::size_t at = blanks + slashes;
  const bool known = at < behind.size();
  if (!known && !place.final) return Verdict::more();
  Verdict found{Verdict::Answer::yes, place.at, opening + label + dashes, "private_key"};
  found.block.emplace();
  if (known && slashes == 0 && (behind[at] == '\n' || behind[at] == '\r')) return found;
  found.block->in_string = true;
  if (known && slashes > 0 && (behind[at] == 'n' || behind[at] == 'r')) {
    found.block->slashes = slashes - 1;
    found.block->in_line = true;
    return found;
  }
  if (known && behind[at] == '"') found.block->slashes = slashes;
  const std::string_view near = behind.substr(0, kEvidence);
  if (holds_line_of_key(near)) return found;
  return near.size() < kEvidence && !place.final ? Verdict::more() : Verdict::no();
}

}  // namespace dragoman::redact
