// SPDX-License-Identifier: Apache-2.0
// Markdown drawn on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/show/markdown_tree.hpp"
#include "dragoman/show/sheet.hpp"

namespace dragoman::show {

// Whether a line end in a paragraph only wraps prose: what stands before it is a full line. A line
// end after a short line is meant, and stays.
[[nodiscard]] inline bool wraps_prose(std::size_t columns_before) { return columns_before >= 60; }

// Lines that the agent meant stay lines; nothing it wrote is left out. Where there are no colours,
// the signs that colours would replace (#, `) are kept.
class MarkdownDrawer final : public MarkdownVisitor {
 public:
  explicit MarkdownDrawer(Sheet& sheet) : sheet_(sheet) {}

  void draw(std::string_view text) { walk_markdown(text, *this); }
  // More lines of the code that was drawn last.
  void continue_code(std::string_view code);

  void enter(const MarkdownPart& part) override;
  void leave(const MarkdownPart& part) override;

 private:
  // A quote or a list item around what is drawn.
  struct Around {
    RichText first;  // before its first line
    RichText rest;   // before the others
    bool begun = false;
  };
  struct List {
    bool ordered = false;
    bool tight = false;
    std::int64_t number = 1;
  };
  struct Cell {
    RichText text;
    MarkdownAlign align = MarkdownAlign::none;
  };
  using Row = std::vector<Cell>;

  void enter_inline(const MarkdownPart& part);
  void leave_inline(const MarkdownPart& part);
  void enter_item(const MarkdownPart& part);
  void begin_inline();
  void separate();  // from the block before
  void draw_inline();
  void draw_block(const RichText& text, Wrapping wrapping);
  void draw_code(const MarkdownPart& part);
  [[nodiscard]] static Around beside_code();
  void draw_rule();
  void draw_table();
  void draw_records();
  void draw_row(const Row& row, const std::vector<std::size_t>& widths, Ink ink);
  [[nodiscard]] std::vector<std::size_t> column_widths() const;  // none: they do not fit
  [[nodiscard]] Ink ink() const { return inks_.empty() ? Ink::plain : inks_.back(); }
  [[nodiscard]] bool colored() const { return sheet_.palette().colored(); }

  Sheet& sheet_;
  RichText inline_;
  std::size_t line_begin_ = 0;  // in inline_, of the line as the agent wrote it
  std::vector<Ink> inks_;
  std::vector<std::size_t> link_starts_;
  std::vector<Around> around_;
  std::vector<List> lists_;
  std::vector<Row> rows_;
};

}  // namespace dragoman::show
