// SPDX-License-Identifier: Apache-2.0
// Markdown as a walk over its parts: GitHub's dialect with tables, strikethrough, autolinks and
// task lists. The terminal and the pages draw the same walk.
//
// Safe by construction: raw HTML arrives as text, a link has a destination only if it may be
// followed (http, https, mailto), pictures are never fetched. The literals are still the agent's:
// whoever writes them neutralises them for its sink (show/neutral.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

struct cmark_node;

namespace dragoman::show {

enum class MarkdownKind : std::uint8_t {
  // Blocks with content; enter() and leave() are called for each.
  paragraph,  // tight: the only words of an item in a tight list
  heading,    // level
  quote,
  list,  // ordered, start, tight
  item,  // checked: a task
  table,
  table_row,   // header_row
  table_cell,  // column: its number from 0, align
  // Blocks without; enter() alone is called.
  code_block,  // literal, info: the first word behind the fence
  html_block,  // literal: raw HTML, to be shown as the text it is
  plain,       // literal: a stretch too long to be parsed, to be shown as it is
  rule,
  // Inlines with content.
  emphasis,
  strong,
  strikethrough,
  link,   // destination, or refused: what the agent wrote and nobody follows
  image,  // the same; its content is the description
  // Inlines without.
  text,  // literal; raw inline HTML too
  code,  // literal
  soft_break,
  line_break,
};

enum class MarkdownAlign : std::uint8_t { none, left, center, right };

// Valid during the call it is passed to.
struct MarkdownPart {
  MarkdownKind kind = MarkdownKind::text;
  std::string_view literal;
  std::string_view info;
  std::string_view destination;
  std::string_view refused;
  int level = 0;
  bool ordered = false;
  bool tight = false;
  bool header_row = false;
  std::int64_t start = 1;
  std::size_t column = 0;
  std::size_t columns = 0;
  MarkdownAlign align = MarkdownAlign::none;
  std::optional<bool> checked;
};

[[nodiscard]] bool has_content(MarkdownKind kind);

class MarkdownVisitor {
 public:
  virtual ~MarkdownVisitor() = default;
  virtual void enter(const MarkdownPart& part) = 0;
  virtual void leave(const MarkdownPart& part) = 0;  // only of parts with content
};

// A parsed piece of Markdown.
class MarkdownTree {
 public:
  // `text` should be shorter than kMaxMarkdownBlock; walk_markdown() sees to it.
  explicit MarkdownTree(std::string_view text);

  void walk(MarkdownVisitor& visitor) const;

 private:
  struct Free {
    void operator()(cmark_node* node) const;
  };
  std::unique_ptr<cmark_node, Free> root_;
};

// Parsing a table takes time with the square of its size: more than this in one stretch is shown
// as it is.
inline constexpr std::size_t kMaxMarkdownBlock = 32 * 1024;

// Containers inside more containers than this are left out of the walk; their content is not.
inline constexpr std::size_t kMaxMarkdownDepth = 32;

// Walks `text` of any length: a long one is cut at empty lines and before code fences.
void walk_markdown(std::string_view text, MarkdownVisitor& visitor);

// Where `text` can be cut into two documents: behind the last empty line outside a code fence, or
// before the fence that begins at or before `limit`; 0 when there is none. For those who have to
// pass on text that is still being written.
[[nodiscard]] std::size_t markdown_cut(std::string_view text, std::size_t limit);

// The line that opened the code which `text` ends inside of, without its newline; empty when it
// ends elsewhere.
[[nodiscard]] std::string_view markdown_open_fence(std::string_view text);

}  // namespace dragoman::show
