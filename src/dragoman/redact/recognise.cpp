// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/recognise.hpp"

#include <algorithm>

namespace dragoman::redact {
namespace {

// The run reaches the end of what is there, so it may be longer.
bool is_open(const Place& place, std::string_view text, std::size_t run, std::size_t most) {
  return !place.final && run == text.size() && run < most;
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

std::size_t run_of(std::string_view text, ByteSet set, std::size_t most) {
  std::size_t n = 0;
  while (n < text.size() && n < most && is_in(text[n], set)) ++n;
  return n;
}

bool has(std::string_view text, ByteSet set) {
  return std::any_of(text.begin(), text.end(), [set](char c) { return is_in(c, set); });
}

std::size_t mixtures(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool digit = is_in(text[i], kDigit);
    const bool letter = is_in(text[i], kUpper | kLower);
    n += (digit && is_in(text[i - 1], kUpper | kLower)) || (letter && is_in(text[i - 1], kDigit));
  }
  return n;
}

char Place::before(std::size_t back) const {
  if (back <= at) return text[at - back];
  const std::size_t further = back - at;
  return further <= behind.size() ? behind[behind.size() - further] : '\0';
}

bool Place::starts_word() const {
  const char c = before(1);
  if (!is_in(c, kWord)) return true;
  return is_escape_letter(c) && before(2) == '\\';
}

std::optional<std::size_t> wrapped_piece(std::string_view text, ByteSet set, bool final) {
  constexpr std::size_t kLeastPiece = 4;
  const std::size_t run = run_of(text, set & static_cast<ByteSet>(~kColon), kWindow);
  if (!final && run == text.size() && run < kWindow) return std::nullopt;
  const std::string_view piece = text.substr(0, run);
  const bool is_name = piece.find_first_of("=(") < piece.find_last_not_of("=") + 1 ||
                       (run < text.size() && (text[run] == ':' || text[run] == '('));
  const bool looks_random =
      mixtures(piece) >= 2 || (has(piece, kDigit) && has(piece, kUpper) && has(piece, kLower));
  return run >= kLeastPiece && looks_random && !is_name && !begins_known_token(piece) ? run : 0;
}

namespace {

// As much of a wrapped token as is needed to know it: from the first line and the next. Nothing
// wraps what is shorter than this, and a line that waits here is held back.
std::optional<std::size_t> run_over_line_end(std::string_view rest, std::size_t run, ByteSet set,
                                             bool final) {
  constexpr std::size_t kLeastBefore = 8;
  constexpr std::size_t kMostBetween = 20;
  const std::string_view before = rest.substr(0, run);
  if (run < kLeastBefore || !has(before, kDigit)) return run;
  std::size_t at = run;
  bool next_line = false;
  while (at < rest.size() && at - run < kMostBetween) {
    const bool escaped = rest[at] == '\\' && at + 1 < rest.size();
    const char c = escaped ? rest[at + 1] : rest[at];
    if (c == (escaped ? 'n' : '\n')) {
      next_line = true;
    } else if (c != (escaped ? 'r' : '\r') && c != '\\' && !(next_line && is_in(c, kSpace))) {
      break;
    }
    at += escaped && c != '\\' ? 2 : 1;
  }
  if (!final && at == rest.size()) return std::nullopt;
  if (!next_line) return run;
  const auto piece = wrapped_piece(rest.substr(at), set, final);
  if (!piece) return std::nullopt;
  return *piece == 0 ? run : at + *piece;
}

}  // namespace

Verdict recognise_token(const Place& place, const TokenRule& rule) {
  if (rule.starts_word && !place.starts_word()) return Verdict::no();
  const std::string_view rest = place.rest(rule.prefix.size());
  const std::size_t most = std::max(rule.least + 1, kWindow);
  std::size_t run = run_of(rest, rule.bytes, most);
  if (is_open(place, rest, run, most)) return Verdict::more();
  if (run < rule.least) {
    const auto more = run_over_line_end(rest, run, rule.bytes, place.final);
    if (!more) return Verdict::more();
    run = *more;
  }
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
      if (run < rest.size() && is_in(rest[run], kWord)) return Verdict::no();
      if (run != rule.least && body.find_first_of("\n\\") == std::string_view::npos)
        return Verdict::no();
      break;
  }
  Verdict found{Verdict::Answer::yes, place.at, rule.prefix.size() + run, rule.kind};
  if (rule.proof == TokenRule::Proof::exact) return found;
  found.goes_on = rule.bytes;
  found.wraps = true;
  return found;
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
  Verdict found{Verdict::Answer::yes, place.at, run + kNext.size(), "jwt", kDotted};
  found.wraps = true;
  return found;
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
  const std::size_t run = run_of(token, kBearer, kWindow);
  if (is_open(place, token, run, kWindow)) return Verdict::more();
  if (run < kLeast) return Verdict::no();
  // What has its own kind is found at its own place.
  if (token.starts_with("eyJ") || begins_known_token(token.substr(0, run))) return Verdict::no();
  // Neither authentication/authorization nor SomethingThatIsNamed.
  if (!has(token.substr(0, run), kDigit | kPlus | kTilde)) return Verdict::no();
  Verdict found{Verdict::Answer::yes, place.at + kWordLength + blanks, run, "bearer_token",
                kBearer};
  found.wraps = true;
  return found;
}

}  // namespace dragoman::redact
