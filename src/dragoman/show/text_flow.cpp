// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/text_flow.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman::show {
namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// "- x", "* x", "+ x", "12. x", "3) x"
bool begins_item(std::string_view line) {
  line.remove_prefix(indent_of(line));
  if (line.empty()) return false;
  const auto blank_at = [&](std::size_t at) { return at >= line.size() || line[at] == ' '; };
  if (line[0] == '-' || line[0] == '*' || line[0] == '+') return blank_at(1);
  std::size_t digits = 0;
  while (digits < line.size() && digits < 9 && ascii::is_digit(line[digits])) ++digits;
  return digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')') &&
         blank_at(digits + 1);
}

// How long the fence at the start of the line is; 0: none.
std::size_t fence_at(std::string_view line, char& sign) {
  const std::size_t indent = indent_of(line);
  if (indent > 3 || indent >= line.size()) return 0;
  line.remove_prefix(indent);
  if (line[0] != '`' && line[0] != '~') return 0;
  const std::size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  if (length < 3 || (line[0] == '`' && line.find('`', length) != std::string_view::npos)) return 0;
  sign = line[0];
  return length;
}

}  // namespace

void TextFlow::add(std::string_view words, TextForm form, Wrapping plain_wrapping) {
  if (form != form_) flush();
  form_ = form;
  plain_wrapping_ = plain_wrapping;
  if (form == TextForm::plain) {
    add_plain(words);
    return;
  }
  pending_.append(words);
  draw_ready_blocks();
}

void TextFlow::add_plain(std::string_view words) {
  const std::size_t last = words.rfind('\n');
  if (last == std::string_view::npos) {
    pending_.append(words);
    if (pending_.size() > kLongestPlainLine) flush();
    return;
  }
  if (!pending_.empty()) {
    const std::size_t first = words.find('\n');
    pending_.append(words.substr(0, first));
    draw_plain(pending_);
    pending_.clear();
    words.remove_prefix(first + 1);
    if (first == last) {
      pending_.assign(words);
      return;
    }
    const std::size_t rest = words.rfind('\n');
    draw_plain(words.substr(0, rest));
    pending_.assign(words.substr(rest + 1));
    return;
  }
  draw_plain(words.substr(0, last));
  pending_.assign(words.substr(last + 1));
}

void TextFlow::draw_plain(std::string_view lines) {
  std::string scratch;
  lines = without_colours(lines, scratch);
  if (lines.ends_with('\r')) lines.remove_suffix(1);  // of the line end that is not drawn
  rich_.clear();
  rich_.add(Ink::plain, lines, Breaks::keep);
  sheet_.lines(rich_, plain_wrapping_);
}

bool TextFlow::has_pending_words() const {
  return form_ == TextForm::plain ? !pending_.empty() : !ascii::is_blank(pending_);
}

void TextFlow::drop_pending() {
  pending_.clear();
  scanned_ = 0;
  gap_at_ = 0;
  has_words_ = false;
  in_list_ = false;
  fence_ = 0;
  code_drawn_ = false;
}

void TextFlow::flush() {
  if (!pending_.empty() && form_ == TextForm::plain) draw_plain(pending_);
  if (!pending_.empty() && form_ == TextForm::markdown) {
    const std::size_t last = pending_.rfind('\n') + 1;
    const bool closed = code_drawn_ && closes_fence(std::string_view(pending_).substr(last));
    if (closed || !code_drawn_) fence_ = 0;
    draw_piece(0, pending_.size(), closed ? Ends::yes : Ends::no);
  }
  drop_pending();
}

bool TextFlow::closes_fence(std::string_view line) const {
  char sign = 0;
  const std::size_t length = fence_at(line, sign);
  return fence_ != 0 && length >= fence_length_ && sign == fence_ &&
         ascii::is_blank(line.substr(indent_of(line) + length));
}

bool TextFlow::ends_block(std::string_view line) {
  if (fence_ != 0) {
    if (!closes_fence(line)) return false;
    fence_ = 0;
    return !in_list_;
  }
  if (ascii::is_blank(line)) return has_words_ && !in_list_;
  if (!has_words_) in_list_ = begins_item(line);
  has_words_ = true;
  fence_length_ = fence_at(line, fence_);
  // A heading is complete by itself.
  return !in_list_ && fence_length_ == 0 && line.starts_with('#');
}

void TextFlow::draw_ready_blocks() {
  std::size_t done = 0;
  for (;;) {
    const std::size_t newline = pending_.find('\n', scanned_);
    if (newline == std::string::npos) break;
    const std::string_view line = std::string_view(pending_).substr(scanned_, newline - scanned_);
    const bool in_code = fence_ != 0;
    if (in_list_ && !in_code && gap_at_ != 0 && !ascii::is_blank(line)) {
      // Behind an empty line a list goes on with an item or with something indented.
      if (!begins_item(line) && indent_of(line) < 2) {
        draw_block(std::string_view(pending_).substr(done, gap_at_ - done));
        done = gap_at_;
        has_words_ = in_list_ = false;
      }
      gap_at_ = 0;
    }
    const bool ends = ends_block(line);
    if (fence_ != 0 && !in_code) fence_begin_ = scanned_;
    scanned_ = newline + 1;
    if (in_list_ && fence_ == 0 && has_words_ && ascii::is_blank(line)) gap_at_ = scanned_;
    if (ends || scanned_ - done > kMostPending) {
      draw_piece(done, scanned_, ends ? Ends::yes : Ends::no);
      done = scanned_;
      gap_at_ = 0;
      has_words_ = in_list_ = false;
    }
  }
  if (pending_.size() - done > 4 * kMostPending) {
    draw_piece(done, pending_.size(), Ends::no);
    const bool in_code = code_drawn_;
    const char fence = fence_;
    drop_pending();
    // Code stays code until its fence.
    code_drawn_ = in_code;
    fence_ = in_code ? fence : '\0';
    return;
  }
  if (done == 0) return;
  pending_.erase(0, done);
  scanned_ -= done;
  fence_begin_ -= std::min(fence_begin_, done);
  if (gap_at_ != 0) gap_at_ -= done;
}

void TextFlow::draw_piece(std::size_t begin, std::size_t end, Ends ends) {
  const std::string_view piece = std::string_view(pending_).substr(begin, end - begin);
  if (!code_drawn_) {
    if (fence_ == 0 || fence_begin_ < begin) {
      draw_block(piece);
      return;
    }
    draw_block(piece.substr(0, fence_begin_ - begin));
    begin_code(piece.substr(fence_begin_ - begin));
    code_drawn_ = true;
    return;
  }
  std::string_view code = piece;
  if (ends == Ends::yes) {
    // The last line is the closing fence.
    if (code.ends_with('\n')) code.remove_suffix(1);
    code = code.substr(0, code.rfind('\n') + 1);
    code_drawn_ = false;
  }
  if (!code.empty()) drawer_.continue_code(code);
}

void TextFlow::begin_code(std::string_view piece) {
  const std::size_t end = std::min(piece.find('\n'), piece.size());
  std::string_view info = piece.substr(0, end);
  info.remove_prefix(std::min(info.find_first_not_of(" `~"), info.size()));
  MarkdownPart part;
  part.kind = MarkdownKind::code_block;
  part.info = info.substr(0, info.find_first_of(" \t\r"));
  part.literal = piece.substr(std::min(end + 1, piece.size()));
  drawer_.enter(part);
}

void TextFlow::draw_block(std::string_view block) {
  while (!block.empty() && (block.front() == '\n' || block.front() == '\r')) block.remove_prefix(1);
  while (!block.empty() && (block.back() == '\n' || block.back() == '\r')) block.remove_suffix(1);
  if (!ascii::is_blank(block)) drawer_.draw(block);
}

}  // namespace dragoman::show
