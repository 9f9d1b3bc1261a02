// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/rules.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"

namespace dragoman::redact {
namespace {

constexpr std::string_view kEnvironment = "environment";
constexpr std::string_view kAnswer = "answer";
constexpr std::size_t kShortestSecret = 8;
constexpr std::size_t kLongestSecret = 4096;
constexpr std::size_t kMostSecrets = 256;

using ascii::lower;
using ascii::upper;

enum class Slashes : std::uint8_t { plain, escaped };

std::string json_escaped(std::string_view text, Slashes slashes) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out.push_back('\\');
        out.push_back(c);
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '/':
        out += slashes == Slashes::escaped ? "\\/" : "/";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out.push_back(c);
        }
    }
  }
  return out;
}

std::uint32_t key_of(const char* bytes) {
  std::uint32_t key = 0;
  for (std::size_t i = 0; i < Prefixes::kLength; ++i) {
    key = key << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return key;
}

// Whether the text begins with the trigger: it does, it may when more comes, it does not.
Verdict::Answer compare(std::string_view rest, std::string_view trigger, bool any_case) {
  const std::size_t seen = std::min(rest.size(), trigger.size());
  for (std::size_t i = 0; i < seen; ++i) {
    const char c = any_case ? lower(rest[i]) : rest[i];
    if (c != trigger[i]) return Verdict::Answer::no;
  }
  return seen == trigger.size() ? Verdict::Answer::yes : Verdict::Answer::more;
}

}  // namespace

Rules::Rules(std::vector<std::string> secrets, std::vector<std::string> answers)
    : secrets_(std::move(secrets)), answers_(std::move(answers)) {
  add_literals();
  for (const TokenRule& rule : token_rules())
    add({std::string(rule.prefix), Form::token, false, &rule});
  add({"eyJ", Form::jwt});
  add({"bearer", Form::bearer, true});
  add({"-----BEGIN ", Form::pem});
  add({"://", Form::url});
  add({":\\/\\/", Form::url});
  for (const char* const word : {"SECRET", "TOKEN", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE"}) {
    add({word, Form::assigned});
  }
  for (const char* const word : {"api", "passw", "passphrase", "secret", "token"}) {
    add({word, Form::quoted, true});
  }
}

void Rules::add_literals() {
  std::map<std::string, std::string_view> kinds;
  const auto take = [&](const std::vector<std::string>& secrets, std::string_view kind) {
    std::size_t taken = 0;
    for (const std::string& secret : secrets) {
      if (secret.size() < kShortestSecret || taken == kMostSecrets) continue;
      ++taken;
      const std::string_view value = std::string_view(secret).substr(0, kLongestSecret);
      kinds.emplace(value, kind);
      for (const Slashes slashes : {Slashes::plain, Slashes::escaped}) {
        kinds.emplace(json_escaped(value, slashes).substr(0, kLongestSecret), kind);
      }
    }
  };
  take(answers_, kAnswer);
  take(secrets_, kEnvironment);
  std::vector<std::pair<std::string, std::string_view>> literals(kinds.begin(), kinds.end());
  // The longest first: one may begin as another does.
  std::stable_sort(literals.begin(), literals.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (auto& [literal, kind] : literals) add({std::move(literal), Form::literal, false, {}, kind});
}

void Rules::add(Trigger trigger) {
  const auto number = static_cast<std::uint16_t>(triggers_.size());
  // In every mixture of small and capital letters, where the case does not matter.
  for (unsigned mixture = 0; mixture < (trigger.any_case ? 8U : 1U); ++mixture) {
    Prefixes::Beginning beginning{};
    for (std::size_t i = 0; i < Prefixes::kLength; ++i) {
      const bool capital = ((mixture >> i) & 1U) != 0;
      beginning[i] = capital ? upper(trigger.text[i]) : trigger.text[i];
    }
    prefixes_.add(beginning);
    by_beginning_[key_of(beginning.data())].push_back(number);
  }
  triggers_.push_back(std::move(trigger));
}

Verdict Rules::judge_one(const Place& place, const Trigger& trigger) {
  const Verdict::Answer begins = compare(place.rest(), trigger.text, trigger.any_case);
  if (begins == Verdict::Answer::no) return Verdict::no();
  if (begins == Verdict::Answer::more) return place.final ? Verdict::no() : Verdict::more();
  switch (trigger.form) {
    case Form::literal:
      return {Verdict::Answer::yes, place.at, trigger.text.size(), trigger.kind};
    case Form::token:
      return recognise_token(place, *trigger.token);
    case Form::jwt:
      return recognise_jwt(place);
    case Form::bearer:
      return recognise_bearer(place);
    case Form::pem:
      return recognise_pem(place);
    case Form::url:
      return recognise_url(place);
    case Form::assigned:
      return recognise_assigned(place);
    case Form::quoted:
      return recognise_quoted(place);
  }
  return Verdict::no();
}

Verdict Rules::judge(const Place& place) const {
  const std::string_view rest = place.rest();
  if (rest.size() < Prefixes::kLength) {
    for (const Trigger& trigger : triggers_) {
      const Verdict verdict = judge_one(place, trigger);
      if (verdict.answer != Verdict::Answer::no) return verdict;
    }
    return Verdict::no();
  }
  const auto found = by_beginning_.find(key_of(rest.data()));
  if (found == by_beginning_.end()) return Verdict::no();
  for (const std::uint16_t number : found->second) {
    const Verdict verdict = judge_one(place, triggers_[number]);
    if (verdict.answer != Verdict::Answer::no) return verdict;
  }
  return Verdict::no();
}

std::shared_ptr<const Rules> make_rules(const std::vector<std::string>& secrets) {
  return std::make_shared<const Rules>(secrets);
}

std::shared_ptr<const Rules> with_answer(const Rules& rules, std::string_view answer) {
  std::vector<std::string> answers = {std::string(answer)};
  for (const std::string& known : rules.answers()) {
    if (known != answer && answers.size() < kMostSecrets) answers.push_back(known);
  }
  return std::make_shared<const Rules>(rules.secrets(), std::move(answers));
}

std::vector<std::string_view> kinds() {
  std::vector<std::string_view> all = {kAnswer, "aws_secret",  "bearer_token", kEnvironment,
                                       "jwt",   "private_key", "secret",       "url_credentials"};
  for (const TokenRule& rule : token_rules()) all.push_back(rule.kind);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace dragoman::redact
