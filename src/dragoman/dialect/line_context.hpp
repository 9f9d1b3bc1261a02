// SPDX-License-Identifier: Apache-2.0
// Whether the place where a marker stands is quoted text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman {

// Between an opening fence and its closing one (CommonMark: ``` or ~~~).
class Fence {
 public:
  [[nodiscard]] bool open() const { return length_ != 0; }
  void reset() { length_ = 0; }

  // Whether `line`, without its line end, would open a fence where none is open.
  [[nodiscard]] static bool opens(std::string_view line);

  // Takes notice of a line: it may open a fence, or close the open one.
  void line(std::string_view line);

 private:
  char mark_ = 0;
  std::size_t length_ = 0;
};

// What is known about the line that the next byte belongs to, from the bytes before it. Only its
// first few bytes matter, so it is kept over any cut of the input.
class LineContext {
 public:
  // The stream or block begins here.
  void start() { *this = LineContext(); }

  // `text` has been read; the context now describes the place behind it.
  void advance(std::string_view text);

  // The context of a place inside `text`, which follows what was advanced over.
  [[nodiscard]] LineContext at(std::string_view text, std::size_t place) const;

  [[nodiscard]] bool at_line_start() const { return length_ == 0; }
  [[nodiscard]] bool only_blanks() const { return only_blanks_; }  // since the line start
  [[nodiscard]] std::uint64_t length() const { return length_; }   // bytes since the line start
  [[nodiscard]] bool indented() const;                             // 4 spaces, or a tab after 0–3
  [[nodiscard]] bool block_quote() const;                          // 0–3 spaces and '>'
  [[nodiscard]] bool only_quote_marks() const {
    return only_quote_marks_;
  }                                                      // nothing but blanks and '>'
  [[nodiscard]] char before() const { return before_; }  // 0 at the start of everything

 private:
  void add(char c);

  std::array<char, 5> head_{};
  std::uint64_t length_ = 0;
  bool only_blanks_ = true;
  bool only_quote_marks_ = true;
  char before_ = 0;
};

}  // namespace dragoman
