// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/request.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"
#include "dragoman/event/kept_question.hpp"

namespace dragoman::agent {

namespace {

// Letters, digits and `others`; the first one is no sign.
bool is_word_of(std::string_view text, std::string_view others, std::size_t most) {
  return !text.empty() && text.size() <= most && ascii::is_alnum(text.front()) &&
         std::ranges::all_of(text, [others](char c) {
           return ascii::is_alnum(c) || others.find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string without_secrets(std::string word, std::span<const std::string> secrets) {
  for (const std::string& secret : secrets) {
    if (secret.empty()) continue;
    for (std::size_t at = word.find(secret); at != std::string::npos;
         at = word.find(secret, at + kHidden.size())) {
      word.replace(at, secret.size(), kHidden);
    }
  }
  return word;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
    } else if (ascii::hex_value(c) < 0) {
      return false;
    }
  }
  return true;
}

// "sonnet[1m]", "claude-sonnet@20250514"
bool is_model_name(std::string_view text) { return is_word_of(text, "._:/-@[]", 128); }

bool is_permission_mode(std::string_view text) {
  return is_word_of(text, "-", 64) && !ascii::is_digit(text.front());
}

}  // namespace dragoman::agent
