// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/recognise.hpp"

#include <algorithm>

namespace dragoman::redact {
namespace {

std::size_t run_of(std::string_view text, ByteSet set, std::size_t most) {
  std::size_t n = 0;
  while (n < text.size() && n < most && is_in(text[n], set)) ++n;
  return n;
}

// The run reaches the end of what is there, so it may be longer.
bool is_open(const Place& place, std::string_view text, std::size_t run, std::size_t most) {
  return !place.final && run == text.size() && run < most;
}

bool has(std::string_view text, ByteSet set) {
  return std::any_of(text.begin(), text.end(), [set](char c) { return is_in(c, set); });
}

bool looks_random(std::string_view text) {
  if (has(text, kDigit | kUpper)) return true;
  std::size_t run = 0;
  for (const char c : text) {
    run = is_in(c, kAlnum) ? run + 1 : 0;
    if (run == 16) return true;
  }
  return false;
}

bool is_escape_letter(char c) { return c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f'; }

}  // namespace

char Place::before(std::size_t back) const {
  if (back <= at) return text[at - back];
  const std::size_t further = back - at;
  return further <= behind.size() ? behind[behind.size() - further] : '\0';
}

bool Place::starts_word() const {
  const char c = before(1);
  if (!is_in(c, kWord)) return true;
  if (is_escape_letter(c) && before(2) == '\\') return true;
  return before(6) == '\\' && before(5) == 'u';
}

Verdict recognise_token(const Place& place, const TokenRule& rule) {
  if (rule.starts_word && !place.starts_word()) return Verdict::no();
  const std::string_view rest = place.rest(rule.prefix.size());
  const std::size_t most = std::max(rule.least + 1, kWindow);
  const std::size_t run = run_of(rest, rule.bytes, most);
  if (is_open(place, rest, run, most)) return Verdict::more();
  if (run < rule.least) return Verdict::no();
  const std::string_view body = rest.substr(0, run);
  switch (rule.proof) {
    case TokenRule::Proof::none:
      break;
    case TokenRule::Proof::random:
      if (!looks_random(body)) return Verdict::no();
      break;
    case TokenRule::Proof::digit:
      if (!has(body, kDigit)) return Verdict::no();
      break;
    case TokenRule::Proof::exact:
      if (run != rule.least || (run < rest.size() && is_in(rest[run], kWord | kBase64))) {
        return Verdict::no();
      }
      break;
  }
  const ByteSet goes_on = rule.proof == TokenRule::Proof::exact ? ByteSet{0} : rule.bytes;
  return {Verdict::Answer::yes, place.at, rule.prefix.size() + run, rule.kind, goes_on};
}

// Two parts of base64url that both begin as {" does, with a dot between.
Verdict recognise_jwt(const Place& place) {
  constexpr std::size_t kLongestHeader = 1024;
  if (!place.starts_word()) return Verdict::no();
  const std::string_view rest = place.rest();
  const std::size_t run = run_of(rest, kUrlSafe, kLongestHeader);
  if (is_open(place, rest, run, kLongestHeader)) return Verdict::more();
  if (run < 13) return Verdict::no();
  const std::string_view second = rest.substr(run);
  constexpr std::string_view kNext = ".eyJ";
  const std::size_t seen = std::min(second.size(), kNext.size());
  if (second.substr(0, seen) != kNext.substr(0, seen)) return Verdict::no();
  if (seen < kNext.size()) return place.final ? Verdict::no() : Verdict::more();
  return {Verdict::Answer::yes, place.at, run + kNext.size(), "jwt", kDotted};
}

Verdict recognise_bearer(const Place& place) {
  constexpr std::size_t kLeast = 20;
  constexpr std::size_t kMostBlanks = 8;
  if (!place.starts_word()) return Verdict::no();
  constexpr std::size_t kWordLength = 6;
  const std::string_view rest = place.rest(kWordLength);
  const std::size_t blanks = run_of(rest, kSpace, kMostBlanks);
  if (is_open(place, rest, blanks, kMostBlanks)) return Verdict::more();
  if (blanks == 0) return Verdict::no();
  const std::string_view token = rest.substr(blanks);
  const std::size_t run = run_of(token, kBearer, kLeast);
  if (is_open(place, token, run, kLeast)) return Verdict::more();
  if (run < kLeast) return Verdict::no();
  // What has its own kind is found at its own place.
  if (token.starts_with("eyJ") || token.starts_with("sk-")) return Verdict::no();
  return {Verdict::Answer::yes, place.at + kWordLength + blanks, run, "bearer_token", kBearer};
}

Verdict recognise_pem(const Place& place) {
  constexpr std::string_view kOpen = "-----BEGIN ";
  constexpr std::size_t kLongestLabel = 64;
  constexpr std::size_t kMostBetween = 32;
  constexpr std::size_t kLeastBody = 16;
  const std::string_view rest = place.rest(kOpen.size());
  const std::size_t label = run_of(rest, kUpper | kDigit | kSpace, kLongestLabel);
  if (is_open(place, rest, label, kLongestLabel)) return Verdict::more();
  if (rest.substr(0, label).find("PRIVATE KEY") == std::string_view::npos) return Verdict::no();
  const std::string_view after = rest.substr(label);
  const std::size_t dashes = run_of(after, kDash, 5);
  if (is_open(place, after, dashes, 5)) return Verdict::more();
  if (dashes < 5) return Verdict::no();
  // A line end in any spelling, perhaps the end of one string and the beginning of the next.
  const std::string_view behind = after.substr(dashes);
  std::size_t between = 0;
  while (between < behind.size() && between < kMostBetween &&
         std::string_view(" \t\r\n\"'+,").find(behind[between]) != std::string_view::npos) {
    ++between;
  }
  while (between + 1 < behind.size() && between < kMostBetween && behind[between] == '\\') {
    between += 2;  // \n, \r
    while (between < behind.size() && between < kMostBetween &&
           std::string_view(" \t\r\n\"'+,").find(behind[between]) != std::string_view::npos) {
      ++between;
    }
  }
  if (!place.final && between + 1 >= behind.size() && between < kMostBetween) {
    return Verdict::more();
  }
  const std::string_view body = behind.substr(std::min(between, behind.size()));
  const std::size_t run = run_of(body, kAlnum | kBase64 | kDash | kColon | kSpace, kLeastBody);
  if (is_open(place, body, run, kLeastBody)) return Verdict::more();
  if (run < kLeastBody) return Verdict::no();
  Verdict found{Verdict::Answer::yes, place.at, kOpen.size() + label + dashes, "private_key"};
  found.is_pem = true;
  return found;
}

namespace {

// host:8080?mail=somebody@example.org: no password but a port, and a query behind it.
bool is_port_and_query(std::string_view behind_colon) {
  const std::size_t port = run_of(behind_colon, kDigit, behind_colon.size());
  const std::string_view query = behind_colon.substr(port);
  return port > 0 && query.starts_with('?') && query.find('=') != std::string_view::npos;
}

}  // namespace

// scheme://user:password@host, with the slashes escaped or not.
Verdict recognise_url(const Place& place) {
  constexpr std::size_t kLongest = 512;
  if (!is_in(place.before(1), kAlnum)) return Verdict::no();
  const bool escaped = place.rest().starts_with(":\\/");
  const std::size_t opening = escaped ? 5 : 3;
  const std::string_view rest = place.rest(opening);
  const std::size_t run = run_of(rest, kUserInfo, kLongest);
  if (is_open(place, rest, run, kLongest)) return Verdict::more();
  if (run == rest.size() || rest[run] != '@') return Verdict::no();
  const std::size_t colon = rest.substr(0, run).find(':');
  if (colon == std::string_view::npos || colon + 1 == run) return Verdict::no();
  if (is_port_and_query(rest.substr(colon + 1, run - colon - 1))) return Verdict::no();
  return {Verdict::Answer::yes, place.at + opening, run, "url_credentials"};
}

}  // namespace dragoman::redact
