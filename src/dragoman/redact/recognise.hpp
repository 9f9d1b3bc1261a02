// SPDX-License-Identifier: Apache-2.0
// Whether a secret begins at a place of a text that may go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dragoman/redact/bytes.hpp"
#include "dragoman/redact/tokens.hpp"

namespace dragoman::redact {

// How far a decision looks into a secret.
inline constexpr std::size_t kWindow = 64;

// The text so far, and a little of what came before it. Nothing may depend on where it was cut: who
// needs bytes that are not there yet answers `more`, unless there are none to come.
struct Place {
  std::string_view text;
  std::size_t at = 0;
  std::string_view behind;  // what stood before text[0]
  bool final = false;       // the text is complete

  [[nodiscard]] std::string_view rest(std::size_t skip = 0) const {
    return text.substr(at + skip < text.size() ? at + skip : text.size());
  }
  // The byte that stands `back` bytes before `at`; 0 at the beginning.
  [[nodiscard]] char before(std::size_t back) const;
  // No letter or digit stands before it; the n of an escaped "\n" is none.
  [[nodiscard]] bool starts_word() const;
};

struct Verdict {
  enum class Answer : std::uint8_t { no, yes, more };
  Answer answer = Answer::no;
  std::size_t begin = 0;   // yes: where in the text the secret begins
  std::size_t length = 0;  // and how much of it is certain
  std::string_view kind = {};
  ByteSet goes_on = 0;  // all bytes of this set that follow belong to it
  bool is_pem = false;  // it goes on to the end of the block

  [[nodiscard]] static Verdict no() { return {}; }
  [[nodiscard]] static Verdict more() { return {.answer = Answer::more}; }
};

// `place.at` is where the trigger stands, which has been compared already.
[[nodiscard]] Verdict recognise_token(const Place& place, const TokenRule& rule);
[[nodiscard]] Verdict recognise_jwt(const Place& place);       // eyJ
[[nodiscard]] Verdict recognise_bearer(const Place& place);    // Bearer
[[nodiscard]] Verdict recognise_pem(const Place& place);       // -----BEGIN
[[nodiscard]] Verdict recognise_url(const Place& place);       // ://
[[nodiscard]] Verdict recognise_assigned(const Place& place);  // KEY, TOKEN, SECRET, PASSWORD…
[[nodiscard]] Verdict recognise_quoted(const Place& place);    // api_key, password, token, secret

}  // namespace dragoman::redact
