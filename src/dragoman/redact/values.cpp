// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/values.hpp"

#include <algorithm>
#include <array>

#include "dragoman/base/ascii.hpp"
#include "dragoman/redact/recognise.hpp"

namespace dragoman::redact {
namespace {

bool all_in(std::string_view text, ByteSet set) {
  return std::all_of(text.begin(), text.end(), [set](char c) { return is_in(c, set); });
}

// Where no secret is yet, as examples have it.
bool is_stand_in(std::string_view value) {
  if (value.find_first_not_of(value.front()) == std::string_view::npos) return true;  // ********
  constexpr std::array<std::string_view, 13> kBegin = {
      "your",    "example",  "changeme", "change-me", "change_me", "placeholder", "xxxx",
      "replace", "redacted", "insert",   "enter",     "undefined", "process.env"};
  constexpr std::array<std::string_view, 10> kWhole = {
      "required", "optional",  "password",  "passwort",   "passphrase",
      "disabled", "plaintext", "forgotten", "credential", "credentials"};
  const std::string small = ascii::lowered(value);
  const auto begins = [&small](std::string_view word) { return small.starts_with(word); };
  return std::any_of(kBegin.begin(), kBegin.end(), begins) ||
         std::find(kWhole.begin(), kWhole.end(), small) != kWhole.end();
}

// "Passwort", "contraseña", as a form calls its fields.
bool is_title(std::string_view value) {
  if (has(value, kHigh)) return all_in(value, kUpper | kLower | kHigh);
  return is_in(value.front(), kUpper) && all_in(value.substr(1), kLower);
}

// self.token, args.password1, user_token2: code that has the value elsewhere.
bool is_reference(std::string_view value) {
  if (!all_in(value, kWord | kDot) || is_in(value.front(), kDigit | kDot) ||
      looks_like_key(value)) {
    return false;
  }
  if (value.find('.') != std::string_view::npos) return value.find("..") == std::string_view::npos;
  const std::string small = ascii::lowered(value);
  constexpr std::array<std::string_view, 9> kWords = {"pass", "token", "secret", "key",  "user",
                                                      "env",  "arg",   "value",  "param"};
  return std::any_of(kWords.begin(), kWords.end(), [&small](std::string_view word) {
    return small.find(word) != std::string::npos;
  });
}

constexpr ByteSet kUnwordly = kDigit | kSign | kAt | kPlus;

// PWD=/home/dev
bool is_directory(std::string_view value) {
  return value.starts_with('/') && std::count(value.begin(), value.end(), '/') > 1;
}

bool is_secret_password(std::string_view value, ValueForm form) {
  if (is_directory(value)) return false;
  switch (form) {
    case ValueForm::variable:
    case ValueForm::option:
      return true;
    case ValueForm::quoted:
      return !is_title(value);
    case ValueForm::assigned:
      return has(value, kUnwordly | kDash) && !is_reference(value);
    case ValueForm::told:
      return has(value, kUnwordly) && !is_reference(value);
  }
  return false;
}

bool is_secret_token(std::string_view value, ValueForm form) {
  switch (form) {
    case ValueForm::variable:
      return true;
    case ValueForm::quoted:
      return has(value, kUnwordly);
    case ValueForm::option:
      return has(value, kUnwordly | kDash);
    case ValueForm::assigned:
    case ValueForm::told:
      return has(value, kDigit) && (mixtures(value) >= 2 || has(value, kSign | kPlus)) &&
             !is_reference(value);
  }
  return false;
}

}  // namespace

bool is_placeholder(std::string_view value) {
  if (is_in(value.front(), kBracket)) return true;
  if (value.starts_with("${") || value.starts_with("$(") || value.starts_with("%(")) return true;
  if (value.starts_with('\\')) return true;  // \d+, \S{8,}
  if (!value.starts_with('$')) return is_stand_in(value);
  value.remove_prefix(1);
  const auto end =
      std::find_if_not(value.begin(), value.end(), [](char c) { return is_in(c, kWord); });
  if (end != value.end() && !is_in(*end, kBracket)) return false;
  const auto name = value.substr(0, static_cast<std::size_t>(end - value.begin()));
  return all_in(name, kUpper | kDigit | kUnderscore) || all_in(name, kLower | kUnderscore);
}

bool looks_like_key(std::string_view value) {
  constexpr std::size_t kLeastMixed = 12;
  constexpr std::size_t kLeastLong = 20;
  const bool is_path = value.starts_with('/') || value.starts_with('.') || value.starts_with('~') ||
                       value.find("://") != std::string_view::npos;
  if (is_path || value.size() < kLeastMixed) return false;
  if (mixtures(value) >= 3) return true;
  return value.size() >= kLeastLong && has(value, kDigit) && has(value, kUpper) &&
         has(value, kLower);
}

bool is_secret_value(std::string_view value, NameSays says, ValueForm form) {
  constexpr std::size_t kLeastOfAws = 16;
  if (value.size() < kLeastValue || begins_known_token(value) || is_placeholder(value))
    return false;
  switch (says) {
    case NameSays::nothing:
      return false;
    case NameSays::key:
      return looks_like_key(value) || is_basic_credentials(value);
    case NameSays::secret:
      return is_secret_token(value, form);
    case NameSays::password:
      return is_secret_password(value, form);
    case NameSays::aws:
      return form == ValueForm::variable || (value.size() >= kLeastOfAws && has(value, kDigit));
  }
  return false;
}

}  // namespace dragoman::redact
