// SPDX-License-Identifier: Apache-2.0
// Secrets that are known by the name they are given to.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "dragoman/redact/recognise.hpp"
#include "dragoman/redact/steps.hpp"
#include "dragoman/redact/values.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kLongestName = 48;
// Where no quotes are, brackets and commas end a value.
constexpr ByteSet kPlainValue = kBearer | kColon | kSign | kAt | kPlus;

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
  std::size_t blanks = 0;
};

Link take_link(Steps& steps) {
  Link link;
  if (steps.take_quote()) {
    link.tight = false;
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

// The quote did not open the value, it closed a string that ends in "NAME=".
bool stands_behind_a_string(std::string_view value) {
  return is_in(value.front(), kSpace | kColon);
}

class Named {
 public:
  Named(const Place& place, std::size_t forward, Steps& steps, const Link& link)
      : place_(place), steps_(steps), link_(link), forward_(forward), back_(name_before(place)) {}

  Verdict judge();

 private:
  Verdict of_variable(const std::optional<Quote>& quote);
  Verdict of_quoted();
  Verdict of_plain();
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
};

Verdict Named::decide(std::size_t begin, std::size_t run, ByteSet goes_on, ValueForm form) const {
  if (!is_secret_value(value(begin, run), says_, form)) return Verdict::no();
  return {Verdict::Answer::yes, place_.at + begin, run,
          says_ == NameSays::aws ? "aws_secret" : "secret", goes_on};
}

// NAME=value as in an environment: whatever the value is, and in quotes up to the one that closes.
Verdict Named::of_variable(const std::optional<Quote>& quote) {
  const std::size_t from = begin();
  const auto closed = quote ? steps_.until_closing(*quote) : std::nullopt;
  const std::size_t run = closed ? *closed : steps_.skip_value(kWindow);
  if (steps_.ran_out()) return Verdict::more();
  const std::string_view text = value(from, run);
  if (text.empty() || text.starts_with('=')) return Verdict::no();  // a comparison
  if (quote && stands_behind_a_string(text)) return Verdict::no();
  return decide(from, run, closed ? ByteSet{0} : kValue, ValueForm::variable);
}

Verdict Named::of_quoted() {
  const std::size_t from = begin();
  const std::size_t run = steps_.skip_value(kWindow);
  const bool closed = run >= kWindow || steps_.at_quote();
  if (steps_.ran_out()) return Verdict::more();
  const std::string_view text = value(from, run);
  if (text.empty() || !closed) return Verdict::no();
  if (!link_.colon && stands_behind_a_string(text)) return Verdict::no();
  return decide(from, run, kValue, ValueForm::quoted);
}

Verdict Named::of_plain() {
  const std::size_t from = begin();
  const std::size_t run = steps_.skip_value(kWindow, kPlainValue);
  if (steps_.ran_out()) return Verdict::more();
  // Of a long one it does not matter what stands behind it.
  const std::string_view behind = run < kWindow ? place_.rest(from + run) : std::string_view();
  if (!behind.empty() && std::string_view("([{").find(behind.front()) != std::string_view::npos)
    return Verdict::no();  // a call
  const std::string_view text = value(from, run);
  const char before = place_.before(back_ + 1);
  ValueForm form = link_.equals ? ValueForm::assigned : ValueForm::told;
  if (link_.equals && link_.tight && (is_option_ || before == '?' || before == '&'))
    form = ValueForm::option;
  if (link_.element) {
    if (before != '<' || !behind.starts_with('<')) return Verdict::no();
    form = ValueForm::assigned;
  }
  // Somebody may only be speaking of it.
  const bool goes_on = !behind.empty() && is_in(behind.front(), kSpace);
  if (form == ValueForm::told && goes_on && !looks_like_key(text)) return Verdict::no();
  return decide(from, run, kPlainValue, form);
}

Verdict Named::judge() {
  is_option_ = back_ > 1 && place_.before(back_) == '-' && place_.before(back_ - 1) == '-';
  if (!link_.colon && !link_.equals && !link_.element && !(is_option_ && link_.blanks > 0))
    return Verdict::no();
  const std::string name = name_of(place_, back_, forward_);
  says_ = what_name_says(name);
  if (says_ == NameSays::nothing) return Verdict::no();
  if (name == "PASS" && link_.colon) return Verdict::no();  // as tests report it
  const auto quote = steps_.take_quote();
  if (steps_.ran_out()) return Verdict::more();
  const bool capitals = std::none_of(name.begin(), name.end(),
                                     [](char c) { return is_in(c, kLower | kDash | kDot); });
  if (capitals && link_.equals && !link_.colon && link_.tight) return of_variable(quote);
  return quote ? of_quoted() : of_plain();
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
  return Named(place, forward, steps, link).judge();
}

bool begins_known_token(std::string_view value) {
  if (value.starts_with("eyJ") || value.starts_with("-----BEGIN")) return true;
  return std::any_of(token_rules().begin(), token_rules().end(), [&](const TokenRule& rule) {
    return value.starts_with(rule.prefix) && value.size() >= rule.prefix.size() + rule.least;
  });
}

}  // namespace dragoman::redact
