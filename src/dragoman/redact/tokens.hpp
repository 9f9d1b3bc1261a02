// SPDX-License-Identifier: Apache-2.0
// Tokens that are known by how they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dragoman/redact/bytes.hpp"

namespace dragoman::redact {

struct TokenRule {
  enum class Proof : std::uint8_t {
    none,    // the beginning and the length say enough
    random,  // it must look like no word: a digit, a capital, or sixteen letters without a break
    digit,   // there must be a digit
    exact,   // just as long as `least`, and nothing of a word behind it
  };
  std::string_view prefix;  // two bytes at least
  std::string_view kind;
  std::size_t least;  // bytes behind the prefix
  ByteSet bytes;      // which ones
  Proof proof = Proof::none;
  bool starts_word = true;  // no letter or digit stands before it
};

[[nodiscard]] std::span<const TokenRule> token_rules();

}  // namespace dragoman::redact
