// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/simple_markdown.hpp"

#include "dragoman/base/utf8.hpp"
#include "dragoman/show/simple_inlines.hpp"
#include "dragoman/show/simple_lines.hpp"

namespace dragoman::show {
namespace {

// Goes over the lines once. Without a visitor it only finds out whether the text is simple; with
// one it visits the parts of a text of which that is known.
class SimpleWalk {
 public:
  SimpleWalk(std::string_view text, MarkdownVisitor* visitor) : text_(text), visitor_(visitor) {}

  bool run() {
    while (at_ < text_.size()) {
      const SimpleLine line = line_at(at_);
      if (!block(line)) return false;
    }
    return true;
  }

 private:
  // What a line means depends on whether a list may still be open above it.
  bool block(const SimpleLine& line) {
    switch (line.sort) {
      case LineSort::blank:
        at_ = line.next;
        return true;
      case LineSort::heading:
        return heading(line);
      case LineSort::fence:
        return code_block(line);
      case LineSort::rule:
        below_list_ = false;
        rule();
        at_ = line.next;
        return true;
      case LineSort::bullet:
      case LineSort::number:
        // With an empty line between them, two lists can be one.
        return !below_list_ && list(line);
      case LineSort::words:
        return paragraph(line);
      case LineSort::other:
        return false;
    }
    return false;
  }

  void rule() {
    MarkdownPart part;
    part.kind = MarkdownKind::rule;
    enter(part);
  }

  bool heading(const SimpleLine& line) {
    below_list_ = false;
    MarkdownPart part;
    part.kind = MarkdownKind::heading;
    part.level = line.level;
    at_ = line.next;
    return container(part, line.content);
  }

  bool paragraph(const SimpleLine& first) {
    below_list_ = false;
    std::size_t end = first.end;
    at_ = first.next;
    while (at_ < text_.size()) {
      const SimpleLine line = line_at(at_);
      // A rule would make it a heading; a list that begins with another number is none.
      if (line.sort == LineSort::other || line.sort == LineSort::rule) return false;
      if (line.sort == LineSort::number && line.number != 1) return false;
      if (line.sort != LineSort::words) break;
      end = line.end;
      at_ = line.next;
    }
    MarkdownPart part;
    part.kind = MarkdownKind::paragraph;
    return container(part, text_.substr(first.begin, end - first.begin));
  }

  bool list(const SimpleLine& first) {
    MarkdownPart whole;
    whole.kind = MarkdownKind::list;
    whole.ordered = first.sort == LineSort::number;
    whole.start = first.number;
    whole.tight = true;
    enter(whole);
    SimpleLine line = first;
    for (;;) {
      MarkdownPart item;
      item.kind = MarkdownKind::item;
      MarkdownPart words;
      words.kind = MarkdownKind::paragraph;
      words.tight = true;
      enter(item);
      if (!container(words, line.content)) return false;
      leave(item);
      at_ = line.next;
      if (at_ >= text_.size()) break;
      line = line_at(at_);
      if (line.sort == LineSort::blank || line.sort == LineSort::heading ||
          line.sort == LineSort::fence) {
        break;
      }
      // Words would belong to the item above, another sign begins another list.
      if (line.sort != first.sort || line.sign != first.sign) return false;
    }
    leave(whole);
    below_list_ = true;
    return true;
  }

  bool code_block(const SimpleLine& opening) {
    below_list_ = false;
    const std::size_t begin = opening.next;
    at_ = begin;
    while (at_ < text_.size()) {
      const FenceLine line = fence_line_at(text_, at_, opening.sign, opening.length);
      if (line.sort == FenceSort::unclear) return false;
      const std::size_t end = at_;
      at_ = line.next;
      if (line.sort == FenceSort::closes) return code(opening, begin, end);
    }
    // It is never closed: all that is left is code, if only its last line has an end.
    return text_.ends_with('\n') && code(opening, begin, text_.size());
  }

  bool code(const SimpleLine& opening, std::size_t begin, std::size_t end) {
    const std::string_view literal = text_.substr(begin, end - begin);
    if (literal.find('\0') != std::string_view::npos) return false;
    MarkdownPart part;
    part.kind = MarkdownKind::code_block;
    part.info = opening.content.substr(0, opening.content.find(' '));
    part.literal = literal;
    enter(part);
    return true;
  }

  bool container(const MarkdownPart& part, std::string_view words) {
    enter(part);
    if (!walk_simple_inlines(words, visitor_)) return false;
    leave(part);
    return true;
  }

  [[nodiscard]] SimpleLine line_at(std::size_t at) const { return simple_line_at(text_, at); }

  void enter(const MarkdownPart& part) {
    if (visitor_ != nullptr) visitor_->enter(part);
  }
  void leave(const MarkdownPart& part) {
    if (visitor_ != nullptr) visitor_->leave(part);
  }

  std::string_view text_;
  MarkdownVisitor* visitor_;
  std::size_t at_ = 0;
  bool below_list_ = false;  // nothing but empty lines since the end of a list
};

}  // namespace

bool walk_simple_markdown(std::string_view text, MarkdownVisitor& visitor) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark) || text.find('\r') != std::string_view::npos) return false;
  if (!SimpleWalk(text, nullptr).run() || !utf8::valid(text)) return false;
  return SimpleWalk(text, &visitor).run();
}

std::size_t simple_code_block(std::string_view text) {
  const SimpleLine opening = simple_line_at(text, 0);
  if (opening.sort != LineSort::fence) return 0;
  for (std::size_t at = opening.next; at < text.size();) {
    const FenceLine line = fence_line_at(text, at, opening.sign, opening.length);
    if (line.sort == FenceSort::unclear) return 0;
    if (line.sort == FenceSort::closes) return line.next;
    at = line.next;
  }
  return text.size();
}

}  // namespace dragoman::show
