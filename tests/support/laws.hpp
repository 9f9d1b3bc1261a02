// SPDX-License-Identifier: Apache-2.0
// The laws that every reader keeps, as functions that name the one that was broken. The contract
// tests and the fuzz targets ask the same questions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/cursor.hpp"
#include "tests/support/piece_lender.hpp"

namespace dragoman::test {

using MakeReader = std::function<std::unique_ptr<Reader>()>;

// Which laws are looked at in passing: all of them for the first reading of an input, the cheap
// ones when the same input is read over and over in other pieces.
enum class Scrutiny { full, tiling_only };

// The canonical line must be one line of valid JSON and UTF-8, and our own reader must read it back
// to an event that says the same. Fields may change places once: an agent's unknown field that the
// model knows by name moves to its own place.
inline std::string broken_line_law(const std::string& line) {
  if (!utf8::valid(line)) return "a line is not UTF-8: ";
  if (line.find('\n') != line.npos) return "a line has a newline: ";
  json::Cursor cursor(line, json::Cursor::Scalars::exact);
  cursor.take();
  if (!cursor.finish()) return "a line is not JSON: ";
  Arena arena;
  const Result<Event> read = read_event(line, arena);
  if (!read) return read.error().message + ": ";
  const std::string again = to_json(*read);
  if (again == line) return {};
  // Names that were not UTF-8 may have become equal when they were mended.
  const bool mended = line.find(utf8::kReplacement) != line.npos;
  if (again.size() != line.size() && !mended) return "reading back gives " + again + " for ";
  const Result<Event> twice = read_event(again, arena);
  if (!twice || to_json(*twice) != again) return "reading back twice differs: ";
  return {};
}

// Writes down what a reader says, with neighbouring text joined, and watches the laws.
class LawSink final : public EventSink {
 public:
  LawSink(std::string_view input, Scrutiny scrutiny) : input_(input), scrutiny_(scrutiny) {}

  void on_record(const Record& record) override {
    if (record.offset != recorded_) complain("a record does not start where the last one ended");
    if (record.length == 0) complain("a record is empty");
    recorded_ = record.offset + record.length;
  }

  void on_event(const Event& event) override {
    if (scrutiny_ == Scrutiny::full) check(event);
    const auto* text = event.as<DisplayText>();
    if (text == nullptr) {
      flush();
      put(event);
      return;
    }
    if (!joins(event, *text)) {
      flush();
      open_ = true;
      first_ = event;
      parent_.assign(event.origin.parent);
      if (event.origin.parent.data() != nullptr) first_.origin.parent = parent_;
      first_.extra = {};
    } else if (!text->block.has_value()) {
      first_.origin.length += event.origin.length;
    }
    json::decode_to(text_, text->text);
  }

  void finish() {
    flush();
    if (recorded_ != input_.size()) complain("the records do not cover the input");
  }

  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] std::string take_lines() { return std::move(lines_); }

 private:
  void complain(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  void check(const Event& event) {
    const Origin& origin = event.origin;
    // A remark about a place in running text may come while that text is still being gathered.
    const bool remark = event.as<Diagnostic>() != nullptr || event.as<QuotedMarker>() != nullptr;
    if (origin.offset + origin.length > (remark ? input_.size() : recorded_))
      complain("an event came before its record: " + to_json(event));
    if (origin.line < 1) complain("a line is numbered 0");
    const auto* text = event.as<DisplayText>();
    if (text != nullptr && !text->block.has_value() && !text->text.escaped &&
        text->text.bytes.size() == origin.length &&
        input_.substr(origin.offset, origin.length) != text->text.bytes) {
      complain("text is not what stands at its place: " + to_json(event));
    }
    const std::string line = to_json(event);
    if (std::string law = broken_line_law(line); !law.empty()) complain(std::move(law) + line);
  }

  [[nodiscard]] bool joins(const Event& event, const DisplayText& text) const {
    if (!open_ || event.partial != first_.partial) return false;
    const auto& block = std::get<DisplayText>(first_.payload).block;
    const Origin& last = first_.origin;
    return text.block == block && event.origin.channel == last.channel &&
           event.origin.parent == last.parent &&
           (block.has_value() || event.origin.offset == last.offset + last.length);
  }

  void put(const Event& event) {
    append_json(lines_, event);
    lines_.push_back('\n');
  }

  void flush() {
    if (!open_) return;
    open_ = false;
    std::get<DisplayText>(first_.payload).text = json::Text(text_);
    put(first_);
    text_.clear();
  }

  std::string_view input_;
  Scrutiny scrutiny_;
  std::uint64_t recorded_ = 0;
  std::string lines_;
  std::string broken_;
  bool open_ = false;  // a text is being joined
  Event first_;        // its first piece
  std::string text_;
  std::string parent_;
};

struct Transcript {
  std::string lines;  // canonical JSON, one event a line
  std::string broken;
  Dialect dialect = Dialect::text;
};

// Reads `input` in pieces that end at `cuts` (ascending).
inline Transcript transcribe(const MakeReader& make, std::string_view input,
                             const std::vector<std::size_t>& cuts, Scrutiny scrutiny) {
  const std::unique_ptr<Reader> reader = make();
  LawSink sink(input, scrutiny);
  PieceLender lender(input.size(), cuts.size() + 1);
  std::size_t from = 0;
  const auto push_to = [&](std::size_t to) {
    lender.lend(input.substr(from, to - from),
                [&](std::string_view piece) { reader->push(piece, sink); });
    from = to;
  };
  for (const std::size_t cut : cuts) push_to(cut);
  push_to(input.size());
  reader->finish(sink);
  sink.finish();
  Transcript transcript{{}, sink.broken(), reader->dialect()};
  transcript.lines = sink.take_lines();
  const auto newlines = static_cast<std::uint64_t>(std::count(input.begin(), input.end(), '\n'));
  const bool rest = !input.empty() && input.back() != '\n';
  if (transcript.broken.empty() && reader->lines() != newlines + (rest ? 1 : 0))
    transcript.broken = "lines() counts " + std::to_string(reader->lines());
  return transcript;
}

// Where two transcripts part, for a person to read. Empty: they do not.
inline std::string difference(const Transcript& whole, const Transcript& pieces) {
  if (!pieces.broken.empty()) return pieces.broken;
  if (whole.dialect != pieces.dialect)
    return "dialect " + std::string(name(whole.dialect)) + " or " +
           std::string(name(pieces.dialect));
  if (whole.lines == pieces.lines) return {};
  const auto [a, b] = std::mismatch(whole.lines.begin(), whole.lines.end(), pieces.lines.begin(),
                                    pieces.lines.end());
  const auto line_at = [](const std::string& lines, std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : lines.rfind('\n', at - 1) + 1;
    return lines.substr(begin, std::min(lines.find('\n', at), lines.size()) - begin);
  };
  const auto at = static_cast<std::size_t>(a - whole.lines.begin());
  return "whole:  " + line_at(whole.lines, at) + "\npieces: " + line_at(pieces.lines, at);
}

inline std::vector<std::size_t> every_byte(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < size; ++i) cuts.push_back(i);
  return cuts;
}

}  // namespace dragoman::test
