// SPDX-License-Identifier: Apache-2.0
// The names that make a bracketed word a marker.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

enum class MarkerName : std::uint8_t {
  progress,
  question,
  blocked,
  files_modified,
  codex_complete,
  need_context,
  test_results,
  lint_warnings,
  dependency_needed,
  git_commit_suggestion,
  wxcode_tag,  // [WXCODE:TAG]
  configured,  // a name the settings added
};

struct BracketName {
  enum class Match : std::uint8_t {
    no,
    yes,
    cut
  };  // cut: the text ends where it may still become one
  Match match = Match::no;
  MarkerName name = MarkerName::progress;
  std::string_view word;   // between the brackets; of a WXCODE tag what follows the colon
  std::size_t length = 0;  // brackets included
};

// What stands at the start of `text`, whose first byte is '['.
[[nodiscard]] BracketName match_bracket(std::string_view text,
                                        std::span<const std::string> configured);

// Whether `text` starts with what has the shape of a marker, known or not: capitals, digits, "_"
// and
// ":" in brackets, and a blank or the end behind them. One letter is a ticked box: "[X] done".
[[nodiscard]] bool has_marker_shape(std::string_view text);

// The word as it is written: "FILES_MODIFIED".
[[nodiscard]] std::string_view word(MarkerName name);

}  // namespace dragoman
