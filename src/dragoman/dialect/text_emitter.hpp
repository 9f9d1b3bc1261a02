// SPDX-License-Identifier: Apache-2.0
// Gives out what the text engine finds, with its place in the stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/dialect/text_scanner.hpp"
#include "dragoman/event/event.hpp"
#include "dragoman/framing/text_index.hpp"

namespace dragoman {

// Keeps the frontier: everything before it has been given out as text or taken by a marker. It
// moves forwards only, counting lines on the way, so every event knows its line without a second
// pass.
//
// Positions are bytes of the stream (plain text) or of the block's decoded text (carried blocks).
class TextEmitter {
 public:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t line = 1;
  };

  // `index` answers for the bytes that it covers.
  explicit TextEmitter(const framing::TextIndex& index) : index_(&index) {}

  // At what level bytes that are not UTF-8 are reported.
  void set_form_level(Level level) { form_level_ = level; }
  void start_stream(Stream stream);
  void start_block(const CarriedBlock& block);

  // The bytes in view: `window` begins at position `start`, which is not behind the frontier.
  void show(std::string_view window, std::uint64_t start, EventSink& out);

  [[nodiscard]] Place frontier() const { return {frontier_, line_}; }
  [[nodiscard]] std::uint64_t lines_begun() const { return line_; }

  // Gives out the text up to `position`, which lies in view.
  void text_to(std::uint64_t position);
  // Moves the frontier over bytes that a marker has taken.
  void take_to(std::uint64_t position);
  void take_line_part_to(std::uint64_t position) {  // bytes without a line end
    if (carried_) taken_.push_back({frontier_, position});
    frontier_ = position;
  }
  void take_lines_to(std::uint64_t position, std::uint64_t line_ends) {
    if (!carried_) line_ += line_ends;
    take_line_part_to(position);
  }
  // Reports a stretch that no text event covers.
  void record(Place from, std::uint64_t end) {
    if (!carried_ && end > from.offset) out_->on_record({from.offset, end - from.offset});
  }

  void emit(Dialect dialect, Place at, std::uint64_t length, const Payload& payload,
            std::span<const Extra> extra = {});
  // The same in two steps, for a payload that is made in place: fill the payload, which is the one
  // that was sent last of its kind, then send it.
  [[nodiscard]] Payload& begin_event(Kind kind, Dialect dialect, Place at, std::uint64_t length) {
    settle_bad_bytes();
    begun_ = &made_[static_cast<std::size_t>(kind)];
    begun_->origin.dialect = dialect;
    begun_->origin.offset = at.offset;
    begun_->origin.length = length;
    begun_->origin.line = at.line;
    return begun_->payload;
  }
  void send_event() { out_->on_event(*begun_); }
  // The same where the payload has been filled before the place is known; the event takes the
  // `length` bytes at the frontier, in which no line ends.
  [[nodiscard]] std::span<Event, kKinds> events() { return made_; }
  void send_line_part(Event& event, Dialect dialect, std::uint64_t length) {
    const Place at = frontier();
    record(at, at.offset + length);
    take_line_part_to(at.offset + length);
    settle_bad_bytes();
    event.origin.dialect = dialect;
    event.origin.offset = at.offset;
    event.origin.length = length;
    event.origin.line = at.line;
    out_->on_event(event);
  }
  // Gives out a line end that directly follows the frontier of a stream.
  void give_line_end() {
    settle_bad_bytes();
    give_stream_text(frontier_ + 1, 1);
  }
  void diagnose(Dialect dialect, Place at, std::uint64_t length, std::string_view rule, Level level,
                std::string_view message);
  // Bytes that are not UTF-8 are reported once a line, behind that line; at the end also for the
  // last.
  void finish();

  [[nodiscard]] bool carried() const { return carried_; }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  // Carried blocks: what markers have taken out of the text so far.
  struct Range {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  [[nodiscard]] std::span<const Range> taken() const { return taken_; }
  [[nodiscard]] bool partial() const { return partial_; }

 private:
  struct BadBytes {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t line = 0;
  };

  [[nodiscard]] std::string_view view(std::uint64_t from, std::uint64_t to) const {
    return {window_.data() + (from - start_), to - from};
  }
  void give_text(std::uint64_t to, std::uint64_t newlines);
  // The same where nothing carries it.
  void give_stream_text(std::uint64_t to, std::uint64_t newlines) {
    const std::uint64_t length = to - frontier_;
    out_->on_record({frontier_, length});
    std::get_if<DisplayText>(&text_.payload)->text.bytes = view(frontier_, to);
    text_.origin.offset = frontier_;
    text_.origin.length = length;
    text_.origin.line = line_;
    frontier_ = to;
    line_ += newlines;
    out_->on_event(text_);
  }
  void text_with_bad_bytes(std::uint64_t to);
  void note_bad_bytes(std::string_view line);
  void settle_bad_bytes() {
    if (bad_.has_value() && bad_->line != line_) report_bad_bytes();
  }
  void report_bad_bytes();
  [[nodiscard]] Origin origin_at(Dialect dialect, Place at, std::uint64_t length) const;

  const framing::TextIndex* index_;
  EventSink* out_ = nullptr;
  std::array<Event, kKinds> made_;  // of each kind the one that is made in place, again and again
  Event* begun_ = nullptr;          // the one being filled
  Event text_;                      // the same for plain text
  std::string_view window_;
  std::uint64_t start_ = 0;
  std::uint64_t frontier_ = 0;
  std::uint64_t line_ = 1;
  Origin origin_;
  std::optional<std::int64_t> block_;
  bool carried_ = false;
  bool partial_ = false;
  Level form_level_ = Level::warning;
  std::optional<BadBytes> bad_;
  std::vector<Range> taken_;
};

}  // namespace dragoman
