// SPDX-License-Identifier: Apache-2.0
// What stands before a place on its line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman {

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
  }  // nothing but blanks and '>'
  // Nothing but what may stand before a fence on its line.
  [[nodiscard]] bool only_container_signs() const { return only_container_signs_; }
  [[nodiscard]] char before() const { return before_; }  // 0 at the start of everything

 private:
  void add(char c);

  std::array<char, 5> head_{};
  std::uint64_t length_ = 0;
  bool only_blanks_ = true;
  bool only_quote_marks_ = true;
  bool only_container_signs_ = true;
  char before_ = 0;
};

}  // namespace dragoman
