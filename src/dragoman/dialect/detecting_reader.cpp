// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/detecting_reader.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/dialect/delegator_envelope.hpp"
#include "dragoman/dialect/line_events.hpp"
#include "dragoman/dialect/shape.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostLines = 20;
constexpr std::size_t kMostBytes = 8 * 1024;
constexpr std::size_t kLargestDocument = 64 * 1024;  // looked through for a schema_id
constexpr std::string_view kBom = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// For a reader whose stream begins behind something else.
class BehindSink final : public EventSink {
 public:
  BehindSink(EventSink& out, std::uint64_t bytes, std::uint64_t lines)
      : out_(out), bytes_(bytes), lines_(lines) {}

  void on_event(const Event& event) override {
    Event moved = event;
    moved.origin.offset += bytes_;
    moved.origin.line += lines_;
    out_.on_event(moved);
  }
  void on_record(const Record& record) override {
    out_.on_record({record.offset + bytes_, record.length});
  }
  void on_carried_text(std::string_view text) override { out_.on_carried_text(text); }

 private:
  EventSink& out_;
  std::uint64_t bytes_;
  std::uint64_t lines_;
};

class Nobody final : public EventSink {
 public:
  void on_event(const Event& /*event*/) override {}
};

}  // namespace

DetectingReader::DetectingReader(ReaderOptions options) : options_(std::move(options)) {}

// Calls the reader that was decided on.
template <typename Call>
void DetectingReader::pass_on(EventSink& out, Call&& call) {
  if (bytes_before_ == 0) return call(*inner_, out);
  BehindSink behind(out, bytes_before_, lines_before_);
  call(*inner_, behind);
}

void DetectingReader::push(std::string_view chunk, EventSink& out) {
  if (inner_ != nullptr) {
    pass_on(out, [chunk](Reader& reader, EventSink& to) { reader.push(chunk, to); });
    return;
  }
  held_.append(chunk);
  decide(More::may_come, out);
}

void DetectingReader::idle(EventSink& out) {
  if (inner_ == nullptr) show(out);
  if (inner_ != nullptr) pass_on(out, [](Reader& reader, EventSink& to) { reader.idle(to); });
}

// What of the held bytes can be no event of an agent: the lines that were passed, and of the
// unfinished one what is no beginning of JSON.
std::size_t DetectingReader::showable() const {
  std::string_view rest = std::string_view(held_).substr(line_start_);
  if (line_start_ == 0 && rest.substr(0, kBom.size()) == kBom.substr(0, rest.size())) {
    rest.remove_prefix(std::min(rest.size(), kBom.size()));
  }
  const std::size_t ink = rest.find_first_not_of(" \t\r");
  if (ink == std::string_view::npos || rest[ink] == '{') return line_start_;
  if (rest[ink] != '[') return held_.size();
  const std::size_t inside = rest.find_first_not_of(" \t\r", ink + 1);
  const bool may_be_list = inside == std::string_view::npos || rest[inside] == '{';
  return may_be_list ? line_start_ : held_.size();
}

// Text does not wait for a decision. Only a marker in it is one.
void DetectingReader::show(EventSink& out) {
  const std::size_t end = showable();
  if (end <= shown_to_) return;
  if (shown_ == nullptr) shown_ = make_reader(Dialect::text, options_);
  shown_->push(std::string_view(held_).substr(shown_to_, end - shown_to_), out);
  shown_to_ = end;
  if (shown_->dialect() != Dialect::text) settle(Dialect::text, out);
}

void DetectingReader::finish(EventSink& out) {
  if (inner_ == nullptr) decide(More::none, out);
  pass_on(out, [](Reader& reader, EventSink& to) { reader.finish(to); });
}

void DetectingReader::decide(More more, EventSink& out) {
  const std::string_view mark = std::string_view(held_).substr(0, 2);
  const bool wide = mark == "\xFF\xFE" || mark == "\xFE\xFF";
  const std::optional<Dialect> dialect = wide ? Dialect::text : look(more);
  if (!dialect.has_value()) return;
  if (wide) {
    Origin origin;
    origin.stream = options_.stream;
    origin.length = 2;
    LineEvents(out, origin, Level::error)
        .emit_at(Diagnostic{"unsupported_encoding", Level::error, "UTF-16 is read as plain bytes"},
                 origin);
  }
  settle(*dialect, out);
}

// What plain text will turn out to be, as far as its first bytes tell: whoever shows it wants to
// know before the first word.
Dialect DetectingReader::label_of(std::string_view text) const {
  Nobody nobody;
  const auto reader = make_reader(Dialect::text, options_);
  reader->push(text.substr(0, kMostBytes), nobody);
  return reader->dialect();
}

void DetectingReader::settle(Dialect dialect, EventSink& out) {
  const std::string held = std::exchange(held_, {});
  std::string_view rest = std::string_view(held).substr(shown_to_);
  if (shown_ != nullptr && dialect != Dialect::text) {
    // The line whose beginning was shown ends as text.
    const bool at_line_start = held[shown_to_ - 1] == '\n';
    const std::size_t line_end = at_line_start ? 0 : rest.find('\n') + 1;
    shown_->push(rest.substr(0, line_end), out);
    rest.remove_prefix(line_end);
    shown_->finish(out);
    bytes_before_ = held.size() - rest.size();
    lines_before_ = shown_->lines();
    shown_.reset();
  }
  if (shown_ == nullptr && dialect == Dialect::text) dialect = label_of(rest);
  inner_ = shown_ != nullptr ? std::move(shown_) : make_reader(dialect, options_);
  pass_on(out, [rest](Reader& reader, EventSink& to) { reader.push(rest, to); });
}

std::optional<Dialect> DetectingReader::look(More more) {
  for (;;) {
    switch (look_at_line(more)) {
      case Step::decided:
        return found_;
      case Step::needs_more:
        return more == More::none ? std::optional(Dialect::text) : std::nullopt;
      case Step::next_line:
        break;
    }
  }
}

DetectingReader::Step DetectingReader::decided(Dialect dialect) {
  found_ = dialect;
  return Step::decided;
}

DetectingReader::Step DetectingReader::pass_line(std::size_t line_end) {
  ++lines_seen_;
  line_start_ = searched_ = line_end + 1;
  document_start_.reset();
  return Step::next_line;
}

// npos when it has not come.
std::size_t DetectingReader::find_line_end(std::size_t from) {
  searched_ = std::max(searched_, from);
  const std::size_t end = held_.find('\n', searched_);
  searched_ = end == std::string::npos ? held_.size() : end;
  return end;
}

DetectingReader::Step DetectingReader::look_at_line(More more) {
  if (lines_seen_ > kMostLines || line_start_ >= kMostBytes) return decided(Dialect::text);
  std::size_t ink = line_start_;
  if (ink == 0) {
    // Two or three bytes may still become a mark.
    const std::size_t size = std::min(held_.size(), kBom.size());
    const bool may_be_mark = held_.compare(0, size, kBom, 0, size) == 0;
    if (size < kBom.size() && may_be_mark && more == More::may_come) return Step::needs_more;
    const bool may_be_wide = !held_.empty() && (held_[0] == '\xFF' || held_[0] == '\xFE');
    if (held_.size() == 1 && may_be_wide && more == More::may_come) return Step::needs_more;
    if (size == kBom.size() && may_be_mark) ink = kBom.size();
  }
  while (ink < held_.size() && is_blank(held_[ink])) ++ink;
  if (ink >= kMostBytes) return decided(Dialect::text);
  if (ink == held_.size()) return Step::needs_more;
  if (held_[ink] == '\n') {
    line_start_ = searched_ = ink + 1;
    return Step::next_line;
  }
  if (held_[ink] == '{') return look_at_json(ink, more);
  if (held_[ink] == '[') {
    std::size_t inside = ink + 1;
    while (inside < held_.size() && is_blank(held_[inside])) ++inside;
    if (inside >= kMostBytes) return decided(Dialect::text);
    if (inside == held_.size()) return Step::needs_more;
    if (held_[inside] == '{') return look_at_json(ink, more);
  }
  return look_at_text(ink, more);
}

DetectingReader::Step DetectingReader::look_at_text(std::size_t ink, More /*more*/) {
  if (lines_seen_ == kMostLines) return decided(Dialect::text);
  const std::size_t end = find_line_end(ink);
  if (std::min(end, held_.size()) >= kMostBytes) return decided(Dialect::text);
  return end == std::string::npos ? Step::needs_more : pass_line(end);
}

DetectingReader::Step DetectingReader::look_at_json(std::size_t ink, More more) {
  const std::size_t end = document_start_ == ink ? held_.find('\n', ink) : find_line_end(ink);
  if (document_start_ == ink) return look_at_document(ink, end, more);
  const bool too_long = std::min(end, held_.size()) - line_start_ > options_.line_cap;
  if (end == std::string::npos && !too_long && more == More::may_come) return Step::needs_more;
  arena_.reset();
  const std::size_t size =
      too_long ? line_start_ + options_.line_cap - ink : std::min(end, held_.size()) - ink;
  const Shape shape = shape_of(std::string_view(held_).substr(ink, size), arena_);
  const bool cut_off = too_long || end == std::string::npos;
  if (shape.dialect.has_value() && (shape.form == Shape::Form::whole || cut_off)) {
    return decided(*shape.dialect);
  }
  if (cut_off) return decided(Dialect::text);
  if (shape.form == Shape::Form::truncated && held_[ink] == '{') {
    document_.start(json::ObjectScanner::Newlines::allowed);
    document_start_ = ink;
    members_checked_ = 0;
    return look_at_document(ink, end, more);
  }
  return pass_line(end);
}

// An object over several lines: only a Delegator's answer is read in that form.
DetectingReader::Step DetectingReader::look_at_document(std::size_t ink, std::size_t line_end,
                                                        More more) {
  const std::string_view text = std::string_view(held_).substr(ink, kLargestDocument);
  const auto state = document_.feed(text);
  arena_.reset();
  for (; members_checked_ < document_.members().size(); ++members_checked_) {
    const json::ObjectScanner::Member& member = document_.members()[members_checked_];
    if (member.key(text).str() != "schema_id") continue;
    if (is_delegator_schema_id(string_of(member.value(text), arena_))) {
      return decided(Dialect::delegator);
    }
  }
  if (state == json::ObjectScanner::State::complete) {
    const Shape shape = shape_of(text.substr(0, document_.position()), arena_);
    if (shape.dialect == Dialect::delegator) return decided(Dialect::delegator);
  }
  const bool open = state == json::ObjectScanner::State::needs_more;
  if (open && text.size() < kLargestDocument && more == More::may_come) return Step::needs_more;
  return pass_line(line_end);
}

}  // namespace dragoman
