// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/markdown_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dragoman/show/markdown_tree.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::show {
namespace {

void append_destination(std::string& out, std::string_view url) {
  out.push_back('<');
  for (const char c : url) {
    switch (c) {
      case '<':
        out.append("%3C");
        break;
      case '>':
        out.append("%3E");
        break;
      case '\\':
        out.append("%5C");
        break;
      case '|':
        out.append("%7C");
        break;
      case '&':
        out.append("&amp;");
        break;
      default:
        out.push_back(c);
        break;
    }
  }
  out.push_back('>');
}

class MarkdownWriterVisitor final : public MarkdownVisitor {
 public:
  explicit MarkdownWriterVisitor(std::string& out) : out_(out) {}

  void enter(const MarkdownPart& part) override {
    if (part.kind == MarkdownKind::text) {
      words_.append(part.literal);  // mentions may be cut in two by the parser
      return;
    }
    put_words();
    switch (part.kind) {
      case MarkdownKind::quote:
      case MarkdownKind::item:
      case MarkdownKind::table_cell:
      case MarkdownKind::link:
      case MarkdownKind::image:
        open_.emplace_back();
        break;
      case MarkdownKind::list:
        numbers_.push_back(part.ordered ? part.start : -1);
        break;
      case MarkdownKind::heading:
        text().append(std::string(static_cast<std::size_t>(std::min(part.level + 2, 6)), '#'));
        text().push_back(' ');
        break;
      case MarkdownKind::table_row:
        text().push_back('|');
        break;
      case MarkdownKind::emphasis:
        text().push_back('*');
        break;
      case MarkdownKind::strong:
        text().append("**");
        break;
      case MarkdownKind::strikethrough:
        text().append("~~");
        break;
      default:
        enter_leaf(part);
        break;
    }
  }

  void leave(const MarkdownPart& part) override {
    put_words();
    switch (part.kind) {
      case MarkdownKind::paragraph:
        text().append(part.tight ? "\n" : "\n\n");
        break;
      case MarkdownKind::heading:
        text().append("\n\n");
        break;
      case MarkdownKind::quote:
        leave_quote();
        break;
      case MarkdownKind::list:
        numbers_.pop_back();
        text().append("\n");
        break;
      case MarkdownKind::item:
        leave_item(part);
        break;
      case MarkdownKind::table:
        text().append("\n");
        break;
      case MarkdownKind::table_row:
        leave_row(part);
        break;
      case MarkdownKind::table_cell:
        leave_cell(part);
        break;
      case MarkdownKind::emphasis:
        text().push_back('*');
        break;
      case MarkdownKind::strong:
        text().append("**");
        break;
      case MarkdownKind::strikethrough:
        text().append("~~");
        break;
      case MarkdownKind::link:
      case MarkdownKind::image:
        leave_link(part);
        break;
      default:
        break;  // has no content
    }
  }

 private:
  std::string& text() { return open_.empty() ? out_ : open_.back(); }

  std::string take() {
    std::string inside = std::move(open_.back());
    open_.pop_back();
    return inside;
  }

  void put_words() {
    if (words_.empty()) return;
    std::string& to = text();
    const bool starts_line = to.empty() || to.back() == '\n';
    append_markdown(to, words_, Breaks::join, starts_line ? LineStart::yes : LineStart::no);
    words_.clear();
  }

  void enter_leaf(const MarkdownPart& part) {
    switch (part.kind) {
      case MarkdownKind::code_block:
        append_fenced(text(), part.literal, part.info);
        text().push_back('\n');
        break;
      case MarkdownKind::html_block:
        append_markdown(text(), part.literal, Breaks::keep, LineStart::yes);
        text().append("\n\n");
        break;
      case MarkdownKind::plain:
        append_fenced(text(), part.literal);
        text().push_back('\n');
        break;
      case MarkdownKind::rule:
        text().append("***\n\n");
        break;
      case MarkdownKind::code:
        append_code_span(text(), part.literal);
        break;
      case MarkdownKind::soft_break:
        text().push_back('\n');
        break;
      case MarkdownKind::line_break:
        text().append("\\\n");
        break;
      default:
        break;
    }
  }

  void leave_quote() {
    const std::string inside = take();
    append_prefixed(text(), inside, "> ");
    text().push_back('\n');
  }

  void leave_item(const MarkdownPart& part) {
    std::string inside = take();
    const bool ordered = !numbers_.empty() && numbers_.back() >= 0;
    std::string marker = ordered ? fmt::format("{}. ", numbers_.back()) : std::string("- ");
    if (ordered) {
      if (numbers_.back() < 999'999'999) ++numbers_.back();
    }
    const std::string indent(marker.size(), ' ');
    if (part.checked) marker.append(*part.checked ? "[x] " : "[ ] ");
    if (inside.empty()) inside.push_back('\n');
    std::string lines;
    append_prefixed(lines, inside, indent);
    text().append(marker).append(
        std::string_view(lines).substr(std::min(indent.size(), lines.size())));
  }

  void leave_cell(const MarkdownPart& part) {
    const std::string inside = take();
    if (part.header_row) {
      aligns_.resize(part.column);
      aligns_.push_back(part.align);
    }
    text().push_back(' ');
    char before = '\0';
    for (const char c : inside) {  // a pipe ends a cell, also in code
      if (c == '|' && before != '\\') text().push_back('\\');
      text().push_back(c == '\n' ? ' ' : c);
      before = c;
    }
    text().append(" |");
  }

  void leave_row(const MarkdownPart& part) {
    text().append("\n");
    if (!part.header_row) return;
    text().push_back('|');
    for (const MarkdownAlign align : aligns_) {
      text().append(align == MarkdownAlign::center  ? " :-: |"
                    : align == MarkdownAlign::right ? " --: |"
                                                    : " --- |");
    }
    text().append("\n");
  }

  void leave_link(const MarkdownPart& part) {
    const std::string inside = take();
    if (part.kind == MarkdownKind::image) text().append("picture: ");
    if (!part.destination.empty()) {
      text().push_back('[');
      if (inside.find_first_not_of(" \n") == std::string::npos) {
        append_markdown(text(), part.destination);
      } else {
        text().append(inside);
      }
      text().append("](");
      append_destination(text(), part.destination);
      text().push_back(')');
      return;
    }
    text().append(inside);
    if (part.refused.empty() || part.refused == inside) return;
    text().append(" (");
    append_code_span(text(), part.refused);
    text().push_back(')');
  }

  std::string& out_;
  std::string words_;
  std::vector<std::string> open_;
  std::vector<std::int64_t> numbers_;
  std::vector<MarkdownAlign> aligns_;
};

}  // namespace

void append_prefixed(std::string& out, std::string_view text, std::string_view prefix) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::string_view bare = prefix.substr(0, prefix.find_last_not_of(' ') + 1);
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.append(end == 0 ? bare : prefix).append(text.substr(0, end)).push_back('\n');
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

void append_markdown_text(std::string& out, std::string_view text) {
  std::string written;
  MarkdownWriterVisitor visitor(written);
  walk_markdown(text, visitor);
  while (!written.empty() && written.back() == '\n') written.pop_back();
  if (!written.empty()) out.append(written).append("\n\n");
}

}  // namespace dragoman::show
