// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/rich_text.hpp"

#include <algorithm>

#include "dragoman/show/columns.hpp"

namespace dragoman::show {
namespace {

constexpr std::size_t kTab = 4;

void append_without_tabs(std::string& out, std::string_view text) {
  if (text.find('\t') == std::string_view::npos) {
    out.append(text);
    return;
  }
  const std::size_t line = out.rfind('\n');
  std::size_t column =
      columns(std::string_view(out).substr(line == std::string::npos ? 0 : line + 1));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\t\n"), text.size());
    out.append(text.substr(0, end));
    column += columns(text.substr(0, end));
    if (end == text.size()) return;
    if (text[end] == '\t') {
      const std::size_t blanks = kTab - column % kTab;
      out.append(blanks, ' ');
      column += blanks;
    } else {
      out.push_back('\n');
      column = 0;
    }
    text.remove_prefix(end + 1);
  }
}

// One line of input, without its newline, cut into as many as it needs.
class LineCutter {
 public:
  LineCutter(std::string_view text, std::size_t width, Wrapping wrapping,
             std::vector<TextLine>& lines)
      : text_(text), width_(std::max<std::size_t>(width, 1)), wrapping_(wrapping), lines_(lines) {}

  void cut(std::size_t begin, std::size_t end) {
    start(begin);
    std::size_t at = begin;
    while (at < end) {
      const Grapheme grapheme = first_grapheme(text_.substr(at, end - at));
      const bool blank = text_[at] == ' ';
      const bool full = used_ + grapheme.columns > width_ && at > begin_;
      if (full && wrapping_ == Wrapping::words && blank) {
        // Blanks behind the edge are not seen; the next word begins the next line.
        at = skip_blanks(at, end);
        push(end_of_words_, columns_of_words_);
        if (at == end) return;
        start(at);
        continue;
      }
      if (full) {
        at = break_before(at, begins_word(at) || grapheme.columns == 2 || wide_before_);
        continue;
      }
      step(at, grapheme, blank);
      at += grapheme.bytes;
    }
    push(end, used_);
  }

  // The same where every byte is a column.
  void cut_ascii(std::size_t begin, std::size_t end) {
    begin_ = begin;
    while (end - begin_ > width_) {
      const std::size_t full = begin_ + width_;
      std::size_t next = full;
      std::size_t line_end = full;
      if (wrapping_ == Wrapping::words) {
        if (text_[full] == ' ') {
          next = skip_blanks(full, end);
          line_end = without_blanks(full);
        } else if (const std::size_t word = word_at(full); without_blanks(word) > begin_) {
          next = word;
          line_end = without_blanks(word);
        }
      }
      push(line_end, line_end - begin_);
      if (next == end) return;
      begin_ = next;
    }
    push(end, end - begin_);
  }

 private:
  // Where the word that goes on at `at` begins; begin_ when it fills the line.
  [[nodiscard]] std::size_t word_at(std::size_t at) const {
    while (at > begin_ && text_[at - 1] != ' ') --at;
    return at;
  }

  // The end of the line's words before `end`.
  [[nodiscard]] std::size_t without_blanks(std::size_t end) const {
    while (end > begin_ && text_[end - 1] == ' ') --end;
    return end;
  }

  void start(std::size_t at) {
    begin_ = at;
    used_ = 0;
    break_at_ = begin_;
    end_of_words_ = begin_;
    columns_of_words_ = 0;
    end_at_break_ = begin_;
    columns_at_break_ = 0;
    wide_before_ = false;
  }

  void step(std::size_t at, const Grapheme& grapheme, bool blank) {
    const bool wide = grapheme.columns == 2;
    // A line may end before a word, and on either side of a wide character.
    const bool word_begins = !blank && at > begin_ && text_[at - 1] == ' ';
    if (word_begins || (at > begin_ && !blank && (wide || wide_before_))) {
      break_at_ = at;
      end_at_break_ = end_of_words_;
      columns_at_break_ = columns_of_words_;
    }
    used_ += grapheme.columns;
    wide_before_ = wide;
    if (!blank) {
      end_of_words_ = at + grapheme.bytes;
      columns_of_words_ = used_;
    }
  }

  std::size_t break_before(std::size_t at, bool may_break_here) {
    std::size_t next = at;
    if (wrapping_ == Wrapping::words && end_at_break_ > begin_ && !may_break_here) {
      next = break_at_;
      push(end_at_break_, columns_at_break_);
    } else if (wrapping_ == Wrapping::words && may_break_here && end_of_words_ > begin_) {
      push(end_of_words_, columns_of_words_);
    } else {
      push(at, used_);
    }
    start(next);
    return next;
  }

  [[nodiscard]] bool begins_word(std::size_t at) const { return text_[at - 1] == ' '; }

  [[nodiscard]] std::size_t skip_blanks(std::size_t at, std::size_t end) const {
    while (at < end && text_[at] == ' ') ++at;
    return at;
  }

  void push(std::size_t end, std::size_t columns) { lines_.push_back({begin_, end, columns}); }

  std::string_view text_;
  std::size_t width_;
  Wrapping wrapping_;
  std::vector<TextLine>& lines_;
  std::size_t begin_ = 0;             // of the line being filled
  std::size_t used_ = 0;              // its columns
  std::size_t end_of_words_ = 0;      // behind its last character that is no blank
  std::size_t columns_of_words_ = 0;  // up to there
  std::size_t break_at_ = 0;          // where the next line may begin
  std::size_t end_at_break_ = 0;      // and this one ends then
  std::size_t columns_at_break_ = 0;
  bool wide_before_ = false;
};

}  // namespace

void RichText::extend(Ink ink) {
  if (!spans_.empty() && spans_.back().ink == ink) {
    spans_.back().end = text_.size();
  } else if (spans_.empty() ? !text_.empty() : text_.size() > spans_.back().end) {
    spans_.push_back({text_.size(), ink});
  }
}

void RichText::add(Ink ink, std::string_view agents_words, Breaks breaks) {
  append_without_tabs(text_, for_terminal(agents_words, scratch_, breaks));
  extend(ink);
}

void RichText::put(Ink ink, std::string_view words) {
  text_.append(words);
  extend(ink);
}

void RichText::trim_end() {
  while (!text_.empty() && (text_.back() == ' ' || text_.back() == '\n')) text_.pop_back();
  while (!spans_.empty() &&
         (spans_.size() == 1 ? 0 : spans_[spans_.size() - 2].end) >= text_.size()) {
    spans_.pop_back();
  }
  if (!spans_.empty()) spans_.back().end = text_.size();
}

void wrap(std::string_view text, std::size_t width, Wrapping wrapping,
          std::vector<TextLine>& lines) {
  lines.clear();
  LineCutter cutter(text, width, wrapping, lines);
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool ascii = is_ascii(line);
    if (ascii && (wrapping == Wrapping::never || line.size() <= width)) {
      lines.push_back({begin, end, line.size()});
    } else if (ascii) {
      cutter.cut_ascii(begin, end);
    } else if (wrapping == Wrapping::never) {
      lines.push_back({begin, end, columns(line)});
    } else {
      cutter.cut(begin, end);
    }
    if (end == text.size()) return;
    begin = end + 1;
  }
}

}  // namespace dragoman::show
