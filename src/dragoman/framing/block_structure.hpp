// SPDX-License-Identifier: Apache-2.0
// Which lines of Markdown are code. Follows the blocks of CommonMark line by line: block quotes,
// list items, paragraphs, fences, indented code. HTML blocks and link definitions are paragraphs
// here, but a comment at the start of a line ends a paragraph.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::framing {

class BlockStructure {
 public:
  enum class Kind : std::uint8_t { blank, words, indented_code, fenced_code };
  enum class Fence : std::uint8_t { unchanged, opened, closed };
  struct Line {
    Kind kind = Kind::blank;
    Fence fence = Fence::unchanged;
    bool quoted = false;  // a '>' at its start makes it part of a block quote
  };

  // Whether the line ends where the bytes do, or goes on with something that is not blank.
  enum class Rest : std::uint8_t { none, words };

  // Takes the next line, without its line end.
  Line take(std::string_view line, Rest rest = Rest::none);

  // Takes the next line, which starts in the first column, if an outer fence opens or closes with
  // it. Nothing has to be known about the lines before, but for those of an outer fence.
  Fence take_outer_fence(std::string_view line, Rest rest = Rest::none);

  // Whether a fence is open, in whatever list item or quotation.
  [[nodiscard]] bool in_fence() const { return leaf_ == Leaf::fence; }
  // The same for one that stands in none: no other line than its closing one ends it. The others
  // end with the first line that starts in the first column.
  [[nodiscard]] bool in_outer_fence() const { return in_fence() && depth_ == 0; }

  // The line that closes the fence that is open, without the signs of what it stands in.
  [[nodiscard]] std::string closing_fence() const {
    return std::string(fence_length_, fence_mark_);
  }

  // Where the last line of `text` begins before which nothing but an outer fence can still be open:
  // one in the first column, behind a blank line or with a comment. npos when there is none.
  // `text` begins with a line.
  [[nodiscard]] static std::size_t last_fresh_line(std::string_view text);

 private:
  static constexpr std::size_t kDeepest = 100;  // what is deeper is words

  struct Container {
    std::uint8_t width = 0;  // of a list item: columns in front of its content; 0: a block quote
    bool empty = true;       // of a list item: nothing but blank lines so far
  };
  enum class Leaf : std::uint8_t { none, paragraph, indented, fence };
  struct Open;

  void go_through_containers(Open& open) const;
  [[nodiscard]] static bool goes_on(const Container& container, Open& open);
  [[nodiscard]] bool leaf_goes_on(Open& open);
  [[nodiscard]] bool open_container(Open& open);
  [[nodiscard]] bool open_leaf(Open& open);
  [[nodiscard]] static bool ends_words(const Open& open);
  [[nodiscard]] bool closes_fence(std::string_view text) const;
  void begin_fence(char mark, std::size_t length);
  void settle(Open& open);
  void leave_unmatched(Open& open);
  void enter(Open& open, Container container);
  void begin(Open& open, Leaf leaf, Kind kind);

  std::array<Container, kDeepest> containers_;
  std::uint8_t depth_ = 0;
  Leaf leaf_ = Leaf::none;
  char fence_mark_ = 0;
  std::size_t fence_length_ = 0;
};

// What may stand before a fence on its line: blanks and the signs of quotations and lists.
[[nodiscard]] constexpr bool is_container_sign(char c) {
  constexpr std::string_view kSigns = " \t>*+-.)";
  return (c >= '0' && c <= '9') || kSigns.find(c) != std::string_view::npos;
}

// A line is judged by so many bytes where it may be longer.
inline constexpr std::size_t kLineHead = 1024;

// Whether `line` opens a fence, if none is open, whatever comes before it.
[[nodiscard]] bool begins_fence(std::string_view line);

}  // namespace dragoman::framing
