// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/text_flow.hpp"

#include <algorithm>
#include <array>

#include "dragoman/show/columns.hpp"

namespace dragoman::show {
namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// "- x", "* x", "+ x", "12. x", "3) x"
bool begins_item(std::string_view line) {
  line.remove_prefix(indent_of(line));
  if (line.empty()) return false;
  const auto blank_at = [&](std::size_t at) { return at >= line.size() || line[at] == ' '; };
  if (line[0] == '-' || line[0] == '*' || line[0] == '+') return blank_at(1);
  std::size_t digits = 0;
  while (digits < line.size() && digits < 9 && line[digits] >= '0' && line[digits] <= '9') ++digits;
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

// Characters that may be markup somewhere in a line, and those that are only at its beginning.
constexpr std::array<bool, 256> markup_table() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("*_`[]<&\\|~@\t\r"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kMarkup = markup_table();
constexpr std::string_view kLineMarkup = " #>-+=0123456789";

// Whether a paragraph means the same with and without Markdown: most do.
bool is_plain_paragraph(std::string_view block) {
  bool line_begins = true;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const char c = block[i];
    if (kMarkup[static_cast<unsigned char>(c)]) return false;
    if (line_begins && kLineMarkup.find(c) != std::string_view::npos) return false;
    if (c == ':' && block.substr(i + 1, 2) == "//") return false;
    if (c == 'w' && block.substr(i, 4) == "www.") return false;
    if (c == ' ' && i + 1 < block.size() && block[i + 1] == '\n') return false;
    if (line_begins && c == '\n') return false;
    line_begins = c == '\n';
  }
  return true;
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
    if (pending_.size() > kMostPending) flush();
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
  rich_.clear();
  rich_.add(Ink::plain, lines, Breaks::keep);
  sheet_.lines(rich_, plain_wrapping_);
}

bool TextFlow::has_pending_words() const {
  return form_ == TextForm::plain ? !pending_.empty() : !is_blank(pending_);
}

void TextFlow::drop_pending() {
  pending_.clear();
  scanned_ = 0;
  gap_at_ = 0;
  has_words_ = false;
  in_list_ = false;
  fence_ = 0;
}

void TextFlow::flush() {
  if (!pending_.empty() && form_ == TextForm::plain) draw_plain(pending_);
  if (!pending_.empty() && form_ == TextForm::markdown) draw_block(pending_);
  drop_pending();
}

bool TextFlow::ends_block(std::string_view line) {
  if (fence_ != 0) {
    char sign = 0;
    const std::size_t length = fence_at(line, sign);
    const bool closes = length >= fence_length_ && sign == fence_ &&
                        is_blank(line.substr(indent_of(line) + length));
    if (!closes) return false;
    fence_ = 0;
    return !in_list_;
  }
  if (is_blank(line)) return has_words_ && !in_list_;
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
    if (in_list_ && !in_code && gap_at_ != 0 && !is_blank(line)) {
      // Behind an empty line a list goes on with an item or with something indented.
      if (!begins_item(line) && indent_of(line) < 2) {
        draw_block(std::string_view(pending_).substr(done, gap_at_ - done));
        done = gap_at_;
        has_words_ = in_list_ = false;
      }
      gap_at_ = 0;
    }
    const bool ends = ends_block(line);
    scanned_ = newline + 1;
    if (in_list_ && fence_ == 0 && has_words_ && is_blank(line)) gap_at_ = scanned_;
    if (ends || scanned_ - done > kMostPending) {
      draw_block(std::string_view(pending_).substr(done, scanned_ - done));
      done = scanned_;
      gap_at_ = 0;
      has_words_ = in_list_ = false;
    }
  }
  if (pending_.size() - done > 4 * kMostPending) {
    draw_block(std::string_view(pending_).substr(done));
    drop_pending();
    return;
  }
  if (done == 0) return;
  pending_.erase(0, done);
  scanned_ -= done;
  if (gap_at_ != 0) gap_at_ -= done;
}

void TextFlow::draw_block(std::string_view block) {
  while (!block.empty() && (block.front() == '\n' || block.front() == '\r')) block.remove_prefix(1);
  while (!block.empty() && (block.back() == '\n' || block.back() == '\r')) block.remove_suffix(1);
  if (is_blank(block)) return;
  if (!is_plain_paragraph(block)) {
    drawer_.draw(block);
    return;
  }
  sheet_.gap();
  rich_.clear();
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t end = std::min(block.find('\n', at), block.size());
    rich_.add(Ink::plain, block.substr(at, end - at));
    if (end < block.size()) {
      rich_.put(Ink::plain, wraps_prose(columns(block.substr(at, end - at))) ? " " : "\n");
    }
    at = end + 1;
  }
  sheet_.lines(rich_);
}

}  // namespace dragoman::show
