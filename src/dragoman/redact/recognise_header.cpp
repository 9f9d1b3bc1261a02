// SPDX-License-Identifier: Apache-2.0
// Credentials as command lines and headers of HTTP have them: -u user:password, Cookie.
#include <algorithm>

#include "dragoman/redact/recognise.hpp"
#include "dragoman/redact/steps.hpp"
#include "dragoman/redact/values.hpp"

namespace dragoman::redact {
namespace {

// Neither host:/directory nor 1000:1000.
bool is_password_of_user(std::string_view value) {
  constexpr std::size_t kLeast = 6;
  constexpr ByteSet kTold = kDigit | kSign | kAt | kPlus | kHigh;
  const bool path = value.find('/') < value.find_first_of("=+");
  return value.size() >= kLeast && !path && !is_placeholder(value) && has(value, kTold) &&
         has(value, kUpper | kLower | kHigh);
}

}  // namespace

// -u and --user of curl, whose other options may stand between.
Verdict recognise_user(const Place& place) {
  constexpr std::size_t kLongestUser = 64;
  if (!is_in(place.before(1), kSpace) && place.before(1) != '\n' && place.before(1) != '\0')
    return Verdict::no();
  const std::size_t word = place.rest().starts_with("--") ? 6 : 2;
  Steps steps(place.rest(word), place.final);
  const bool apart = steps.take('=') || steps.skip(kSpace, 4) > 0;
  const auto quote = steps.take_quote();
  if (steps.ran_out()) return Verdict::more();
  if (!apart && !quote) return Verdict::no();
  (void)steps.skip(kDotted | kAt, kLongestUser);
  const bool told = steps.take(':');
  if (steps.ran_out()) return Verdict::more();
  if (!told) return Verdict::no();
  const std::size_t from = steps.at();
  const auto closed = quote ? steps.until_closing(*quote) : std::nullopt;
  const std::size_t run = closed ? *closed : steps.skip_value(kWindow);
  if (steps.ran_out()) return Verdict::more();
  if (!is_password_of_user(place.rest(word + from).substr(0, run))) return Verdict::no();
  return {Verdict::Answer::yes, place.at + word + from, run, "basic_credentials",
          closed ? ByteSet{0} : kValue};
}

// From the first value that looks like a key to the end of the header: its cookies do not say which
// of them opens something.
Verdict recognise_cookie(const Place& place) {
  constexpr std::size_t kWordLength = 3;
  constexpr std::size_t kMostPairs = 16;
  constexpr std::size_t kLongestName = 64;
  constexpr ByteSet kCookie = kBearer | kSign;
  const char first = place.before(3);
  if ((first != 'c' && first != 'C') || place.before(2) != 'o' || place.before(1) != 'o')
    return Verdict::no();
  Steps steps(place.rest(kWordLength), place.final);
  (void)steps.take_quote();
  (void)steps.skip(kSpace, 4);
  const bool told = steps.take(':');
  (void)steps.skip(kSpace, 4);
  (void)steps.take('[');
  (void)steps.take_quote();
  if (steps.ran_out()) return Verdict::more();
  for (std::size_t pairs = 0; told && pairs < kMostPairs; ++pairs) {
    (void)steps.skip(kDotted, kLongestName);
    const bool named = steps.take('=');
    const std::size_t from = steps.at();
    const std::size_t run = named ? steps.skip(kCookie, kWindow) : 0;
    if (steps.ran_out()) return Verdict::more();
    if (looks_like_key(place.rest(kWordLength + from).substr(0, run))) {
      return {Verdict::Answer::yes, place.at + kWordLength + from, run, "cookie",
              kCookie | kColon | kSpace | kBracket};
    }
    (void)steps.skip(kCookie, Steps::kLongestQuoted);
    const bool more = steps.take(';');
    (void)steps.skip(kSpace, 4);
    if (steps.ran_out()) return Verdict::more();
    if (!more) break;
  }
  return Verdict::no();
}

}  // namespace dragoman::redact
