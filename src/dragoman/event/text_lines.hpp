// SPDX-License-Identifier: Apache-2.0
// Plain text by the line. Readers pass text on in whatever pieces it comes; people and line tools
// want lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/event/event.hpp"

namespace dragoman {

// A line without end is cut here, at a code point, so that it is never held as a whole.
inline constexpr std::size_t kMaxTextPiece = 64 * 1024;

// Whether `event` is text that may be joined and cut: not the block of a message, not a fragment.
[[nodiscard]] inline const DisplayText* plain_text(const Event& event) {
  const auto* const text = event.as<DisplayText>();
  if (text == nullptr || text->block.has_value() || event.partial || text->text.escaped ||
      text->text.bytes.size() != event.origin.length) {
    return nullptr;
  }
  return text;
}

// Joins neighbouring plain text and passes it on cut at line ends, newline included; everything
// else goes through as it is. What comes out does not depend on how the text was cut before.
class TextLines final : public EventSink {
 public:
  explicit TextLines(EventSink& out) : out_(out) {}

  void on_event(const Event& event) override;
  void on_record(const Record& record) override { out_.on_record(record); }

  // Gives out an unfinished line. Call it at the end of the stream.
  void flush();

 private:
  void add(std::string_view text);
  void put(std::string_view piece);

  EventSink& out_;
  Event line_;           // what the next piece is made from; its text is set by put()
  std::string pending_;  // the beginning of a line
};

// How many events TextLines would make of the text, without making them.
class TextLineCount {
 public:
  // Text that starts at `offset` of the stream; a gap before it ends the line.
  void add(std::string_view text, std::uint64_t offset);
  // Something else came.
  void flush() {
    if (carried_ > 0) ++count_;
    carried_ = 0;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void remember_tail(std::string_view text);

  std::uint64_t count_ = 0;
  std::uint64_t next_offset_ = 0;
  std::size_t carried_ = 0;  // bytes since the last cut
  std::string tail_;         // the last bytes of the text, where a code point may begin
};

[[nodiscard]] std::uint64_t count_newlines(std::string_view text);

}  // namespace dragoman
