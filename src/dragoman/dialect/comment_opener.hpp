// SPDX-License-Identifier: Apache-2.0
// The start of a comment marker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman {

inline constexpr std::string_view kWxcodeOpener = "<!-- WXCODE:";

struct CommentOpener {
  enum class Kind : std::uint8_t {
    none,
    cut,        // the text ends where it may still become one
    wxcode,     // "<!-- WXCODE:TYPE:", the payload follows
    question,   // "<!-- QUESTION: ", the payload follows
    finished,   // the whole comment
    go_to,      // the whole comment
    near_miss,  // meant as one of them, but not spelled so
  };
  Kind kind = Kind::none;
  std::string_view word;   // wxcode: the TYPE; go_to: the step; near_miss: WXCODE, QUESTION, …
  std::size_t length = 0;  // up to the payload, or of the whole comment
};

// What stands at the start of `text`, whose first bytes are "<!" (or "<" at its end). White space
// runs of more than 256 bytes inside an opener are not looked through.
[[nodiscard]] CommentOpener match_comment(std::string_view text);

// What is said about a comment that was meant as the marker `word`; without a word, as a question.
[[nodiscard]] std::string_view near_miss_of(std::string_view word);

// Whether what stands behind the word of a marker shows that a marker was meant: a few blanks at
// most, then what a payload or a value begins with. Absent: more bytes would tell.
[[nodiscard]] std::optional<bool> shows_marker(std::string_view behind);

[[nodiscard]] bool is_comment_space(char c);  // what \s means for ASCII

}  // namespace dragoman
