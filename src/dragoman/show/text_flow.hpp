// SPDX-License-Identifier: Apache-2.0
// An agent's words, drawn block by block as the blocks become complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/show/sheet.hpp"
#include "dragoman/show/terminal_markdown.hpp"

namespace dragoman::show {

enum class TextForm : std::uint8_t {
  markdown,
  plain,  // what a program printed: line by line, as it is
};

// What is drawn does not depend on how the words were cut into pieces. A paragraph is drawn at the
// empty line behind it, a list when something else begins, code when its fence is closed; flush()
// draws what is left.
class TextFlow {
 public:
  explicit TextFlow(Sheet& sheet) : sheet_(sheet), drawer_(sheet) {}

  void add(std::string_view words, TextForm form, Wrapping plain_wrapping = Wrapping::words);
  void flush();

  // Whether what is not drawn yet has words in it.
  [[nodiscard]] bool has_pending_words() const;
  // What was given and is not drawn yet.
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }
  void drop_pending();

 private:
  // A block that never ends is drawn in pieces of about this size.
  static constexpr std::size_t kMostPending = 64 * 1024;
  // A line of a program stays one line up to this, which is the line cap of readers unless said.
  static constexpr std::size_t kLongestPlainLine = 16 * 1024 * 1024;

  void add_plain(std::string_view words);
  void draw_plain(std::string_view lines);
  void draw_ready_blocks();
  // What a line of Markdown means for where blocks end. True: the block ends behind it.
  bool ends_block(std::string_view line);
  void draw_block(std::string_view block);
  // What lies between two places of pending_; `Ends::no`: the block goes on behind it.
  enum class Ends : std::uint8_t { no, yes };
  void draw_piece(std::size_t begin, std::size_t end, Ends ends);
  void begin_code(std::string_view piece);
  [[nodiscard]] bool closes_fence(std::string_view line) const;

  Sheet& sheet_;
  MarkdownDrawer drawer_;
  TextForm form_ = TextForm::markdown;
  Wrapping plain_wrapping_ = Wrapping::words;
  std::string pending_;
  std::size_t scanned_ = 0;  // complete lines of pending_ that have been looked at
  std::size_t gap_at_ = 0;   // in a list: behind the empty lines that may end it; 0: none
  bool has_words_ = false;   // in the block so far
  bool in_list_ = false;
  char fence_ = 0;  // of the code block we are in
  std::size_t fence_length_ = 0;
  std::size_t fence_begin_ = 0;  // where its line begins, while it is pending
  bool code_drawn_ = false;      // the beginning of the code is: more of it follows
  RichText rich_;
};

}  // namespace dragoman::show
