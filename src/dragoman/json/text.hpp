// SPDX-License-Identifier: Apache-2.0
// Strings and values as they lie in the input.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"

namespace dragoman::json {

// A string that may still be the inside of a JSON string literal. Large outputs travel in this form
// from the agent's line to the sink; whoever only passes them on never pays for decoding.
//
// An escaped Text has been checked: its escapes are legal. Its bytes need not be valid UTF-8 and
// its \u escapes may be lone surrogates; decoding and writing turn both into U+FFFD.
struct Text {
  std::string_view bytes;
  bool escaped = false;

  Text() = default;
  Text(std::string_view plain) : bytes(plain) {}  // NOLINT(google-explicit-constructor)
  Text(std::string_view inside, bool is_escaped) : bytes(inside), escaped(is_escaped) {}

  [[nodiscard]] bool absent() const { return bytes.data() == nullptr; }
  [[nodiscard]] std::string str() const;

  // Compares what is meant, not how it is spelled.
  friend bool operator==(const Text& a, const Text& b);
};

// Any JSON value, verbatim, known to be well formed.
struct Raw {
  std::string_view json;

  [[nodiscard]] bool absent() const { return json.data() == nullptr; }
  friend bool operator==(const Raw&, const Raw&) = default;
};

// The decoded bytes: the view itself when nothing is escaped, else a copy in `arena`.
[[nodiscard]] std::string_view decode(Text text, Arena& arena);

// Appends the decoded bytes to `out`.
void decode_to(std::string& out, Text text);

// The code point named by the \u escape at the start of `text` ("\\ud83d\\ude00…"), which must be
// well formed, and how many bytes it takes: 6, or 12 for a surrogate pair. Lone halves are U+FFFD.
struct UnicodeEscape {
  char32_t value = 0;
  std::size_t length = 6;
  bool lone = false;
};
[[nodiscard]] UnicodeEscape unicode_escape(std::string_view text);

}  // namespace dragoman::json
