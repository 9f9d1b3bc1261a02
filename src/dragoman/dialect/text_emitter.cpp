// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/text_emitter.hpp"

#include "dragoman/base/text_survey.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman {

void TextEmitter::start_stream(Stream stream) {
  *this = TextEmitter(*index_);
  origin_.stream = stream;
  origin_.channel = stream == Stream::stdout_ ? Channel::stdout_ : Channel::stderr_;
  for (Event& event : made_) event.origin = origin_;
  text_.origin = origin_;
  text_.payload.emplace<DisplayText>();
}

void TextEmitter::start_block(const CarriedBlock& block) {
  frontier_ = start_ = 0;
  line_ = block.origin.line;
  bad_.reset();
  taken_.clear();
  origin_ = block.origin;
  block_ = block.block;
  carried_ = true;
  partial_ = block.partial;
}

void TextEmitter::show(std::string_view window, std::uint64_t start, EventSink& out) {
  window_ = window;
  start_ = start;
  out_ = &out;
}

Origin TextEmitter::origin_at(Dialect dialect, Place at, std::uint64_t length) const {
  Origin origin = origin_;
  if (carried_) {
    origin.at = at.offset;
    if (dialect != origin_.dialect) {
      origin.via = origin_.dialect;
      origin.dialect = dialect;
    }
  } else {
    origin.dialect = dialect;
    origin.offset = at.offset;
    origin.length = length;
    origin.line = at.line;
  }
  return origin;
}

void TextEmitter::emit(Dialect dialect, Place at, std::uint64_t length, const Payload& payload,
                       std::span<const Extra> extra) {
  settle_bad_bytes();
  // Made in one go: clearing an event first costs as much as filling it.
  const Event event{payload, origin_at(dialect, at, length), 0, {}, partial_, extra};
  out_->on_event(event);
}

void TextEmitter::diagnose(Dialect dialect, Place at, std::uint64_t length, std::string_view rule,
                           Level level, std::string_view message) {
  emit(dialect, at, length, Diagnostic{rule, level, message});
}

void TextEmitter::give_text(std::uint64_t to, std::uint64_t newlines) {
  if (to == frontier_) return;
  settle_bad_bytes();
  if (!carried_) {
    give_stream_text(to, newlines);
    return;
  }
  const Event event{
      Payload(std::in_place_type<DisplayText>, json::Text(view(frontier_, to)), block_),
      origin_at(origin_.dialect, frontier(), to - frontier_),
      0,
      {},
      partial_,
      {}};
  out_->on_event(event);
  frontier_ = to;
  line_ += newlines;
}

void TextEmitter::text_to(std::uint64_t position) {
  if (position <= frontier_) return;
  if (carried_) {  // the line it came with has been checked, and its number is the carrier's
    give_text(position, 0);
    return;
  }
  const std::string_view text = view(frontier_, position);
  const char* const end = text.data() + text.size();
  // A marker that was cut at the cap may have taken the first bytes of a code point with it.
  const bool whole = (static_cast<unsigned char>(text.front()) & 0xC0U) != 0x80U;
  if (whole && index_->covers(text.data(), end) && index_->clean() && !bad_.has_value()) {
    give_text(position, index_->newlines(text.data(), end));
    return;
  }
  const TextSurvey survey = survey_text(text);
  if (bad_.has_value() || (survey.non_ascii && !utf8::valid(text))) {
    text_with_bad_bytes(position);
  } else {
    give_text(position, survey.newlines);
  }
}

// Line by line, so that a report comes directly behind its line whatever else is in view.
void TextEmitter::text_with_bad_bytes(std::uint64_t to) {
  while (frontier_ < to) {
    std::string_view rest = view(frontier_, to);
    const std::size_t newline = rest.find('\n');
    const std::string_view line =
        rest.substr(0, newline == std::string_view::npos ? newline : newline + 1);
    note_bad_bytes(line);
    give_text(frontier_ + line.size(), newline == std::string_view::npos ? 0 : 1);
    settle_bad_bytes();
  }
}

void TextEmitter::note_bad_bytes(std::string_view line) {
  if (bad_.has_value() || utf8::valid(line)) return;
  std::size_t i = 0;
  while (i < line.size()) {
    const utf8::CodePoint c = utf8::first(line.substr(i));
    if (!c.valid) {
      bad_ = BadBytes{frontier_ + i, c.length, line_};
      return;
    }
    i += c.length;
  }
}

void TextEmitter::report_bad_bytes() {
  const BadBytes bad = *bad_;
  bad_.reset();
  diagnose(Dialect::text, {bad.offset, bad.line}, bad.length, "invalid_utf8", form_level_,
           "bytes that are not UTF-8; shown as U+FFFD");
}

void TextEmitter::take_to(std::uint64_t position) {
  if (position <= frontier_) return;
  if (!carried_) line_ += survey_text(view(frontier_, position)).newlines;
  take_line_part_to(position);
}

void TextEmitter::finish() {
  if (bad_.has_value()) report_bad_bytes();
}

}  // namespace dragoman
