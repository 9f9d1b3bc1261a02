// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/block_structure.hpp"

#include <algorithm>
#include <cstring>

namespace dragoman::framing {
namespace {

constexpr std::size_t kTab = 4;
constexpr std::size_t kCodeIndent = 4;
constexpr char kEnd = '\n';

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A place in a line, in bytes and in columns: a tab goes on to the next multiple of four, and may
// be gone through in part.
class LineCursor {
 public:
  LineCursor(std::string_view line, BlockStructure::Rest rest)
      : line_(line), behind_(rest == BlockStructure::Rest::words ? 'x' : kEnd) {
    look_ahead();
  }

  [[nodiscard]] char peek(std::size_t at) const { return at < line_.size() ? line_[at] : behind_; }
  [[nodiscard]] char here() const { return peek(at_); }
  [[nodiscard]] char next() const { return peek(next_); }  // that is not blank
  [[nodiscard]] std::string_view rest() const { return line_.substr(next_); }
  [[nodiscard]] bool cut() const { return behind_ != kEnd; }
  [[nodiscard]] std::size_t indent() const { return next_column_ - column_; }
  [[nodiscard]] std::size_t column() const { return column_; }
  [[nodiscard]] bool blank() const { return next() == kEnd; }
  [[nodiscard]] bool indented() const { return indent() >= kCodeIndent; }

  void skip_columns(std::size_t count) {
    while (count > 0 && at_ < line_.size()) {
      const std::size_t wide = line_[at_] == '\t' ? kTab - column_ % kTab : 1;
      const std::size_t taken = std::min(wide, count);
      column_ += taken;
      count -= taken;
      if (taken == wide) ++at_;
    }
    look_ahead();
  }
  // Behind the `count` bytes that follow the blanks here.
  void skip_blanks_and(std::size_t count) { skip_columns(indent() + count); }
  void skip_one_blank() {
    if (is_blank(here())) skip_columns(1);
  }

 private:
  void look_ahead() {
    if (next_ > at_) return;
    next_ = at_;
    next_column_ = column_;
    for (; next_ < line_.size() && is_blank(line_[next_]); ++next_) {
      next_column_ += line_[next_] == '\t' ? kTab - next_column_ % kTab : 1;
    }
  }

  std::string_view line_;
  char behind_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  std::size_t next_ = 0;
  std::size_t next_column_ = 0;
};

// Whether the last line of `text` is blank.
bool ends_blank_line(std::string_view text) {
  const std::size_t words = text.find_last_not_of(" \t\r");
  return words == std::string_view::npos || text[words] == '\n';
}

std::size_t run_of(std::string_view text, char mark) {
  return std::min(text.find_first_not_of(mark), text.size());
}

// How long the fence is that opens here; 0: none does. A backtick fence has no backtick in its info
// string: ``` `x` ``` is a code span.
std::size_t opening_fence(std::string_view text) {
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return 0;
  const std::size_t length = run_of(text, text[0]);
  if (length < 3) return 0;
  return text[0] == '~' || text.find('`', length) == std::string_view::npos ? length : 0;
}

bool is_heading(const LineCursor& line) {
  const std::size_t level = run_of(line.rest(), '#');
  if (level == 0 || level > 6) return false;
  if (level == line.rest().size()) return !line.cut();
  return is_blank(line.rest()[level]);
}

// "===" or "---" under a paragraph.
bool is_underline(const LineCursor& line) {
  const char mark = line.next();
  if (line.cut() || (mark != '=' && mark != '-')) return false;
  const std::string_view text = line.rest();
  return text.find_first_not_of(" \t", run_of(text, mark)) == std::string_view::npos;
}

bool is_break(const LineCursor& line) {
  const char mark = line.next();
  if (line.cut() || (mark != '*' && mark != '-' && mark != '_')) return false;
  std::size_t count = 0;
  for (const char c : line.rest()) {
    if (c == mark) ++count;
    if (c != mark && !is_blank(c)) return false;
  }
  return count >= 3;
}

// How long the sign of a list item is that stands here; 0: there is none. One that stands in the
// way of a paragraph has words behind it, and begins to count with 1.
std::size_t list_sign(const LineCursor& line, bool in_paragraph) {
  constexpr std::size_t kMostDigits = 9;
  const std::string_view text = line.rest();
  const std::string_view behind = line.cut() ? "x" : "\n";
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : behind[0]; };
  std::size_t length = 0;
  if (at(0) == '*' || at(0) == '-' || at(0) == '+') {
    length = 1;
  } else {
    std::size_t digits = 0;
    while (digits < kMostDigits && is_digit(at(digits))) ++digits;
    if (digits == 0 || (at(digits) != '.' && at(digits) != ')')) return 0;
    if (in_paragraph && (at(digits - 1) != '1' || text.find_first_not_of('0') != digits - 1)) {
      return 0;
    }
    length = digits + 1;
  }
  if (!is_blank(at(length)) && at(length) != kEnd) return 0;
  std::size_t content = length;
  while (is_blank(at(content))) ++content;
  return in_paragraph && at(content) == kEnd ? 0 : length;
}

}  // namespace

// A line on its way through the containers.
struct BlockStructure::Open {
  LineCursor cursor;
  Line line;
  std::size_t matched = 0;    // containers that the line goes on with, or has begun
  bool in_paragraph = false;  // in all of them, with the paragraph there
  bool may_be_lazy = false;   // a paragraph is open, wherever
};

BlockStructure::Line BlockStructure::take(std::string_view line, Rest rest) {
  if (rest == Rest::none && line.ends_with('\r')) line.remove_suffix(1);
  Open open{LineCursor(line, rest), {}};
  open.may_be_lazy = leaf_ == Leaf::paragraph;
  go_through_containers(open);
  if (open.matched == depth_ && leaf_goes_on(open)) return open.line;
  while (open_container(open)) {
  }
  if (!open_leaf(open)) settle(open);
  return open.line;
}

void BlockStructure::go_through_containers(Open& open) const {
  while (open.matched < depth_ && goes_on(containers_[open.matched], open)) ++open.matched;
}

bool BlockStructure::goes_on(const Container& container, Open& open) {
  LineCursor& cursor = open.cursor;
  if (container.width == 0) {
    if (cursor.indented() || cursor.next() != '>') return false;
    cursor.skip_blanks_and(1);
    cursor.skip_one_blank();
    open.line.quoted = true;
    return true;
  }
  if (cursor.indent() >= container.width) {
    cursor.skip_columns(container.width);
    return true;
  }
  if (!cursor.blank() || container.empty) return false;
  cursor.skip_blanks_and(0);
  return true;
}

// What the line is to the innermost block, when it goes on with all the containers. False: it ends
// that block, or may do so.
bool BlockStructure::leaf_goes_on(Open& open) {
  LineCursor& cursor = open.cursor;
  switch (leaf_) {
    case Leaf::none:
      return false;
    case Leaf::paragraph:
      open.in_paragraph = !cursor.blank();
      return false;
    case Leaf::indented:
      if (cursor.blank()) return true;
      if (!cursor.indented()) return false;
      open.line.kind = Kind::indented_code;
      return true;
    case Leaf::fence:
      break;
  }
  open.line.kind = cursor.blank() ? Kind::blank : Kind::fenced_code;
  if (cursor.indented() || cursor.next() != fence_mark_ || cursor.cut()) return true;
  if (!closes_fence(cursor.rest())) return true;
  leaf_ = Leaf::none;
  open.line.fence = Fence::closed;
  return true;
}

bool BlockStructure::open_container(Open& open) {
  LineCursor& cursor = open.cursor;
  if (cursor.indented() || open.matched == kDeepest) return false;
  if (cursor.next() == '>') {
    cursor.skip_blanks_and(1);
    cursor.skip_one_blank();
    open.line.quoted = true;
    enter(open, {0, false});
    return true;
  }
  if (ends_words(open) || opening_fence(cursor.rest()) > 0) return false;
  const std::size_t sign = list_sign(cursor, open.in_paragraph);
  if (sign == 0) return false;
  const std::size_t before = cursor.indent();
  cursor.skip_blanks_and(sign);
  // Words that stand further away are code in the item.
  const std::size_t blanks = cursor.indent();
  const std::size_t gap = blanks > kCodeIndent || cursor.blank() ? 1 : blanks;
  cursor.skip_columns(std::min(gap, blanks));
  enter(open, {static_cast<std::uint8_t>(before + sign + gap), true});
  return true;
}

// A heading, a break or a comment: a line that is no part of a paragraph.
bool BlockStructure::ends_words(const Open& open) {
  const LineCursor& cursor = open.cursor;
  return is_heading(cursor) || cursor.rest().starts_with("<!--") ||
         (open.in_paragraph && is_underline(cursor)) || is_break(cursor);
}

bool BlockStructure::open_leaf(Open& open) {
  LineCursor& cursor = open.cursor;
  if (cursor.indented()) {
    if (open.may_be_lazy || cursor.blank()) return false;
    begin(open, Leaf::indented, Kind::indented_code);
    return true;
  }
  if (ends_words(open)) {
    begin(open, Leaf::none, Kind::words);
    return true;
  }
  const std::size_t length = opening_fence(cursor.rest());
  if (length == 0) return false;
  begin(open, Leaf::fence, Kind::fenced_code);
  begin_fence(cursor.next(), length);
  open.line.fence = Fence::opened;
  return true;
}

bool BlockStructure::closes_fence(std::string_view text) const {
  const std::size_t length = run_of(text, fence_mark_);
  return length >= fence_length_ && text.find_first_not_of(" \t", length) == std::string_view::npos;
}

void BlockStructure::begin_fence(char mark, std::size_t length) {
  leaf_ = Leaf::fence;
  fence_mark_ = mark;
  fence_length_ = length;
}

BlockStructure::Fence BlockStructure::take_outer_fence(std::string_view line, Rest rest) {
  if (rest == Rest::none && line.ends_with('\r')) line.remove_suffix(1);
  if (in_outer_fence()) {
    if (rest == Rest::words || !closes_fence(line)) return Fence::unchanged;
    leaf_ = Leaf::none;
    return Fence::closed;
  }
  const std::size_t length = opening_fence(line);
  if (length == 0) return Fence::unchanged;
  depth_ = 0;
  begin_fence(line[0], length);
  return Fence::opened;
}

// The line is blank, or words.
void BlockStructure::settle(Open& open) {
  if (open.cursor.blank()) {
    leave_unmatched(open);
  } else if (open.may_be_lazy) {
    // Words go on with a paragraph even without the signs of the containers that it is in.
    open.line.kind = Kind::words;
  } else {
    begin(open, Leaf::paragraph, Kind::words);
  }
}

// The containers that the line does not go on with are over, and so is what was open in them.
void BlockStructure::leave_unmatched(Open& open) {
  depth_ = static_cast<std::uint8_t>(open.matched);
  leaf_ = Leaf::none;
  open.may_be_lazy = open.in_paragraph = false;
}

void BlockStructure::enter(Open& open, Container container) {
  begin(open, Leaf::none, Kind::blank);
  containers_[depth_++] = container;
  open.matched = depth_;
}

// Something begins in the last container that is left.
void BlockStructure::begin(Open& open, Leaf leaf, Kind kind) {
  leave_unmatched(open);
  if (depth_ > 0) containers_[depth_ - 1].empty = false;
  leaf_ = leaf;
  open.line.kind = kind;
}

std::size_t BlockStructure::last_fresh_line(std::string_view text) {
  for (std::size_t end = text.size();;) {
    const void* const newline = end == 0 ? nullptr : ::memrchr(text.data(), '\n', end);
    const std::size_t begin =
        newline == nullptr
            ? 0
            : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) + 1;
    if (begin < text.size() && !is_blank(text[begin]) && text[begin] != '\n' &&
        text[begin] != '\r') {
      if (text.substr(begin).starts_with("<!--")) return begin;
      if (begin > 0 && ends_blank_line(text.substr(0, begin - 1))) return begin;
    }
    if (begin == 0) return std::string_view::npos;
    end = begin - 1;
  }
}

bool begins_fence(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return indent < kCodeIndent && opening_fence(line.substr(indent, kLineHead - indent)) > 0;
}

}  // namespace dragoman::framing
