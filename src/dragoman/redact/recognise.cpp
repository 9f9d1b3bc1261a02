// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/recognise.hpp"

#include <algorithm>
#include <string>

#include "dragoman/redact/steps.hpp"

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

bool is_escape_letter(char c) {
  return std::string_view("ntrbf").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::size_t> value_step(std::string_view text, ByteSet set, bool final) {
  if (text.empty()) return final ? std::optional<std::size_t>(0) : std::nullopt;
  if (is_in(text[0], set)) return 1;
  const bool chosen = (set & kHigh) != 0;
  const bool apostrophe = text[0] == '\'' && chosen;
  std::size_t at = apostrophe ? 1 : 0;
  while (!apostrophe && at < kMostSlashes && at < text.size() && text[at] == '\\') ++at;
  if (at == 0) return 0;
  if (at == text.size()) return final ? std::optional<std::size_t>(0) : std::nullopt;
  const char c = text[at];
  if (apostrophe) return is_in(c, kWord | kHigh) ? 2 : 0;
  const bool goes_on =
      c == '/' ? is_in(c, set) : chosen && is_in(c, set) && !is_escape_letter(c) && c != 'u';
  return goes_on ? at + 1 : 0;
}

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
  const std::size_t run = run_of(text, set & kBearer, kWindow);
  if (!final && run == text.size() && run < kWindow) return std::nullopt;
  const std::string_view piece = text.substr(0, run);
  const bool is_name = piece.find_first_of("=(") < piece.find_last_not_of('=') + 1 ||
                       (run < text.size() && (text[run] == ':' || text[run] == '('));
  const bool looks_random =
      mixtures(piece) >= 2 || (has(piece, kDigit) && has(piece, kUpper) && has(piece, kLower));
  return run >= kLeastPiece && looks_random && !is_name && !begins_known_token(piece) ? run : 0;
}

namespace {

// Where the line ends at the beginning of a text, and how long that is in any spelling, with the
// indent of the next line. 0: it goes on; absent: more must come.
std::optional<std::size_t> line_end_in(std::string_view text, bool final) {
  constexpr std::size_t kMost = 20;
  std::size_t at = 0;
  bool next_line = false;
  while (at < text.size() && at < kMost) {
    const bool escaped = text[at] == '\\' && at + 1 < text.size();
    const char c = escaped ? text[at + 1] : text[at];
    if (c == (escaped ? 'n' : '\n')) {
      next_line = true;
    } else if (c != (escaped ? 'r' : '\r') && c != '\\' && !(next_line && is_in(c, kSpace))) {
      break;
    }
    at += escaped && c != '\\' ? 2 : 1;
  }
  if (!final && at == text.size()) return std::nullopt;
  return next_line ? at : 0;
}

bool may_end_line(char c) { return c == '\n' || c == '\r' || c == '\\'; }

// Nothing wraps what is shorter than this, and a line that waits here is held back.
constexpr std::size_t kLeastBefore = 8;

// As much of a wrapped token as is needed to know it: from the first line and the next.
std::optional<std::size_t> run_over_line_end(std::string_view rest, std::size_t run, ByteSet set,
                                             bool final) {
  if (run < kLeastBefore || !has(rest.substr(0, run), kDigit)) return run;
  const auto between = line_end_in(rest.substr(run), final);
  if (!between) return std::nullopt;
  if (*between == 0) return run;
  const std::size_t at = run + *between;
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
Verdict recognise_wrapped(const Place& place, Recognise* one, std::size_t opening, ByteSet set) {
  constexpr std::size_t kLongestLine = 512;
  constexpr std::size_t kNextLine = 192;  // so much of it decides
  const Verdict in_line = one(place);
  if (in_line.answer != Verdict::Answer::no) return in_line;
  const std::string_view rest = place.rest();
  const std::size_t cut = opening + run_of(place.rest(opening), set, kLongestLine);
  if (cut < opening + kLeastBefore || cut >= rest.size() || !may_end_line(rest[cut]) ||
      mixtures(rest.substr(opening, cut - opening)) < 2) {
    return Verdict::no();
  }
  const auto between = line_end_in(rest.substr(cut), place.final);
  if (!between) return Verdict::more();
  if (*between == 0) return Verdict::no();
  const std::string_view next = rest.substr(cut + *between);
  const auto piece = wrapped_piece(next, set, place.final);
  if (!piece) return Verdict::more();
  if (*piece == 0) return Verdict::no();
  std::string before;
  for (std::size_t back = kBehind; back > 0; --back) before.push_back(place.before(back));
  std::string joined(rest.substr(0, cut));
  joined += next.substr(0, kNextLine);
  Verdict found = one({joined, 0, before, place.final || next.size() >= kNextLine});
  if (found.answer != Verdict::Answer::yes) return found;
  if (found.begin + found.length > cut) found.length += *between;
  found.begin += place.at;
  return found;
}

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
