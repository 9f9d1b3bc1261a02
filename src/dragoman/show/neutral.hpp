// SPDX-License-Identifier: Apache-2.0
// An agent's words, made harmless for the place they are written to.
//
// Everything an agent prints is hostile: it may hold escape sequences, bidirectional overrides,
// tags, Markdown and workflow commands. Each sink has one function here, and no renderer writes an
// agent's bytes in any other way. All of them show hidden characters (base/hidden.hpp), write
// U+FFFD for what is not UTF-8, and leave ordinary text byte for byte as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::show {

// What becomes of line ends and tabs. `keep`: they stay, and CR LF becomes LF; a CR alone is shown,
// for a terminal would write over what stands there. `join`: each becomes a blank, so that the text
// cannot leave its line.
enum class Breaks : std::uint8_t { keep, join };

// For a terminal, and for anything that is plain text.
void append_terminal(std::string& out, std::string_view text, Breaks breaks = Breaks::keep);

// The same without a copy where nothing has to change, which is nearly always: the answer is `text`
// itself or lives in `scratch`.
[[nodiscard]] std::string_view for_terminal(std::string_view text, std::string& scratch,
                                            Breaks breaks = Breaks::keep);

// What a program printed, without its colours: they say nothing that is not in the words, and as
// signs they make them hard to read. Where nothing has to change the answer is `text` itself, else
// it lives in `scratch`. Every other sequence stays, and is shown by the functions here.
[[nodiscard]] std::string_view without_colours(std::string_view text, std::string& scratch);

// For the text of an HTML element and for an attribute value in double quotes.
void append_html(std::string& out, std::string_view text, Breaks breaks = Breaks::keep);

// For running text in GitHub's Markdown: no character of it is markup, mentions, references of
// issues and addresses are cut by an empty character. A line end is kept as one, and what begins a
// line cannot begin a block. `at_line_start`: whether the text itself begins a line.
enum class LineStart : std::uint8_t { no, yes };
void append_markdown(std::string& out, std::string_view text, Breaks breaks = Breaks::join,
                     LineStart at = LineStart::no);

// As a code span that the text cannot close. An empty text gives an empty pair of quotes.
void append_code_span(std::string& out, std::string_view text);

// As a fenced block that the text cannot close, each line behind `indent`, the last one ended.
// `info` is the language; anything but letters, digits and + - _ . # is left out of it.
void append_fenced(std::string& out, std::string_view text, std::string_view info = {},
                   std::string_view indent = {});

// Inside a GitHub workflow command: behind the second ::, and as the value of a property.
void append_github_data(std::string& out, std::string_view text);
void append_github_property(std::string& out, std::string_view text);

// `secret` if it is long enough, else fresh random bytes.
[[nodiscard]] std::string github_secret(const std::string& secret);

// Raw text between ::stop-commands:: and its end. `secret` is at least 16 random bytes that no
// agent has seen, `count` the number of the fence: every fence has a word of its own, and one that
// occurs in the text is not taken. Ends with a line end.
void append_github_fence(std::string& out, std::string_view text, std::string_view secret,
                         std::uint64_t count);

// Whether a link may be followed: http, https and mailto, without a hidden character or a blank.
[[nodiscard]] bool safe_link(std::string_view url);

}  // namespace dragoman::show
