// SPDX-License-Identifier: Apache-2.0
// Credentials in addresses and headers, and the tokens of bots, which begin with nothing special.
#include <algorithm>

#include "dragoman/base/base64.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/redact/recognise.hpp"

namespace dragoman::redact {
namespace {

// host:8080?mail=somebody@example.org: no password but a port, and a query behind it.
bool is_port_and_query(std::string_view behind_colon) {
  const std::size_t port = run_of(behind_colon, kDigit, behind_colon.size());
  const std::string_view query = behind_colon.substr(port);
  return port > 0 && query.starts_with('?') && query.find('=') != std::string_view::npos;
}

// https://TOKEN@host: more than the name of somebody.
bool is_token(std::string_view user) {
  constexpr std::size_t kLeast = 16;
  return user.size() >= kLeast && mixtures(user) >= 3 && !begins_known_token(user);
}

bool is_user_and_password(std::string_view text) {
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
  });
  return !control && text.find(':') != std::string_view::npos &&
         utf8::valid(text.substr(0, text.size() - utf8::incomplete_tail(text)));
}

}  // namespace

bool is_basic_credentials(std::string_view text) {
  const std::size_t run = run_of(text, kAlnum | kBase64, text.size());
  const auto read = from_base64(text.substr(0, run - run % 4));
  return run == text.size() && read && is_user_and_password(*read);
}

// scheme://user:password@host, with the slashes escaped or not. A password may have an @ too: the
// last one before the host counts.
Verdict recognise_url(const Place& place) {
  constexpr std::size_t kLongest = 512;
  if (!is_in(place.before(1), kAlnum)) return Verdict::no();
  const bool escaped = place.rest().starts_with(":\\/");
  const std::size_t opening = escaped ? 5 : 3;
  const std::string_view rest = place.rest(opening);
  std::size_t run = run_of(rest, kUserInfo, kLongest);
  if (!place.final && run == rest.size() && run < kLongest) return Verdict::more();
  if (run == rest.size() || rest[run] != '@') return Verdict::no();
  const std::string_view first = rest.substr(0, run);
  const std::size_t colon = first.find(':');
  if (colon == std::string_view::npos ? !is_token(first) : colon + 1 == run) return Verdict::no();
  if (colon != std::string_view::npos && is_port_and_query(first.substr(colon + 1)))
    return Verdict::no();
  for (std::size_t more = run; more < kLongest;) {
    more += 1 + run_of(rest.substr(more + 1), kDotted | kSign | kHigh, kLongest);
    if (!place.final && more >= rest.size() && more < kLongest) return Verdict::more();
    if (more >= rest.size() || rest[more] != '@') break;
    run = more;
  }
  return {Verdict::Answer::yes, place.at + opening, run, "url_credentials"};
}

// "Basic " and user:password in base64.
Verdict recognise_basic(const Place& place) {
  constexpr std::size_t kWordLength = 5;
  constexpr std::size_t kMostBlanks = 4;
  constexpr std::size_t kLeast = 8;
  if (!place.starts_word()) return Verdict::no();
  const std::string_view rest = place.rest(kWordLength);
  const std::size_t blanks = run_of(rest, kSpace, kMostBlanks);
  if (!place.final && blanks == rest.size()) return Verdict::more();
  if (blanks == 0) return Verdict::no();
  const std::string_view value = rest.substr(blanks);
  const std::size_t run = run_of(value, kAlnum | kBase64, kWindow);
  if (!place.final && run == value.size() && run < kWindow) return Verdict::more();
  if (run < kLeast || !is_basic_credentials(value.substr(0, run))) return Verdict::no();
  Verdict found{Verdict::Answer::yes, place.at + kWordLength + blanks, run, "basic_credentials",
                kAlnum | kBase64};
  found.wraps = true;
  return found;
}

// ?sig=…, what opens a blob of Azure.
Verdict recognise_signature(const Place& place) {
  constexpr std::size_t kWordLength = 5;
  constexpr std::size_t kLeast = 20;
  const std::string_view rest = place.rest(kWordLength);
  const std::size_t run = run_of(rest, kUrlSafe | kBase64 | kSign, kWindow);
  if (!place.final && run == rest.size() && run < kWindow) return Verdict::more();
  if (run < kLeast) return Verdict::no();
  return {Verdict::Answer::yes, place.at + kWordLength, run, "signature",
          kUrlSafe | kBase64 | kSign};
}

// 123456789:AA and 33 more: the number is the bot's name, the rest its key.
Verdict recognise_telegram(const Place& place) {
  constexpr std::size_t kLeast = 35;
  constexpr std::size_t kLeastDigits = 8;
  constexpr std::size_t kMostDigits = 10;
  std::size_t digits = 0;
  while (digits <= kMostDigits && is_in(place.before(digits + 1), kDigit)) ++digits;
  if (digits < kLeastDigits || digits > kMostDigits) return Verdict::no();
  const std::string_view rest = place.rest(1);
  const std::size_t run = run_of(rest, kUrlSafe, kWindow);
  if (!place.final && run == rest.size() && run < kWindow) return Verdict::more();
  if (run < kLeast || run > kLeast + 1) return Verdict::no();
  return {Verdict::Answer::yes, place.at + 1, run, "telegram_token"};
}

// The address of a bot's API: the number may be followed by any key.
Verdict recognise_bot(const Place& place) {
  constexpr std::size_t kWordLength = 4;
  constexpr std::size_t kMostDigits = 10;
  const std::string_view rest = place.rest(kWordLength);
  const std::size_t digits = run_of(rest, kDigit, kMostDigits);
  if (!place.final && digits == rest.size()) return Verdict::more();
  if (!rest.substr(digits).starts_with(':')) return Verdict::no();
  return recognise_telegram(
      {place.text, place.at + kWordLength + digits, place.behind, place.final});
}

// The number of an account in base64, a time and a code: 24 to 28 . 6 or 7 . 27 to 40.
Verdict recognise_discord(const Place& place) {
  if (is_in(place.before(1), kUrlSafe | kBase64 | kDot) && !place.starts_word())
    return Verdict::no();
  struct Part {
    std::size_t least;
    std::size_t most;
  };
  constexpr Part kParts[] = {{24, 28}, {6, 7}, {27, 40}};
  std::size_t at = 0;
  for (const Part& part : kParts) {
    if (at > 0) {
      if (at == place.rest().size()) return place.final ? Verdict::no() : Verdict::more();
      if (place.rest()[at++] != '.') return Verdict::no();
    }
    const std::string_view rest = place.rest(at);
    const std::size_t run = run_of(rest, kUrlSafe, part.most + 1);
    if (!place.final && run == rest.size() && run <= part.most) return Verdict::more();
    if (run < part.least || run > part.most) return Verdict::no();
    at += run;
  }
  return {Verdict::Answer::yes, place.at, at, "discord_token"};
}

}  // namespace dragoman::redact
