// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "dragoman/base/ascii.hpp"
#include "dragoman/redact/undress.hpp"

namespace dragoman::redact {
namespace {

constexpr std::string_view kEnvironment = "environment";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kSchemeEnd = "://";
constexpr std::size_t kShortestSecret = 8;
constexpr std::size_t kLongestHead = 4096;  // what a value is found by
constexpr std::size_t kMostSecrets = 256;
constexpr std::size_t kMostStrings = 3;  // of JSON that a value may stand in, one in the other

using ascii::lower;
using ascii::upper;

enum class Slashes : std::uint8_t { plain, escaped };

// The short escapes; what is spelled as \u0067 is looked through anyway.
std::string json_escaped(std::string_view text, Slashes slashes) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t/";
  constexpr std::string_view kLetters = "\"\\bfnrt/";
  std::string out;
  for (const char c : text) {
    const std::size_t at = kShort.find(c);
    const bool plain = at == std::string_view::npos || (c == '/' && slashes == Slashes::plain);
    if (!plain) out.push_back('\\');
    out.push_back(plain ? c : kLetters[at]);
  }
  return out;
}

// As a filter sees it.
std::string undressed(std::string_view text) {
  Undress undress;
  std::vector<Dress> dresses;
  std::string out(undress.push(text, dresses));
  out += undress.finish(dresses);
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
  add_tokens();
  add({"eyJ", Form::jwt});
  add({"bearer", Form::bearer, true});
  add({"basic", Form::basic, true});
  add({"-----BEGIN ", Form::pem});
  add({"---- BEGIN ", Form::pem});
  add({std::string(kSchemeEnd), Form::url});
  add({":\\/\\/", Form::url});
  add({":AA", Form::telegram});
  add({"/bot", Form::bot});
  for (const char* const word : {"-u ", "-u\"", "-u'", "--user ", "--user="})
    add({word, Form::user});
  add({"\"auth", Form::quoted_name});
  for (const char* const word : {"kie:", "kie\"", "kie\\"}) add({word, Form::cookie});
  add({"?sig=", Form::signature});
  add({"&sig=", Form::signature});
  for (const char first : {'M', 'N', 'O'}) {
    for (const char second : {'D', 'T', 'j', 'z'}) {
      for (const char third : std::string_view("AEIMQUYcgk"))
        add({{first, second, third}, Form::discord});
    }
  }
  // Of a name's words the part that is seldom anywhere else: the rest of the name is found from it.
  for (const char* const word : {"secret", "token", "pass", "api", "pwd"}) {
    add({word, Form::named, true});
  }
  for (const char* const word :
       {"KEY", "Key", "_key", "-key", "sskey", "uthoriz", "UTHORIZ", "_auth", "_AUTH"}) {
    add({word, Form::named});
  }
  index();
}

// What is looked for is found by three bytes: a shorter beginning stands there with each that may
// follow.
void Rules::add_tokens() {
  for (const TokenRule& rule : token_rules()) {
    const std::string prefix(rule.prefix);
    if (prefix.size() >= Prefixes::kLength) {
      add({prefix, Form::token, false, &rule});
      continue;
    }
    for (int byte = 0; byte < 0x80; ++byte) {
      const char c = static_cast<char>(byte);
      if (is_in(c, rule.bytes)) add({prefix + c, Form::token, false, &rule});
    }
  }
}

void Rules::add_literals() {
  std::map<std::string, std::string_view> kinds;
  const auto take = [&](const std::vector<std::string>& secrets, std::string_view kind) {
    std::size_t taken = 0;
    for (const std::string& secret : secrets) {
      if (secret.size() < kShortestSecret || taken == kMostSecrets) continue;
      ++taken;
      std::set<std::string> spellings = {secret};
      for (std::size_t strings = 0; strings <= kMostStrings; ++strings) {
        std::set<std::string> further;
        for (const std::string& one : spellings) {
          kinds.emplace(undressed(one), kind);
          further.insert(json_escaped(one, Slashes::plain));
          further.insert(json_escaped(one, Slashes::escaped));
        }
        spellings = std::move(further);
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
  // "token", "Token" and "TOKEN", where the case does not matter: nobody writes "tOken".
  constexpr std::array<unsigned, 3> kCapitals = {0, 1, 7};
  for (const unsigned capitals : kCapitals) {
    if (capitals != 0 && !trigger.any_case) break;
    Prefixes::Beginning beginning{};
    for (std::size_t i = 0; i < Prefixes::kLength; ++i) {
      const bool capital = ((capitals >> i) & 1U) != 0;
      beginning[i] = capital ? upper(trigger.text[i]) : trigger.text[i];
    }
    const char fourth = trigger.text.size() > 3 ? trigger.text[3] : '\0';
    numbered_.push_back({key_of(beginning.data()), number, fourth});
  }
  triggers_.push_back(std::move(trigger));
}

// A table of the beginnings, at most half full, that leads to the triggers of each.
void Rules::index() {
  std::stable_sort(numbered_.begin(), numbered_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  std::vector<Prefixes::Beginning> beginnings;
  for (std::size_t i = 0; i < numbered_.size(); ++i) {
    const std::uint32_t key = numbered_[i].key;
    if (i > 0 && key == numbered_[i - 1].key) continue;
    beginnings.push_back({static_cast<char>(key >> 16U), static_cast<char>(key >> 8U & 0xFFU),
                          static_cast<char>(key & 0xFFU)});
  }
  prefixes_.look_for(beginnings);
  slots_.assign(std::bit_ceil(numbered_.size() * 2), {});
  for (std::size_t i = 0; i < numbered_.size();) {
    std::size_t end = i;
    while (end < numbered_.size() && numbered_[end].key == numbered_[i].key) ++end;
    std::size_t slot = slot_of(numbered_[i].key);
    while (slots_[slot].count != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {numbered_[i].key, static_cast<std::uint32_t>(i),
                    static_cast<std::uint32_t>(end - i)};
    i = end;
  }
}

std::string_view Rules::head_of(const Trigger& trigger) {
  return std::string_view(trigger.text).substr(0, kLongestHead);
}

Verdict Rules::judge_one(const Place& place, const Trigger& trigger) {
  switch (trigger.form) {
    case Form::literal: {
      const std::string_view text = head_of(trigger);
      Verdict found{Verdict::Answer::yes, place.at, text.size(), trigger.kind};
      found.rest = std::string_view(trigger.text).substr(text.size());
      return found;
    }
    case Form::token:
      return recognise_token(place, *trigger.token);
    case Form::jwt:
      return recognise_wrapped(place, recognise_jwt, 0, kDotted);
    case Form::bearer:
      return recognise_bearer(place);
    case Form::basic:
      return recognise_basic(place);
    case Form::pem:
      return recognise_pem(place);
    case Form::url:
      return recognise_wrapped(place, recognise_url, kSchemeEnd.size(), kUserInfo);
    case Form::telegram:
      return recognise_wrapped(place, recognise_telegram, 1, kUrlSafe);
    case Form::discord:
      return recognise_wrapped(place, recognise_discord, 0, kDotted);
    case Form::signature:
      return recognise_signature(place);
    case Form::bot:
      return recognise_bot(place);
    case Form::user:
      return recognise_user(place);
    case Form::cookie:
      return recognise_cookie(place);
    case Form::quoted_name:
      return recognise_named({place.text, place.at + 1, place.behind, place.final});
    case Form::named:
      return recognise_named(place);
  }
  return Verdict::no();
}

const Rules::Slot& Rules::slot_at(const char* bytes) const {
  const std::uint32_t key = key_of(bytes);
  std::size_t slot = slot_of(key);
  while (slots_[slot].count != 0 && slots_[slot].key != key)
    slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

bool Rules::may_begin(std::string_view rest) const {
  if (rest.size() < Prefixes::kLength) return true;
  const Slot& slot = slot_at(rest.data());
  const Numbered* const first = numbered_.data() + slot.first;
  return std::any_of(first, first + slot.count,
                     [rest](const Numbered& one) { return one.may_fit(rest); });
}

bool Rules::may_hold(std::string_view text) const {
  const char* const end = text.data() + text.size();
  if (find_dress(text.data(), end) != end) return true;
  for (const char* p = text.data();; ++p) {
    p = find(p, end);
    if (end - p < static_cast<std::ptrdiff_t>(Prefixes::kLength)) return false;
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    const Slot& slot = slot_at(p);
    for (std::uint32_t i = 0; i < slot.count; ++i) {
      const Trigger& trigger = triggers_[numbered_[slot.first + i].number];
      if (compare(rest, head_of(trigger), trigger.any_case) == Verdict::Answer::yes) return true;
    }
  }
}

Verdict Rules::judge(const Place& place) const {
  const std::string_view rest = place.rest();
  if (rest.size() < Prefixes::kLength) {
    if (place.final) return Verdict::no();
    const bool may_begin = std::any_of(triggers_.begin(), triggers_.end(), [&](const Trigger& t) {
      return compare(rest, head_of(t), t.any_case) == Verdict::Answer::more;
    });
    return may_begin ? Verdict::more() : Verdict::no();
  }
  const Slot& slot = slot_at(rest.data());
  for (std::uint32_t i = 0; i < slot.count; ++i) {
    const Numbered& one = numbered_[slot.first + i];
    if (!one.may_fit(rest)) continue;
    const Trigger& trigger = triggers_[one.number];
    const Verdict::Answer begins = compare(rest, head_of(trigger), trigger.any_case);
    if (begins == Verdict::Answer::no) continue;
    if (begins == Verdict::Answer::more) {
      if (!place.final) return Verdict::more();
      continue;
    }
    const Verdict verdict = judge_one(place, trigger);
    if (verdict.answer != Verdict::Answer::no) return verdict;
  }
  return Verdict::no();
}

bool may_hold_secret(std::string_view text, const Rules& rules) { return rules.may_hold(text); }

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
  std::vector<std::string_view> all = {kAnswer,        "aws_secret",     "basic_credentials",
                                       "bearer_token", "discord_token",  kEnvironment,
                                       "jwt",          "private_key",    "secret",
                                       "signature",    "telegram_token", "url_credentials",
                                       "cookie"};
  for (const TokenRule& rule : token_rules()) all.push_back(rule.kind);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace dragoman::redact
