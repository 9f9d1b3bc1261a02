// SPDX-License-Identifier: Apache-2.0
// Text with inks, and where its lines end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/neutral.hpp"
#include "dragoman/show/palette.hpp"

namespace dragoman::show {

// Words that are safe on a terminal, each stretch with its ink. A newline is a break that stays.
class RichText {
 public:
  struct Span {
    std::size_t end = 0;
    Ink ink = Ink::plain;
  };

  // What an agent wrote: neutralised on its way in, tabs become blanks.
  void add(Ink ink, std::string_view agents_words, Breaks breaks = Breaks::join);
  // Our own words.
  void put(Ink ink, std::string_view words);
  void clear() {
    text_.clear();
    spans_.clear();
  }
  // Without blanks and line ends at its end.
  void trim_end();

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  void extend(Ink ink);

  std::string text_;
  std::vector<Span> spans_;
  std::string scratch_;
};

struct TextLine {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t columns = 0;
  friend bool operator==(const TextLine&, const TextLine&) = default;
};

enum class Wrapping : std::uint8_t {
  words,     // between words, and inside a word that is longer than a line
  anywhere,  // where the line is full: for code, whose blanks matter
  never,
};

// Cuts `text` into lines of at most `width` columns; the blanks between two lines belong to
// neither. A grapheme that is wider than the width stands alone. Always gives at least one line.
void wrap(std::string_view text, std::size_t width, Wrapping wrapping,
          std::vector<TextLine>& lines);

}  // namespace dragoman::show
