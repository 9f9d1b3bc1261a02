// SPDX-License-Identifier: Apache-2.0
// Tables of Markdown: as wide as they need, cells wrapped where the terminal is narrower, and one
// below the other where there are too many of them for any line.
#include <algorithm>
#include <numeric>

#include "dragoman/show/columns.hpp"
#include "dragoman/show/terminal_markdown.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kBetween = 3;    // " │ "
constexpr std::size_t kLeastCell = 4;  // columns of a cell that has to give way

// The part of `text` between two places, as a text of its own.
void put_part(RichText& out, const RichText& text, const TextLine& line, Ink under) {
  std::size_t begin = line.begin;
  for (const RichText::Span& span : text.spans()) {
    if (span.end <= begin) continue;
    const std::size_t end = std::min(span.end, line.end);
    if (begin >= end) break;
    out.put(span.ink == Ink::plain ? under : span.ink,
            std::string_view(text.text()).substr(begin, end - begin));
    begin = end;
  }
}

std::size_t blanks_before(MarkdownAlign align, std::size_t free) {
  switch (align) {
    case MarkdownAlign::none:
    case MarkdownAlign::left:
      return 0;
    case MarkdownAlign::center:
      return free / 2;
    case MarkdownAlign::right:
      return free;
  }
  return 0;
}

}  // namespace

std::vector<std::size_t> MarkdownDrawer::column_widths() const {
  std::vector<std::size_t> widths;
  for (const Row& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 1);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i].text.text()));
    }
  }
  std::size_t indent = 0;
  for (const Around& around : around_) indent += columns(around.rest.text());
  const std::size_t room = sheet_.room() > indent ? sheet_.room() - indent : 1;
  const std::size_t between = widths.empty() ? 0 : kBetween * (widths.size() - 1);
  std::size_t sum = std::accumulate(widths.begin(), widths.end(), between);
  while (sum > room) {
    // The widest gives way until all fit.
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeastCell) return {};
    --*widest;
    --sum;
  }
  return widths;
}

void MarkdownDrawer::draw_row(const Row& row, const std::vector<std::size_t>& widths, Ink ink) {
  std::vector<std::vector<TextLine>> cut(widths.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    wrap(row[i].text.text(), widths[i], Wrapping::words, cut[i]);
    height = std::max(height, cut[i].size());
  }
  RichText line;
  for (std::size_t y = 0; y < height; ++y) {
    line.clear();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) line.put(Ink::dim, " \u2502 ");
      const bool filled = y < cut[i].size();
      const std::size_t used = filled ? std::min(cut[i][y].columns, widths[i]) : 0;
      const std::size_t free = widths[i] - used;
      const std::size_t lead = i < row.size() ? blanks_before(row[i].align, free) : 0;
      line.put(Ink::plain, std::string(lead, ' '));
      if (filled) put_part(line, row[i].text, cut[i][y], ink);
      line.put(Ink::plain, std::string(free - lead, ' '));
    }
    line.trim_end();
    draw_block(line, Wrapping::anywhere);
  }
}

// A line for each cell, behind the name of its column.
void MarkdownDrawer::draw_records() {
  const auto put_all = [](RichText& out, const RichText& text, Ink under) {
    put_part(out, text, {0, text.text().size(), 0}, under);
  };
  const Row& names = rows_.front();
  const std::size_t first = rows_.size() > 1 ? 1 : 0;
  for (std::size_t i = first; i < rows_.size(); ++i) {
    if (i > first) separate();
    for (std::size_t c = 0; c < rows_[i].size(); ++c) {
      RichText line;
      if (i > 0 && c < names.size() && !names[c].text.empty()) {
        put_all(line, names[c].text, Ink::bold);
        line.put(Ink::dim, ": ");
      }
      put_all(line, rows_[i][c].text, i > 0 ? Ink::plain : Ink::bold);
      line.trim_end();
      draw_block(line, Wrapping::words);
    }
  }
  rows_.clear();
}

void MarkdownDrawer::draw_table() {
  separate();
  const std::vector<std::size_t> widths = column_widths();
  if (widths.empty() && !rows_.empty()) {
    draw_records();
    return;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    draw_row(rows_[i], widths, i == 0 ? Ink::bold : Ink::plain);
    if (i > 0) continue;
    RichText rule;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) rule.put(Ink::dim, "\u2500\u253C\u2500");
      for (std::size_t n = 0; n < widths[c]; ++n) rule.put(Ink::dim, "\u2500");
    }
    draw_block(rule, Wrapping::anywhere);
  }
  rows_.clear();
}

}  // namespace dragoman::show
