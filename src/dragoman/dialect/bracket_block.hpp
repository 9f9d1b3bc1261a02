// SPDX-License-Identifier: Apache-2.0
// The lines of a bracket marker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/marker_name.hpp"
#include "dragoman/dialect/reader.hpp"

namespace dragoman {

// Without spaces and tabs at both ends.
[[nodiscard]] inline std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
[[nodiscard]] bool is_options_line(std::string_view line);  // "Options:", any case
struct NumberedOption {
  bool is_option = false;
  std::string_view text;  // behind "1. " or "1) "
};
[[nodiscard]] NumberedOption numbered_option(std::string_view line);
[[nodiscard]] bool is_list_entry(std::string_view line);  // "- x" or "* x"

// Collects the lines that belong to one marker. It is offered each following line and says what
// becomes of it; it never has to see a line twice.
class BracketBlock {
 public:
  enum class Take : std::uint8_t {
    taken,   // belongs to the block
    peeked,  // is looked at: it may be context, or mean that the block went on; stays in the text
    refused  // the block ended before it
  };
  // What a line of the block is. `peeked` lines that turn out to belong are renamed.
  enum class Role : std::uint8_t {
    content,
    text,
    options,
    option,
    continuation,
    context,
    entry,
    blank,
    body
  };
  struct Entry {
    Role role;
    std::uint32_t begin;
    std::uint32_t length;
  };

  // Makes room for what blocks usually are.
  void reserve() {
    entries_.reserve(128);
    text_.reserve(8192);
    word_.reserve(32);
  }
  // `content` is what stood on the marker line behind the bracket.
  void open(MarkerName name, std::string_view word, std::string_view content, Mode mode);
  // Whether lines can follow at all.
  [[nodiscard]] static bool has_lines(MarkerName name);

  [[nodiscard]] Take offer(std::string_view line);

  // Whether something came since the block was last given out (idle).
  [[nodiscard]] bool changed() const { return changed_; }
  void mark_given() { changed_ = false; }

  [[nodiscard]] MarkerName name() const { return name_; }
  [[nodiscard]] std::string_view word() const { return word_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::string_view line(const Entry& entry) const {
    return std::string_view(text_).substr(entry.begin, entry.length);
  }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  Take take(Role role, std::string_view line);
  Take offer_blocked(std::string_view line);
  Take offer_question(std::string_view line);
  Take offer_question_text(std::string_view line, bool blank);
  Take offer_question_options(std::string_view line, bool blank);
  Take offer_paragraph(std::string_view line, bool blank);
  Take offer_commit(std::string_view line);
  void keep(Role role, std::string_view line);

  enum class Stage : std::uint8_t { text, blank_in_text, options, blank_after, paragraph };

  MarkerName name_ = MarkerName::progress;
  std::string word_;
  Mode mode_ = Mode::standard;
  Stage stage_ = Stage::text;
  bool has_option_ = false;
  bool after_option_ = false;
  bool changed_ = false;
  unsigned blanks_ = 0;
  std::string text_;
  std::vector<Entry> entries_;
};

}  // namespace dragoman
