// SPDX-License-Identifier: Apache-2.0
// Whether a secret begins at a place of a text that may go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dragoman/redact/bytes.hpp"
#include "dragoman/redact/key_block.hpp"
#include "dragoman/redact/tokens.hpp"

namespace dragoman::redact {

// How far a decision looks into a secret.
inline constexpr std::size_t kWindow = 64;
// How far one looks back.
inline constexpr std::size_t kBehind = 64;

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
  ByteSet goes_on = 0;                        // all bytes of this set that follow belong to it
  bool wraps = false;                         // also on the next line
  std::optional<KeyBlock::Start> block = {};  // it goes on to the end of the block
  std::string_view rest = {};                 // it goes on as far as this does, which rules own

  [[nodiscard]] static Verdict no() { return {}; }
  [[nodiscard]] static Verdict more() { return {.answer = Answer::more}; }
};

// The bytes of the set at the beginning of a text, `most` at most.
[[nodiscard]] std::size_t run_of(std::string_view text, ByteSet set, std::size_t most);
[[nodiscard]] bool has(std::string_view text, ByteSet set);
// How many times a digit stands next to a letter: seldom in words, often in what is random.
[[nodiscard]] std::size_t mixtures(std::string_view text);

// The piece of a token on the next line, where a terminal or an editor has wrapped it. It must look
// random: most lines begin with a word. 0: none; absent: more must come.
[[nodiscard]] std::optional<std::size_t> wrapped_piece(std::string_view text, ByteSet set,
                                                       bool final);

// Whether the text is base64 of "user:password"; it may be only the beginning.
[[nodiscard]] bool is_basic_credentials(std::string_view text);

// `place.at` is where the trigger stands, which has been compared already.
using Recognise = Verdict(const Place& place);
[[nodiscard]] Verdict recognise_token(const Place& place, const TokenRule& rule);
[[nodiscard]] Verdict recognise_jwt(const Place& place);        // eyJ
[[nodiscard]] Verdict recognise_bearer(const Place& place);     // Bearer
[[nodiscard]] Verdict recognise_basic(const Place& place);      // Basic
[[nodiscard]] Verdict recognise_pem(const Place& place);        // -----BEGIN, ---- BEGIN
[[nodiscard]] Verdict recognise_url(const Place& place);        // ://
[[nodiscard]] Verdict recognise_telegram(const Place& place);   // :AA
[[nodiscard]] Verdict recognise_discord(const Place& place);    // MTA, NzY, …
[[nodiscard]] Verdict recognise_signature(const Place& place);  // ?sig=
[[nodiscard]] Verdict recognise_bot(const Place& place);        // /bot
[[nodiscard]] Verdict recognise_user(const Place& place);       // -u user:password, --user
[[nodiscard]] Verdict recognise_cookie(const Place& place);     // the end of "Cookie"
// What `one` recognises, also where a line end was put into it: so many bytes behind the place
// begin what looks random, and is of this set.
[[nodiscard]] Verdict recognise_wrapped(const Place& place, Recognise* one, std::size_t opening,
                                        ByteSet set);
// KEY, token, _pass…: a value whose name says that it is secret.
[[nodiscard]] Verdict recognise_named(const Place& place);

// Such a value has its own kind and is found at its own place.
[[nodiscard]] bool begins_known_token(std::string_view value);

}  // namespace dragoman::redact
