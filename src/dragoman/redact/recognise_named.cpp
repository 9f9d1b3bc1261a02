// SPDX-License-Identifier: Apache-2.0
// Secrets that are known by the name they are given to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "dragoman/base/ascii.hpp"
#include "dragoman/redact/recognise.hpp"
#include "dragoman/redact/steps.hpp"
#include "dragoman/redact/values.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kLongestName = 48;
// Where no quotes are, brackets and commas end a value.
constexpr ByteSet kTold = kDigit | kSign | kAt | kPlus;
constexpr ByteSet kPlainValue = kBearer | kColon | kSign | kAt | kPlus | kHigh;

bool is_escape_letter_before(const Place& place, std::size_t back) {
  const char c = place.before(back);
  return (c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f') &&
         place.before(back + 1) == '\\';
}

// What belongs to the name before the place.
std::size_t name_before(const Place& place) {
  std::size_t back = 0;
  while (back < kLongestName && is_in(place.before(back + 1), kDotted) &&
         !is_escape_letter_before(place, back + 1)) {
    ++back;
  }
  return back;
}

std::string name_of(const Place& place, std::size_t back, std::size_t forward) {
  std::string name;
  for (std::size_t i = back; i > 0; --i) name.push_back(place.before(i));
  name.append(place.rest().substr(0, forward));
  return name;
}

// What stands between a name and its value.
struct Link {
  bool colon = false;
  bool equals = false;
  bool element = false;  // <name>value
  bool tight = true;     // no blank, no quote
  bool bare = true;      // no quote
  std::size_t blanks = 0;
};

Link take_link(Steps& steps) {
  Link link;
  if (steps.take_quote()) {
    link.tight = link.bare = false;
    (void)steps.take(']');
  }
  link.blanks = steps.skip(kSpace, 4);
  link.colon = steps.take(':');
  link.equals = steps.take('=');
  if (!link.colon && !link.equals) {
    link.element = link.tight && link.blanks == 0 && steps.take('>');
    return link;
  }
  if (link.equals && (steps.take('=') || steps.take('>'))) link.tight = false;
  const std::size_t behind = steps.skip(kSpace, 4);
  link.tight = link.tight && link.blanks == 0 && behind == 0;
  link.blanks += behind;
  return link;
}

// Most names have none, or a number: this is seen before the name is read. What a header has may
// stand behind the name of a scheme.
bool has_no_value(const Link& link, std::string_view text) {
  const bool linked = link.colon || link.equals || link.element;
  if (!linked && (link.blanks == 0 || !link.bare)) return true;
  const char first = text.empty() ? '\0' : text[0];
  if (first == '"' || first == '\'' || first == '\\') return false;
  const std::size_t run = run_of(text, kValue, kLeastValue);
  const char behind = run < text.size() ? text[run] : '\'';
  return run < kLeastValue && behind != '\'' && behind != '\\' && !(link.colon && behind == ' ');
}

// The quote did not open the value, it closed a string that ends in "NAME=".
bool stands_behind_a_string(std::string_view value) {
  return is_in(value.front(), kSpace | kColon);
}

bool is_white(char c) { return is_in(c, kSpace) || c == '\n' || c == '\r'; }

// "ENV " and "ARG " of a Dockerfile, before the name that ends `back` bytes before the place.
bool stands_behind_env(const Place& place, std::size_t back) {
  const auto stands = [&](std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (place.before(back + 1 + i) != word[word.size() - 1 - i]) return false;
    }
    return !is_in(place.before(back + 1 + word.size()), kWord);
  };
  return stands("ENV ") || stands("ARG ");
}

// "login NAME " of a .netrc, on this line or the one before the place.
bool stands_behind_login(const Place& place) {
  constexpr std::size_t kLongestUser = 32;
  constexpr std::size_t kMostWhite = 4;
  constexpr std::string_view kLogin = "login";
  std::size_t back = 0;
  const auto skip_white = [&] {
    std::size_t n = 0;
    while (n < kMostWhite && is_white(place.before(back + 1))) ++back, ++n;
    return n > 0;
  };
  if (!skip_white()) return false;
  for (std::size_t n = 0; n < kLongestUser && !is_white(place.before(back + 1)); ++n) ++back;
  if (!skip_white()) return false;
  for (std::size_t i = 0; i < kLogin.size(); ++i) {
    if (place.before(back + kLogin.size() - i) != kLogin[i]) return false;
  }
  return true;
}

// How long the name of a scheme and the blanks behind it are: "ApiKey ". 0: there is none, or what
// follows is found at its own place.
std::size_t scheme_in(std::string_view text) {
  constexpr std::size_t kLongestScheme = 16;
  const std::size_t word = run_of(text, kUpper | kLower | kDash, kLongestScheme);
  const std::size_t blanks = run_of(text.substr(word), kSpace, 4);
  const std::string small = ascii::lowered(text.substr(0, word));
  if (small == "bearer" || small == "basic" || word == 0 || blanks == 0) return 0;
  return word + blanks;
}

// "correct horse battery 9", not "At least 8 characters".
bool is_phrase(std::string_view text) {
  constexpr std::array<std::string_view, 6> kSpokenOf = {"pass", "must", "least",
                                                         "char", "your", "digit"};
  const std::string small = ascii::lowered(text);
  return has(text, kDigit) && !is_in(text.front(), kUpper) &&
         std::none_of(kSpokenOf.begin(), kSpokenOf.end(), [&small](std::string_view word) {
           return small.find(word) != std::string::npos;
         });
}

class Named {
 public:
  Named(const Place& place, std::size_t forward, Steps& steps, const Link& link)
      : place_(place), steps_(steps), link_(link), forward_(forward), back_(name_before(place)) {}

  Verdict judge();

 private:
  // How it is named and linked, from which the form of its value follows.
  enum class Manner : std::uint8_t { none, variable, option, header, other };
  [[nodiscard]] Manner manner(std::string_view name) const;
  [[nodiscard]] bool is_linked() const { return link_.colon || link_.equals || link_.element; }
  [[nodiscard]] bool is_given() const;
  [[nodiscard]] bool is_password() const {
    return back_ == 0 && place_.rest().substr(0, forward_) == "password";
  }

  Verdict of_variable(const std::optional<Quote>& quote, ValueForm form);
  Verdict of_quoted(Quote quote);
  Verdict of_plain();
  [[nodiscard]] ValueForm plain_form() const;
  [[nodiscard]] bool is_spoken_of(std::size_t from, std::size_t run);
  Verdict decide(std::size_t begin, std::size_t run, ByteSet goes_on, ValueForm form) const;
  [[nodiscard]] std::string_view value(std::size_t begin, std::size_t run) const {
    return place_.rest().substr(begin, run);
  }
  [[nodiscard]] std::size_t begin() const { return forward_ + steps_.at(); }

  const Place& place_;
  Steps& steps_;
  const Link& link_;
  std::size_t forward_;
  std::size_t back_;
  NameSays says_ = NameSays::nothing;
  bool is_option_ = false;
  Manner manner_ = Manner::other;
};

Verdict Named::decide(std::size_t begin, std::size_t run, ByteSet goes_on, ValueForm form) const {
  if (!is_secret_value(value(begin, run), says_, form)) return Verdict::no();
  Verdict found{Verdict::Answer::yes, place_.at + begin, run,
                says_ == NameSays::aws ? "aws_secret" : "secret", goes_on};
  found.wraps = looks_like_key(value(begin, run));
  return found;
}

// NAME=value as in an environment: whatever the value is, and in quotes up to the one that closes.
Verdict Named::of_variable(const std::optional<Quote>& quote, ValueForm form) {
  const std::size_t from = begin();
  const auto closed = quote ? steps_.until_closing(*quote) : std::nullopt;
  const std::size_t run = closed ? *closed : steps_.skip_value(kWindow);
  if (steps_.ran_out()) return Verdict::more();
  const std::string_view text = value(from, run);
  if (text.empty() || text.starts_with('=')) return Verdict::no();  // a comparison
  if (quote && stands_behind_a_string(text)) return Verdict::no();
  return decide(from, run, closed ? ByteSet{0} : kValue, form);
}

Verdict Named::of_quoted(Quote quote) {
  std::size_t from = begin();
  const auto closed = steps_.until_closing(quote);
  if (steps_.ran_out()) return Verdict::more();
  if (closed && *closed > 0) {
    const std::size_t scheme = manner_ == Manner::header ? scheme_in(value(from, *closed)) : 0;
    const std::string_view text = value(from + scheme, *closed - scheme);
    if (text.empty() || (!link_.colon && stands_behind_a_string(text))) return Verdict::no();
    if (has(text, kSpace) && (says_ != NameSays::password || !is_phrase(text)))
      return Verdict::no();
    return decide(from + scheme, text.size(), 0, ValueForm::quoted);
  }
  const std::size_t run = steps_.skip_value(kWindow);
  if (steps_.ran_out()) return Verdict::more();
  const std::string_view text = value(from, run);
  if (text.empty()) return Verdict::no();
  if (!link_.colon && stands_behind_a_string(text)) return Verdict::no();
  // Not closed where the line ends: longer than is looked at, or wrapped by a terminal.
  const bool wrapped = run < kWindow && steps_.at_line_end();
  if (steps_.ran_out()) return Verdict::more();
  if (run < kWindow && !(wrapped && looks_like_key(text))) return Verdict::no();
  return decide(from, run, kValue, ValueForm::quoted);
}

ValueForm Named::plain_form() const {
  if (manner_ == Manner::option) return ValueForm::option;
  const char before = place_.before(back_ + 1);
  const bool argument = before == '?' || before == '&' || before == '=';  // --from-literal=token=…
  if (link_.equals && link_.tight && argument) return ValueForm::option;
  return link_.equals || link_.element ? ValueForm::assigned : ValueForm::told;
}

// "password: wrong for this user", but not "password: hunter22  # of the staging server".
bool Named::is_spoken_of(std::size_t from, std::size_t run) {
  if (looks_like_key(value(from, run)) || steps_.skip(kSpace, 8) == 0) return false;
  return !steps_.take('#');
}

Verdict Named::of_plain() {
  if (manner_ == Manner::header) {
    const std::size_t scheme = scheme_in(place_.rest(begin()));
    if (begin() + scheme >= place_.rest().size() && !place_.final) return Verdict::more();
    (void)steps_.skip(kUpper | kLower | kDash | kSpace, scheme);
  }
  const std::size_t from = begin();
  const std::size_t run = steps_.skip_value(kWindow, kPlainValue);
  if (steps_.ran_out()) return Verdict::more();
  // Of a long one it does not matter what stands behind it.
  const std::string_view behind = run < kWindow ? place_.rest(from + run) : std::string_view();
  if (!behind.empty() && std::string_view("([{").find(behind.front()) != std::string_view::npos)
    return Verdict::no();  // a call
  const std::string_view text = value(from, run);
  const ValueForm form = plain_form();
  if (link_.element && (place_.before(back_ + 1) != '<' || !behind.starts_with('<')))
    return Verdict::no();
  // Behind a blank it may be the next word of a text about the option.
  if (form == ValueForm::option && !link_.equals && !has(text, kTold)) return Verdict::no();
  const bool spoken = form == ValueForm::told && !behind.empty() && is_spoken_of(from, run);
  if (steps_.ran_out()) return Verdict::more();
  if (spoken) return Verdict::no();
  return decide(from, run, kPlainValue, form);
}

// --name value, ENV NAME value, login NAME password value: linked by a blank.
bool Named::is_given() const {
  return link_.blanks > 0 && link_.bare &&
         (is_option_ || stands_behind_env(place_, back_) ||
          (is_password() && stands_behind_login(place_)));
}

Named::Manner Named::manner(std::string_view name) const {
  constexpr std::string_view kHeader = "authorization";
  const bool capitals = std::none_of(name.begin(), name.end(),
                                     [](char c) { return is_in(c, kLower | kDash | kDot); });
  if (!is_linked()) {
    if (is_option_) return Manner::option;
    const bool given =
        capitals ? stands_behind_env(place_, back_) : is_password() && stands_behind_login(place_);
    return given ? Manner::variable : Manner::none;
  }
  if (capitals && link_.equals && !link_.colon && link_.tight) return Manner::variable;
  if (is_option_ && link_.equals && link_.tight) return Manner::option;
  const bool header = link_.colon && name.size() >= kHeader.size() &&
                      ascii::lowered(name.substr(name.size() - kHeader.size())) == kHeader;
  return header ? Manner::header : Manner::other;
}

Verdict Named::judge() {
  is_option_ = back_ > 1 && place_.before(back_) == '-' && place_.before(back_ - 1) == '-';
  if (!is_linked() && !is_given()) return Verdict::no();
  const std::string name = name_of(place_, back_, forward_);
  manner_ = manner(name);
  if (manner_ == Manner::none) return Verdict::no();
  says_ = what_name_says(name);
  if (says_ == NameSays::nothing) return Verdict::no();
  if (name == "PASS" && link_.colon) return Verdict::no();  // as tests report it
  const auto quote = steps_.take_quote();
  if (steps_.ran_out()) return Verdict::more();
  if (manner_ == Manner::variable) return of_variable(quote, ValueForm::variable);
  if (manner_ == Manner::option && quote) return of_variable(quote, ValueForm::option);
  return quote ? of_quoted(*quote) : of_plain();
}

}  // namespace

Verdict recognise_named(const Place& place) {
  const std::string_view rest = place.rest();
  const std::size_t forward = run_of(rest, kDotted, kLongestName);
  if (forward == kLongestName) return Verdict::no();
  if (forward == rest.size()) return place.final ? Verdict::no() : Verdict::more();
  // What stands between most names and what follows is none of these.
  if (std::string_view("=: \t\"'\\>").find(rest[forward]) == std::string_view::npos)
    return Verdict::no();
  Steps steps(rest.substr(forward), place.final);
  const Link link = take_link(steps);
  if (steps.ran_out()) return Verdict::more();
  if (has_no_value(link, rest.substr(forward + steps.at()))) return Verdict::no();
  return Named(place, forward, steps, link).judge();
}

bool begins_known_token(std::string_view value) {
  if (value.starts_with("eyJ") || value.starts_with("-----BEGIN")) return true;
  return std::any_of(token_rules().begin(), token_rules().end(), [&](const TokenRule& rule) {
    return value.starts_with(rule.prefix) && value.size() >= rule.prefix.size() + rule.least;
  });
}

}  // namespace dragoman::redact
