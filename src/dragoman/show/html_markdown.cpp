// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/html_markdown.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/show/markdown_tree.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::show {
namespace {

bool blank(char32_t c) {
  return c <= ' ' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
         c == 0x205F || c == 0x2800 || c == 0x3000;
}

// Whether HTML of ours has anything to see between its tags.
bool has_words(std::string_view html) {
  bool in_tag = false;
  while (!html.empty()) {
    const utf8::CodePoint c = utf8::first(html);
    html.remove_prefix(c.length);
    if (c.value == '<') in_tag = true;
    if (!in_tag && !blank(c.value)) return true;
    if (c.value == '>') in_tag = false;
  }
  return false;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

class HtmlVisitor final : public MarkdownVisitor {
 public:
  HtmlVisitor(std::string& out, HtmlOutline& outline) : out_(out), outline_(outline) {}

  void enter(const MarkdownPart& part) override {
    switch (part.kind) {
      case MarkdownKind::paragraph:
        out_.append(part.tight ? "" : "<p>");
        break;
      case MarkdownKind::quote:
        out_.append("<blockquote>\n");
        break;
      case MarkdownKind::list:
        enter_list(part);
        break;
      case MarkdownKind::item:
        enter_item(part);
        break;
      case MarkdownKind::table:
      case MarkdownKind::heading:
      case MarkdownKind::table_cell:
      case MarkdownKind::link:
      case MarkdownKind::image:
        starts_.push_back(out_.size());
        break;
      case MarkdownKind::table_row:
        out_.append(part.header_row ? "<thead><tr>" : "<tr>");
        break;
      case MarkdownKind::code_block:
        put_verbatim(part.literal, "<pre><code>", "</code></pre>\n");
        break;
      case MarkdownKind::html_block:
      case MarkdownKind::plain:
        put_verbatim(part.literal, "<p class=\"plain\">", "</p>\n");
        break;
      case MarkdownKind::rule:
        out_.append("<hr>\n");
        break;
      case MarkdownKind::emphasis:
        out_.append("<em>");
        break;
      case MarkdownKind::strong:
        out_.append("<strong>");
        break;
      case MarkdownKind::strikethrough:
        out_.append("<del>");
        break;
      case MarkdownKind::text:
        append_html(out_, part.literal);
        break;
      case MarkdownKind::code:
        put_verbatim(part.literal, "<code>", "</code>");
        break;
      case MarkdownKind::soft_break:
      case MarkdownKind::line_break:
        out_.append("<br>\n");
        break;
    }
  }

  void leave(const MarkdownPart& part) override {
    switch (part.kind) {
      case MarkdownKind::paragraph:
        out_.append(part.tight ? "\n" : "</p>\n");
        break;
      case MarkdownKind::heading:
        leave_heading(part);
        break;
      case MarkdownKind::quote:
        out_.append("</blockquote>\n");
        break;
      case MarkdownKind::list:
        out_.append(part.ordered ? "</ol>\n" : "</ul>\n");
        break;
      case MarkdownKind::item:
        out_.append("</li>\n");
        break;
      case MarkdownKind::table:
        leave_table();
        break;
      case MarkdownKind::table_row:
        out_.append(part.header_row ? "</tr></thead>\n" : "</tr>\n");
        break;
      case MarkdownKind::table_cell:
        leave_cell(part);
        break;
      case MarkdownKind::emphasis:
        out_.append("</em>");
        break;
      case MarkdownKind::strong:
        out_.append("</strong>");
        break;
      case MarkdownKind::strikethrough:
        out_.append("</del>");
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
  std::string take_back() {
    const std::size_t start = starts_.back();
    starts_.pop_back();
    std::string inside = out_.substr(start);
    out_.resize(start);
    return inside;
  }

  void put_verbatim(std::string_view text, std::string_view open, std::string_view close) {
    out_.append(open);
    append_html(out_, text);
    out_.append(close);
  }

  void enter_list(const MarkdownPart& part) {
    if (!part.ordered) {
      out_.append("<ul>\n");
    } else if (part.start == 1) {
      out_.append("<ol>\n");
    } else {
      out_.append(fmt::format("<ol start=\"{}\">\n", part.start));
    }
  }

  void enter_item(const MarkdownPart& part) {
    if (!part.checked) {
      out_.append("<li>");
      return;
    }
    out_.append(*part.checked
                    ? "<li class=\"task\"><span role=\"img\" aria-label=\"done\">☑</span> "
                    : "<li class=\"task\"><span role=\"img\" aria-label=\"open\">☐</span> ");
  }

  void leave_heading(const MarkdownPart& part) {
    const std::string inside = take_back();
    if (!has_words(inside)) return;
    const int level = std::min({part.level + 2, outline_.heading + 1, 6});
    outline_.heading = level;
    out_.append(fmt::format("<h{} class=\"md{}\">{}</h{}>\n", level, part.level, inside, level));
  }

  void leave_cell(const MarkdownPart& part) {
    const std::string inside = take_back();
    const bool head = part.header_row && has_words(inside);
    std::string_view align;
    if (part.align == MarkdownAlign::center) align = " class=\"center\"";
    if (part.align == MarkdownAlign::right) align = " class=\"right\"";
    out_.append(head ? "<th scope=\"col\"" : "<td").append(align).append(">").append(inside);
    out_.append(head ? "</th>" : "</td>");
  }

  void leave_table() {
    std::string inside = take_back();
    if (inside.find("\n<tr>") == std::string::npos) {  // heads of nothing
      replace_all(inside, "<th scope=\"col\"", "<td");
      replace_all(inside, "</th>", "</td>");
    }
    out_.append(fmt::format(
        "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Table {}\"><table>\n",
        ++outline_.tables));
    out_.append(inside).append("</table></div>\n");
  }

  void leave_link(const MarkdownPart& part) {
    const std::string inside = take_back();
    const bool named = has_words(inside);
    const bool picture = part.kind == MarkdownKind::image;
    if (picture) out_.append("<span class=\"note\">picture: </span>");
    if (!part.destination.empty()) {
      out_.append("<a rel=\"noopener noreferrer nofollow\" href=\"");
      append_html(out_, part.destination);
      out_.append("\">").append(inside);
      if (!named) append_html(out_, part.destination);
      out_.append("</a>");
      return;
    }
    // Not to be followed, but said all the same.
    out_.append(inside);
    if (part.refused.empty() || part.refused == inside) return;
    out_.append("<span class=\"note\"> (<code>");
    append_html(out_, part.refused);
    out_.append("</code>)</span>");
  }

  std::string& out_;
  HtmlOutline& outline_;
  std::vector<std::size_t> starts_;
};

}  // namespace

void append_html_markdown(std::string& out, std::string_view text, HtmlOutline& outline) {
  HtmlVisitor visitor(out, outline);
  walk_markdown(text, visitor);
}

}  // namespace dragoman::show
