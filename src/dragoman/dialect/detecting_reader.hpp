// SPDX-License-Identifier: Apache-2.0
// Finding out what a stream is from its first lines.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/json/object_scanner.hpp"

namespace dragoman {

// Holds the first bytes back until one rule tells whose they are, then gives them and everything
// behind them to that dialect's reader. The decision depends on the bytes alone, not on how they
// were cut, and is made once.
//
// Plain text is decided by the first line behind 20 that are no event of an agent, after 8 KiB, or
// at the end. A line that may be JSON is waited for, up to the line cap. When nothing comes for a
// while, the lines so far are shown as plain text; that decides nothing unless one of them is a
// marker, so a stream of JSON lines may still begin behind a slow start.
class DetectingReader final : public Reader {
 public:
  explicit DetectingReader(ReaderOptions options);

  void push(std::string_view chunk, EventSink& out) override;
  void idle(EventSink& out) override;
  void finish(EventSink& out) override;
  [[nodiscard]] Dialect dialect() const override {
    return inner_ != nullptr ? inner_->dialect() : Dialect::text;
  }
  [[nodiscard]] std::uint64_t lines() const override {
    if (inner_ != nullptr) return lines_before_ + inner_->lines();
    return shown_ != nullptr ? shown_->lines() : 0;
  }

 private:
  enum class Step : std::uint8_t { next_line, needs_more, decided };
  enum class More : std::uint8_t { may_come, none };

  void decide(More more, EventSink& out);
  void settle(Dialect dialect, EventSink& out);
  [[nodiscard]] Dialect label_of(std::string_view text) const;
  template <typename Call>
  void pass_on(EventSink& out, Call&& call);
  void show(EventSink& out);
  [[nodiscard]] std::size_t showable() const;
  [[nodiscard]] std::optional<Dialect> look(More more);
  Step look_at_line(More more);
  Step look_at_text(std::size_t ink, More more);
  Step look_at_json(std::size_t ink, More more);
  Step look_at_document(std::size_t ink, std::size_t line_end, More more);
  Step decided(Dialect dialect);
  Step pass_line(std::size_t line_end);
  [[nodiscard]] std::size_t find_line_end(std::size_t from);

  ReaderOptions options_;
  std::unique_ptr<Reader> inner_;
  std::unique_ptr<Reader> shown_;  // has read the first bytes as text while nothing was decided
  std::size_t shown_to_ = 0;
  std::uint64_t bytes_before_ = 0;  // that were shown and do not belong to inner_
  std::uint64_t lines_before_ = 0;
  Arena arena_;
  std::string held_;
  std::size_t line_start_ = 0;
  std::size_t searched_ = 0;  // no newline between line_start_ and here
  std::size_t lines_seen_ = 0;
  json::ObjectScanner document_;
  std::optional<std::size_t> document_start_;
  std::size_t members_checked_ = 0;  // of the document
  std::optional<Dialect> found_;
};

}  // namespace dragoman
