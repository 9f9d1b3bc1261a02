// SPDX-License-Identifier: Apache-2.0
// Bracket markers with lines below them that are all in view and have nothing odd about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/question_ids.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/framing/text_index.hpp"

namespace dragoman {

class PlainBlock {
 public:
  // Makes room for what blocks usually are.
  void reserve() {
    context_.reserve(128);
    files_.reserve(32);
    options_.reserve(8);
  }
  // Reads the marker at the start of `text` as the default mode does: [BLOCKED], [FILES_MODIFIED]
  // or [QUESTION] with its lines, up to the one that ends it. False: it is another one, is cut off,
  // may have another marker inside, or deserves a finding.
  // `index` helps where it covers the text.
  [[nodiscard]] bool read(std::string_view text, framing::TextIndex& index);

  [[nodiscard]] std::size_t length() const { return length_; }  // of the lines it takes
  [[nodiscard]] std::uint64_t lines() const { return taken_; }

  [[nodiscard]] Kind kind() const;
  // Makes the event, which is what read_bracket would make of it. It points into the text and
  // into what was read, until the next read().
  void fill(Payload& payload, Arena& arena, QuestionIds& ids) const;

 private:
  enum class Name : std::uint8_t { blocked, files_modified, question };

  [[nodiscard]] bool read_first(std::size_t from);
  bool read_blocked();
  bool read_files();
  bool read_question();
  bool read_paragraph();
  bool take_line(std::string_view& line);
  [[nodiscard]] const char* line_end() const;
  enum class Next : std::uint8_t { words, marker, unclear };
  [[nodiscard]] Next next_line() const;
  void fill_question(Question& question, Arena& arena, QuestionIds& ids) const;

  framing::TextIndex* index_ = nullptr;
  Name name_ = Name::blocked;
  const char* begin_ = nullptr;
  const char* p_ = nullptr;  // the line to look at next
  const char* end_ = nullptr;
  std::string_view first_;  // behind the bracket
  std::size_t length_ = 0;
  std::uint64_t taken_ = 0;
  // Reused from marker to marker.
  std::vector<std::string_view> context_;
  std::vector<FileChange> files_;
  std::vector<Option> options_;
};

}  // namespace dragoman
