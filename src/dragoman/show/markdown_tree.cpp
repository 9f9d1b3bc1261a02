// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/markdown_tree.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <array>
#include <string>

#include "dragoman/framing/block_structure.hpp"
#include "dragoman/show/neutral.hpp"
#include "dragoman/show/simple_markdown.hpp"

namespace dragoman::show {
namespace {

struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};

std::string_view view(const char* text) { return text == nullptr ? std::string_view() : text; }

// Types of the extensions have numbers only at run time; their names are fixed.
std::optional<MarkdownKind> extension_kind(cmark_node* node) {
  const std::string_view type = view(cmark_node_get_type_string(node));
  if (type == "table") return MarkdownKind::table;
  if (type == "table_row" || type == "table_header") return MarkdownKind::table_row;
  if (type == "table_cell") return MarkdownKind::table_cell;
  if (type == "strikethrough") return MarkdownKind::strikethrough;
  if (type == "tasklist") return MarkdownKind::item;
  return std::nullopt;
}

// Nothing for the document itself and for what the walk passes over.
std::optional<MarkdownKind> kind_of(cmark_node* node) {
  switch (cmark_node_get_type(node)) {
    case CMARK_NODE_PARAGRAPH:
      return MarkdownKind::paragraph;
    case CMARK_NODE_HEADING:
      return MarkdownKind::heading;
    case CMARK_NODE_BLOCK_QUOTE:
      return MarkdownKind::quote;
    case CMARK_NODE_LIST:
      return MarkdownKind::list;
    case CMARK_NODE_ITEM:
      return MarkdownKind::item;  // a task keeps this type and changes its name
    case CMARK_NODE_CODE_BLOCK:
      return MarkdownKind::code_block;
    case CMARK_NODE_HTML_BLOCK:
      return MarkdownKind::html_block;
    case CMARK_NODE_THEMATIC_BREAK:
      return MarkdownKind::rule;
    case CMARK_NODE_EMPH:
      return MarkdownKind::emphasis;
    case CMARK_NODE_STRONG:
      return MarkdownKind::strong;
    case CMARK_NODE_LINK:
      return MarkdownKind::link;
    case CMARK_NODE_IMAGE:
      return MarkdownKind::image;
    case CMARK_NODE_TEXT:
    case CMARK_NODE_HTML_INLINE:
      return MarkdownKind::text;
    case CMARK_NODE_CODE:
      return MarkdownKind::code;
    case CMARK_NODE_SOFTBREAK:
      return MarkdownKind::soft_break;
    case CMARK_NODE_LINEBREAK:
      return MarkdownKind::line_break;
    default:
      return extension_kind(node);
  }
}

void read_cell(cmark_node* node, MarkdownPart& part) {
  cmark_node* const row = cmark_node_parent(node);
  cmark_node* const table = row == nullptr ? nullptr : cmark_node_parent(row);
  part.header_row = row != nullptr && cmark_gfm_extensions_get_table_row_is_header(row) != 0;
  if (table == nullptr) return;
  part.columns = cmark_gfm_extensions_get_table_columns(table);
  const std::uint8_t* const aligns = cmark_gfm_extensions_get_table_alignments(table);
  if (aligns == nullptr || part.column >= part.columns) return;
  switch (aligns[part.column]) {
    case 'l':
      part.align = MarkdownAlign::left;
      break;
    case 'c':
      part.align = MarkdownAlign::center;
      break;
    case 'r':
      part.align = MarkdownAlign::right;
      break;
    default:
      break;
  }
}

bool in_tight_list(cmark_node* paragraph) {
  cmark_node* const item = cmark_node_parent(paragraph);
  cmark_node* const list = item == nullptr ? nullptr : cmark_node_parent(item);
  return list != nullptr && cmark_node_get_type(list) == CMARK_NODE_LIST &&
         cmark_node_get_list_tight(list) != 0;
}

void read_block(cmark_node* node, MarkdownPart& part) {
  switch (part.kind) {
    case MarkdownKind::paragraph:
      part.tight = in_tight_list(node);
      break;
    case MarkdownKind::heading:
      part.level = cmark_node_get_heading_level(node);
      break;
    case MarkdownKind::list:
      part.ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
      part.start = cmark_node_get_list_start(node);
      part.tight = cmark_node_get_list_tight(node) != 0;
      break;
    case MarkdownKind::item:
      if (view(cmark_node_get_type_string(node)) == "tasklist") {
        part.checked = cmark_gfm_extensions_get_tasklist_item_checked(node);
      }
      break;
    case MarkdownKind::table:
      part.columns = cmark_gfm_extensions_get_table_columns(node);
      break;
    case MarkdownKind::table_row:
      part.header_row = cmark_gfm_extensions_get_table_row_is_header(node) != 0;
      break;
    case MarkdownKind::table_cell:
      read_cell(node, part);
      break;
    case MarkdownKind::code_block:
      part.info = view(cmark_node_get_fence_info(node));
      part.info = part.info.substr(0, part.info.find_first_of(" \t"));
      break;
    default:
      break;
  }
}

MarkdownPart read_part(cmark_node* node, MarkdownKind kind, std::size_t column) {
  MarkdownPart part;
  part.column = column;
  part.kind = kind;
  if (!has_content(kind)) part.literal = view(cmark_node_get_literal(node));
  if (kind == MarkdownKind::link || kind == MarkdownKind::image) {
    const std::string_view url = view(cmark_node_get_url(node));
    (safe_link(url) ? part.destination : part.refused) = url;
  } else {
    read_block(node, part);
  }
  return part;
}

// Rows and cells make no sense without their table, so only the others count.
bool nests(MarkdownKind kind) {
  return kind == MarkdownKind::quote || kind == MarkdownKind::list || kind == MarkdownKind::item ||
         kind == MarkdownKind::emphasis || kind == MarkdownKind::strong ||
         kind == MarkdownKind::strikethrough;
}

}  // namespace

bool has_content(MarkdownKind kind) {
  switch (kind) {
    case MarkdownKind::paragraph:
    case MarkdownKind::heading:
    case MarkdownKind::quote:
    case MarkdownKind::list:
    case MarkdownKind::item:
    case MarkdownKind::table:
    case MarkdownKind::table_row:
    case MarkdownKind::table_cell:
    case MarkdownKind::emphasis:
    case MarkdownKind::strong:
    case MarkdownKind::strikethrough:
    case MarkdownKind::link:
    case MarkdownKind::image:
      return true;
    case MarkdownKind::code_block:
    case MarkdownKind::html_block:
    case MarkdownKind::plain:
    case MarkdownKind::rule:
    case MarkdownKind::text:
    case MarkdownKind::code:
    case MarkdownKind::soft_break:
    case MarkdownKind::line_break:
      return false;
  }
  return false;
}

void MarkdownTree::Free::operator()(cmark_node* node) const { cmark_node_free(node); }

MarkdownTree::MarkdownTree(std::string_view text) {
  cmark_gfm_core_extensions_ensure_registered();
  constexpr int kOptions = CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE;
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(kOptions));
  for (const char* const name : {"table", "strikethrough", "autolink", "tasklist"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  root_.reset(cmark_parser_finish(parser.get()));
}

void MarkdownTree::walk(MarkdownVisitor& visitor) const {
  if (root_ == nullptr) return;
  const std::unique_ptr<cmark_iter, FreeIterator> iterator(cmark_iter_new(root_.get()));
  std::size_t depth = 0;
  std::size_t column = 0;  // of the table row that is being walked
  for (;;) {
    const cmark_event_type event = cmark_iter_next(iterator.get());
    if (event == CMARK_EVENT_DONE) return;
    cmark_node* const node = cmark_iter_get_node(iterator.get());
    const std::optional<MarkdownKind> kind = kind_of(node);
    if (!kind) continue;
    const bool leaving = event == CMARK_EVENT_EXIT;
    if (leaving && !has_content(*kind)) continue;
    if (nests(*kind)) {
      const std::size_t level = leaving ? depth-- : ++depth;
      if (level > kMaxMarkdownDepth) continue;
    }
    if (*kind == MarkdownKind::table_row) column = 0;
    const MarkdownPart part = read_part(node, *kind, column);
    if (leaving && *kind == MarkdownKind::table_cell) ++column;
    leaving ? visitor.leave(part) : visitor.enter(part);
  }
}

namespace {

std::string_view trimmed_start(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// Sees the next line; whether the place behind it is inside a fence.
bool inside_after(framing::BlockStructure& blocks, std::string_view line) {
  static_cast<void>(blocks.take(line));
  return blocks.in_fence();
}

}  // namespace

std::size_t markdown_cut(std::string_view text, std::size_t limit) {
  framing::BlockStructure blocks;
  bool inside = false;
  std::size_t best = 0;
  std::size_t at = 0;
  while (at < text.size() && at <= limit) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(at, end - at);
    const bool inside_before = inside;
    inside = inside_after(blocks, line);
    if (inside && !inside_before && !line.starts_with(' ')) best = at;
    at = end + 1;
    if (!inside && trimmed_start(line).find_first_not_of('\r') == std::string_view::npos) best = at;
  }
  return best;
}

std::string_view markdown_open_fence(std::string_view text) {
  framing::BlockStructure blocks;
  std::string_view opening;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool inside_before = inside;
    inside = inside_after(blocks, line);
    if (inside && !inside_before) opening = trimmed_start(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return inside ? opening : std::string_view();
}

namespace {

void walk_piece(std::string_view text, MarkdownVisitor& visitor) {
  if (!walk_simple_markdown(text, visitor)) MarkdownTree(text).walk(visitor);
}

}  // namespace

void walk_markdown(std::string_view text, MarkdownVisitor& visitor) {
  while (!text.empty()) {
    if (text.size() <= kMaxMarkdownBlock) {
      walk_piece(text, visitor);
      return;
    }
    const std::size_t cut = markdown_cut(text, kMaxMarkdownBlock);
    if (cut > 0 && cut <= kMaxMarkdownBlock) {
      walk_piece(text.substr(0, cut), visitor);
      text.remove_prefix(cut);
      continue;
    }
    // Code may be as long as it likes.
    const std::size_t code = simple_code_block(text);
    if (code > 0 && walk_simple_markdown(text.substr(0, code), visitor)) {
      text.remove_prefix(code);
      continue;
    }
    // No empty line for so long: up to the next one it is no prose.
    const std::size_t next = text.find("\n\n", kMaxMarkdownBlock);
    const std::size_t length = next == std::string_view::npos ? text.size() : next + 2;
    MarkdownPart part;
    part.kind = MarkdownKind::plain;
    part.literal = text.substr(0, length);
    visitor.enter(part);
    text.remove_prefix(length);
  }
}

}  // namespace dragoman::show
