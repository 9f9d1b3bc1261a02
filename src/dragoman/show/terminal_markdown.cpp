// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/terminal_markdown.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/show/columns.hpp"

namespace dragoman::show {

void MarkdownDrawer::enter(const MarkdownPart& part) {
  switch (part.kind) {
    case MarkdownKind::paragraph:
      begin_inline();
      return;
    case MarkdownKind::heading:
      begin_inline();
      inks_.push_back(part.level <= 2 ? Ink::heading : Ink::bold);
      if (!colored())
        inline_.put(Ink::plain, std::string(static_cast<std::size_t>(part.level), '#') + " ");
      return;
    case MarkdownKind::quote:
      separate();
      around_.emplace_back();
      around_.back().first.put(Ink::dim, colored() ? "\u2502 " : "> ");
      around_.back().rest.put(Ink::dim, colored() ? "\u2502 " : "> ");
      return;
    case MarkdownKind::list:
      if (lists_.empty()) separate();
      lists_.push_back({part.ordered, part.tight, part.start});
      return;
    case MarkdownKind::item:
      enter_item(part);
      return;
    case MarkdownKind::table:
      rows_.clear();
      return;
    case MarkdownKind::table_row:
      rows_.emplace_back();
      return;
    case MarkdownKind::table_cell:
      begin_inline();
      return;
    case MarkdownKind::code_block:
      draw_code(part);
      return;
    case MarkdownKind::html_block:
    case MarkdownKind::plain:
      separate();
      inline_.clear();
      inline_.add(Ink::plain, part.literal, Breaks::keep);
      inline_.trim_end();
      draw_block(inline_, Wrapping::words);
      return;
    case MarkdownKind::rule:
      draw_rule();
      return;
    case MarkdownKind::emphasis:
    case MarkdownKind::strong:
    case MarkdownKind::strikethrough:
    case MarkdownKind::link:
    case MarkdownKind::image:
    case MarkdownKind::text:
    case MarkdownKind::code:
    case MarkdownKind::soft_break:
    case MarkdownKind::line_break:
      enter_inline(part);
      return;
  }
}

void MarkdownDrawer::leave(const MarkdownPart& part) {
  switch (part.kind) {
    case MarkdownKind::paragraph:
      draw_inline();
      return;
    case MarkdownKind::heading:
      inks_.pop_back();
      draw_inline();
      return;
    case MarkdownKind::quote:
      if (!around_.empty()) around_.pop_back();
      return;
    case MarkdownKind::item: {
      // An item without words still has its sign.
      if (!around_.empty() && !around_.back().begun) {
        inline_.clear();
        draw_block(inline_, Wrapping::words);
      }
      if (!around_.empty()) around_.pop_back();
      return;
    }
    case MarkdownKind::list:
      if (!lists_.empty()) lists_.pop_back();
      return;
    case MarkdownKind::table:
      draw_table();
      return;
    case MarkdownKind::table_cell:
      if (!rows_.empty()) rows_.back().push_back({inline_, part.align});
      inline_.clear();
      return;
    case MarkdownKind::table_row:
    case MarkdownKind::code_block:
    case MarkdownKind::html_block:
    case MarkdownKind::plain:
    case MarkdownKind::rule:
      return;
    case MarkdownKind::emphasis:
    case MarkdownKind::strong:
    case MarkdownKind::strikethrough:
    case MarkdownKind::link:
    case MarkdownKind::image:
    case MarkdownKind::text:
    case MarkdownKind::code:
    case MarkdownKind::soft_break:
    case MarkdownKind::line_break:
      leave_inline(part);
      return;
  }
}

void MarkdownDrawer::enter_item(const MarkdownPart& part) {
  List fallback;
  List& list = lists_.empty() ? fallback : lists_.back();
  if (!list.tight) separate();
  const bool numbered = list.ordered && !part.checked.has_value();
  std::string sign = numbered ? fmt::format("{}. ", list.number) : "\u2022 ";
  if (part.checked.has_value()) sign = *part.checked ? "\u2611 " : "\u2610 ";
  const std::size_t width = numbered ? sign.size() : 2;
  ++list.number;
  Around& around = around_.emplace_back();
  around.first.put(Ink::accent, sign);
  around.rest.put(Ink::plain, std::string(width, ' '));
}

void MarkdownDrawer::enter_inline(const MarkdownPart& part) {
  switch (part.kind) {
    case MarkdownKind::text:
      inline_.add(ink(), part.literal);
      return;
    case MarkdownKind::code:
      if (!colored()) inline_.put(Ink::code, "`");
      inline_.add(Ink::code, part.literal);
      if (!colored()) inline_.put(Ink::code, "`");
      return;
    case MarkdownKind::soft_break: {
      const std::string_view line = std::string_view(inline_.text()).substr(line_begin_);
      inline_.put(ink(), wraps_prose(columns(line)) ? " " : "\n");
      line_begin_ = inline_.text().size();
      return;
    }
    case MarkdownKind::line_break:
      inline_.put(ink(), "\n");
      line_begin_ = inline_.text().size();
      return;
    case MarkdownKind::emphasis:
      inks_.push_back(ink() == Ink::plain ? Ink::emphasis : ink());
      return;
    case MarkdownKind::strong:
      inks_.push_back(ink() == Ink::heading ? ink() : Ink::bold);
      return;
    case MarkdownKind::strikethrough:
      inks_.push_back(Ink::struck);
      return;
    default:  // NOLINT(bugprone-branch-clone): a link or a picture
      if (part.kind == MarkdownKind::image) inline_.put(Ink::dim, "\U0001F5BC ");
      inks_.push_back(part.destination.empty() ? ink() : Ink::link);
      link_starts_.push_back(inline_.text().size());
      return;
  }
}

void MarkdownDrawer::leave_inline(const MarkdownPart& part) {
  if (!inks_.empty()) inks_.pop_back();
  if (part.kind != MarkdownKind::link && part.kind != MarkdownKind::image) return;
  const std::size_t start = link_starts_.empty() ? 0 : link_starts_.back();
  if (!link_starts_.empty()) link_starts_.pop_back();
  const bool refused = part.destination.empty();
  const std::string_view target = refused ? part.refused : part.destination;
  const std::string_view words = std::string_view(inline_.text()).substr(start);
  // A link that shows its own address needs no second one.
  if (target.empty() || target == words || target == "mailto:" + std::string(words) ||
      target == "http://" + std::string(words)) {
    return;
  }
  inline_.put(Ink::dim, " (");
  inline_.add(Ink::dim, target);
  inline_.put(Ink::dim, refused ? ", not a link)" : ")");
}

void MarkdownDrawer::begin_inline() {
  inline_.clear();
  line_begin_ = 0;
}

void MarkdownDrawer::separate() {
  for (const Around& around : around_) {
    if (!around.begun) return;  // the block is the first of its item
  }
  if (!lists_.empty() && lists_.back().tight) return;
  if (around_.empty()) sheet_.gap();
  // Inside a quote or an item the gap keeps the bars.
  if (!around_.empty()) {
    RichText bars;
    for (const Around& around : around_) {
      for (const RichText::Span& span : around.rest.spans()) bars.put(span.ink, around.rest.text());
    }
    bars.trim_end();
    sheet_.line(bars);
  }
}

void MarkdownDrawer::draw_inline() {
  inline_.trim_end();
  separate();
  draw_block(inline_, Wrapping::words);
  inline_.clear();
}

void MarkdownDrawer::draw_block(const RichText& text, Wrapping wrapping) {
  if (around_.empty()) {
    sheet_.lines(text, wrapping);
    return;
  }
  if (around_.size() == 1) {
    Around& around = around_.back();
    const RichText& before = around.begun ? around.rest : around.first;
    around.begun = true;
    sheet_.lines(text, wrapping, &before, &around.rest);
    return;
  }
  RichText first;
  RichText rest;
  for (Around& around : around_) {
    const RichText& now = around.begun ? around.rest : around.first;
    if (!now.spans().empty()) first.put(now.spans().front().ink, now.text());
    if (!around.rest.spans().empty()) {
      rest.put(around.rest.spans().front().ink, around.rest.text());
    }
    around.begun = true;
  }
  sheet_.lines(text, wrapping, &first, &rest);
}

void MarkdownDrawer::draw_code(const MarkdownPart& part) {
  separate();
  if (!part.info.empty()) {
    around_.push_back(beside_code());
    RichText info;
    info.add(Ink::dim, part.info);
    draw_block(info, Wrapping::words);
    around_.pop_back();
  }
  continue_code(part.literal);
}

void MarkdownDrawer::continue_code(std::string_view code) {
  around_.push_back(beside_code());
  if (code.ends_with('\n')) code.remove_suffix(1);
  RichText text;
  text.add(Ink::code, code, Breaks::keep);
  draw_block(text, Wrapping::anywhere);
  around_.pop_back();
}

MarkdownDrawer::Around MarkdownDrawer::beside_code() {
  Around around;
  around.first.put(Ink::dim, "\u258F ");
  around.rest.put(Ink::dim, "\u258F ");
  return around;
}

void MarkdownDrawer::draw_rule() {
  separate();
  RichText rule;
  for (std::size_t i = std::min<std::size_t>(sheet_.room(), 40); i > 4; --i) {
    rule.put(Ink::dim, "\u2500");
  }
  draw_block(rule, Wrapping::never);
}

}  // namespace dragoman::show
