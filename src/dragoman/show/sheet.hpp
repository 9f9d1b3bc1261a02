// SPDX-License-Identifier: Apache-2.0
// Lines on a terminal, boxes and margins.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/palette.hpp"
#include "dragoman/show/rich_text.hpp"

namespace dragoman::show {

// What stands in front of every line: the label of a run, the bars of its subagents.
struct Margin {
  std::string text;  // with its inks
  std::size_t columns = 0;
};

// A line of a box: its text, and how much it is indented.
struct BoxLine {
  RichText text;
  std::size_t indent = 0;
};

// Appends lines to a string. It never writes behind the given width, unless that is too narrow for
// a single character, and text that runs from right to left is isolated in its place.
class Sheet {
 public:
  Sheet(const Palette& palette, std::size_t width) : palette_(palette), width_(width) {}

  void set_width(std::size_t width) { width_ = width; }
  // Where lines go from now on; kept by the caller.
  void write_to(std::string& out) { out_ = &out; }
  void set_margin(const Margin& margin) { margin_ = &margin; }
  [[nodiscard]] const Palette& palette() const { return palette_; }
  // Columns that are left beside the margin.
  [[nodiscard]] std::size_t room() const;

  // One line as it is; the caller knows that it fits.
  void line(const RichText& text);
  // As many lines as it takes, the first behind `first`, the others behind `rest`, which are our
  // own words and equally wide.
  void lines(const RichText& text, Wrapping wrapping = Wrapping::words,
             const RichText* first = nullptr, const RichText* rest = nullptr);
  // One line: what does not fit is cut off.
  void elided(const RichText& text);
  // One line of two parts, where a long first part leaves the second one at least a third.
  void elided_pair(const RichText& first, const RichText& second);
  // An empty line, unless the last one was empty or there is none.
  void gap();

  // A frame with rounded-off text; `fill` colours the inside of every line too.
  void box(std::span<const BoxLine> content, Ink frame, Ink fill = Ink::plain);

  // Text goes out that the sheet does not see; the next gap() is written.

 private:
  void begin_line();
  void end_line();
  void put(const RichText& text, std::size_t begin, std::size_t end, Ink under = Ink::plain);
  void put_elided(const RichText& text, std::size_t limit);
  void put_spans(const RichText& text, std::size_t begin, std::size_t end, Ink under);
  void border(std::string_view left, std::string_view right, std::size_t inside, Ink ink);

  const Palette& palette_;
  std::size_t width_;
  std::string* out_ = nullptr;
  const Margin* margin_ = nullptr;
  bool blank_ = true;  // the last line was empty, or nothing was written
  std::vector<TextLine> cut_;
};

}  // namespace dragoman::show
