// SPDX-License-Identifier: Apache-2.0
// Secrets that are known by the name they are given to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "dragoman/redact/recognise.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kLeastValue = 8;
constexpr std::size_t kLongestName = 48;
constexpr std::size_t kLongestQuoted = 512;  // that far a closing quote is looked for

// As it was opened: what closes it has as many backslashes.
struct Quote {
  char mark = '\0';
  std::size_t slashes = 0;
};

// Reads on from a place and notices when there is nothing more to read.
class Steps {
 public:
  Steps(std::string_view text, bool final) : text_(text), final_(final) {}

  std::size_t skip(ByteSet set, std::size_t most) {
    std::size_t n = 0;
    while (n < most && at_ < text_.size() && is_in(text_[at_], set)) {
      ++at_;
      ++n;
    }
    if (n < most) need_one();
    return n;
  }
  // The bytes of a value, where an encoder may have written "\\/" for a slash.
  std::size_t skip_value(std::size_t most) {
    const std::size_t from = at_;
    while (at_ - from < most && at_ < text_.size()) {
      if (is_in(text_[at_], kValue)) {
        ++at_;
      } else if (text_.substr(at_).starts_with("\\/")) {
        at_ += 2;
      } else {
        break;
      }
    }
    const bool half_escape = at_ + 1 == text_.size() && text_[at_] == '\\';
    if (at_ - from < most && half_escape && !final_) ran_out_ = true;
    if (at_ - from < most) need_one();
    return at_ - from;
  }
  bool take(char wanted) {
    need_one();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  // " or ', behind any number of backslashes.
  std::optional<Quote> take_quote() {
    const std::size_t from = at_;
    for (std::size_t n = 0; n < 4 && take('\\'); ++n) {
    }
    const std::size_t slashes = at_ - from;
    if (take('"') || take('\'')) return Quote{text_[at_ - 1], slashes};
    at_ = from;
    return std::nullopt;
  }
  [[nodiscard]] bool at_quote() {
    const std::size_t from = at_;
    const bool found = take_quote().has_value();
    at_ = from;
    return found;
  }
  // How much stands before the quote that closes this one. Absent when the line ends first, or the
  // string that all of it stands in. Each string around a quote doubles its backslashes and adds
  // one: with 2n + 1 of them in the place of n, it belongs to the value.
  std::optional<std::size_t> until_closing(Quote open) {
    std::size_t slashes = 0;
    for (std::size_t n = 0; n < kLongestQuoted; ++n) {
      if (at_ + n >= text_.size()) {
        if (!final_) ran_out_ = true;
        return std::nullopt;
      }
      const char c = text_[at_ + n];
      if (c == '\n' || c == '\r') return std::nullopt;
      const std::size_t before = std::exchange(slashes, c == '\\' ? slashes + 1 : 0);
      if (c == open.mark) {
        const std::size_t level = open.slashes + 1;
        if (before % level != open.slashes) return std::nullopt;
        if (before % (2 * level) == open.slashes) return n - open.slashes;
      } else if (c == '"' && before % 2 == 0) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  // An answer so far may be another one with more text.
  [[nodiscard]] bool ran_out() const { return ran_out_; }

 private:
  void need_one() {
    if (at_ >= text_.size() && !final_) ran_out_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool final_;
  bool ran_out_ = false;
};

bool all_in(std::string_view text, ByteSet set) {
  return std::all_of(text.begin(), text.end(), [set](char c) { return is_in(c, set); });
}

// Such a value has its own kind and is found at its own place.
bool begins_known_token(std::string_view value) {
  if (value.starts_with("eyJ") || value.starts_with("-----BEGIN")) return true;
  return std::any_of(token_rules().begin(), token_rules().end(), [&](const TokenRule& rule) {
    return value.starts_with(rule.prefix) && value.size() >= rule.prefix.size() + rule.least;
  });
}

bool is_same_letter(char c, char small) {
  return c == small || (is_in(c, kUpper) && static_cast<char>(c | 0x20) == small);
}

}  // namespace

namespace {

// $NAME, $name, ${…}, $(…), %(…), {…}, <…>: where a value is to be put, or a list, or none at all.
bool is_placeholder(std::string_view value) {
  if (is_in(value.front(), kBracket)) return true;
  if (value.starts_with("${") || value.starts_with("$(") || value.starts_with("%(")) return true;
  if (!value.starts_with('$')) return false;
  value.remove_prefix(1);
  const auto end =
      std::find_if_not(value.begin(), value.end(), [](char c) { return is_in(c, kWord); });
  if (end != value.end() && !is_in(*end, kBracket)) return false;
  const auto name = value.substr(0, static_cast<std::size_t>(end - value.begin()));
  return all_in(name, kUpper | kDigit | kUnderscore) || all_in(name, kLower | kUnderscore);
}

// 16000000, perhaps with more behind a comma.
bool is_number(std::string_view value) {
  const auto end =
      std::find_if_not(value.begin(), value.end(), [](char c) { return is_in(c, kDigit); });
  return end == value.end() || (end != value.begin() && is_in(*end, kBracket));
}

// The quote did not open the value, it closed a string that ends in "NAME=".
bool stands_behind_a_string(std::string_view value) {
  return is_in(value.front(), kSpace | kColon);
}

}  // namespace

// NAME=value as in an environment, where the name says that it is secret.
Verdict recognise_assigned(const Place& place) {
  Steps steps(place.rest(), place.final);
  const std::size_t name = steps.skip(kUpper | kDigit | kUnderscore, kLongestName);
  const bool plural = name > 0 && place.rest()[name - 1] == 'S';
  const bool assigned = steps.take('=');
  if (steps.ran_out()) return Verdict::more();
  if (!assigned) return Verdict::no();
  const auto quote = steps.take_quote();
  if (steps.ran_out()) return Verdict::more();
  const std::size_t begin = steps.at();
  const auto closed = quote ? steps.until_closing(*quote) : std::nullopt;
  const std::size_t run = closed ? *closed : steps.skip_value(kWindow);
  if (steps.ran_out()) return Verdict::more();
  const std::string_view value = place.rest().substr(begin, run);
  if (run < kLeastValue || begins_known_token(value) || is_placeholder(value)) return Verdict::no();
  if (value.starts_with('=')) return Verdict::no();  // a comparison
  if (quote && stands_behind_a_string(value)) return Verdict::no();
  if (plural && is_number(value)) return Verdict::no();  // MAX_TOKENS=16000000
  const ByteSet goes_on = closed ? ByteSet{0} : kValue;
  return {Verdict::Answer::yes, place.at + begin, run, "secret", goes_on};
}

namespace {

// "api_key": "…", password = '…', also with the quotes escaped. Which value is taken for a secret
// depends on how clearly the name says so.
struct NamedSecret {
  std::string_view name;  // in lower case
  bool wants_digit;       // the name is an ordinary word too
};
constexpr std::array<NamedSecret, 12> kNames = {{
    {"api_key", false},
    {"apikey", false},
    {"api-key", false},
    {"api_secret", false},
    {"apisecret", false},
    {"password", false},
    {"passwd", false},
    {"passphrase", true},
    {"secretaccesskey", false},
    {"secret_access_key", false},
    {"secret", true},
    {"token", true},
}};

Verdict value_of(const Place& place, const NamedSecret& named) {
  Steps steps(place.rest(named.name.size()), place.final);
  (void)steps.take_quote();
  (void)steps.skip(kSpace, 4);
  const bool named_by_colon = steps.take(':');
  const bool assigned = named_by_colon || steps.take('=');
  if (steps.ran_out()) return Verdict::more();
  if (!assigned) return Verdict::no();
  (void)(steps.take('=') || steps.take('>'));
  (void)steps.skip(kSpace, 4);
  const bool quoted = steps.take_quote().has_value();
  const bool is_aws = named.name.starts_with("secret") && named.name.size() > 6;
  if (steps.ran_out()) return Verdict::more();
  if (!quoted && !is_aws) return Verdict::no();
  const std::size_t begin = named.name.size() + steps.at();
  const std::size_t run = steps.skip_value(kWindow);
  const bool closed = run >= kWindow || !quoted || steps.at_quote();
  if (steps.ran_out()) return Verdict::more();
  const std::string_view value = place.rest().substr(begin, run);
  if (run < kLeastValue || !closed || begins_known_token(value)) return Verdict::no();
  if (is_placeholder(value)) return Verdict::no();
  if (quoted && !named_by_colon && stands_behind_a_string(value)) return Verdict::no();
  const bool has_digit =
      std::any_of(value.begin(), value.end(), [](char c) { return is_in(c, kDigit); });
  if ((named.wants_digit || is_aws) && !has_digit) return Verdict::no();
  if (is_aws && run < 16) return Verdict::no();
  return {Verdict::Answer::yes, place.at + begin, run, is_aws ? "aws_secret" : "secret", kValue};
}

}  // namespace

Verdict recognise_quoted(const Place& place) {
  const std::string_view text = place.rest();
  for (const NamedSecret& named : kNames) {
    const std::size_t seen = std::min(text.size(), named.name.size());
    if (!std::equal(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(seen),
                    named.name.begin(), is_same_letter)) {
      continue;
    }
    if (seen < named.name.size()) {
      if (!place.final) return Verdict::more();
      continue;
    }
    const Verdict verdict = value_of(place, named);
    if (verdict.answer != Verdict::Answer::no) return verdict;
  }
  return Verdict::no();
}

}  // namespace dragoman::redact
