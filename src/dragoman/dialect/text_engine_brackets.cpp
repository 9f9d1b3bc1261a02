// SPDX-License-Identifier: Apache-2.0
// Bracket markers in running text, and the blocks of lines they open.
#include <algorithm>
#include <cstring>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/bracket_events.hpp"
#include "dragoman/dialect/text_engine.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kLongestQuote = 4096;  // of a quoted line, as it is reported
constexpr std::size_t kLongestBlock = std::size_t{256} << 10U;
constexpr std::size_t kLongestPeek = std::size_t{64} << 10U;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t count_blanks(std::string_view line) {
  std::size_t n = 0;
  while (n < line.size() && is_blank(line[n])) ++n;
  return n;
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// What may stand behind the closing bracket: a blank or the end of the line.
enum class Behind : std::uint8_t { fine, wrong, cut };
Behind behind_bracket(std::string_view rest, bool final) {
  if (rest.empty()) return final ? Behind::fine : Behind::cut;
  if (is_blank(rest[0]) || rest[0] == '\n') return Behind::fine;
  if (rest[0] != '\r') return Behind::wrong;
  if (rest.size() == 1) return final ? Behind::fine : Behind::cut;
  return rest[1] == '\n' ? Behind::fine : Behind::wrong;
}

// Strict: exactly one space, or nothing.
bool exact_spacing(std::string_view rest) {
  rest = without_return(rest);
  if (rest.empty()) return true;
  return rest[0] == ' ' && (rest.size() == 1 || !is_blank(rest[1]));
}

Dialect family_of(const BracketName& name) {
  return name.name == MarkerName::wxcode_tag ? Dialect::wxcode : Dialect::markers;
}

}  // namespace

std::size_t TextEngine::find_line_end(std::size_t from) {
  from = std::max(from, line_searched_);
  const void* found = from < window_.size()
                          ? std::memchr(window_.data() + from, '\n', window_.size() - from)
                          : nullptr;
  line_searched_ = found != nullptr ? 0 : window_.size();
  return found != nullptr
             ? static_cast<std::size_t>(static_cast<const char*>(found) - window_.data())
             : kHeld;
}

bool TextEngine::is_echo(std::string_view line) const {
  if (options_.prompt.empty()) return false;
  if (line.starts_with('<')) return options_.prompt.find(line) != std::string::npos;
  return prompt_lines_.contains(std::string(line));
}

std::size_t TextEngine::at_bracket(std::size_t place) {
  const BracketName name = match_bracket(window_.substr(place), options_.marker_names);
  if (name.match == BracketName::Match::no) return place + 1;
  const LineContext line = context_at(place);
  const bool leads = line.only_blanks() && line.length() <= most_blanks();
  if (name.match == BracketName::Match::cut) {
    if (final_) return place + 1;
    hold_at_ = leads ? place - static_cast<std::size_t>(line.length()) : place;
    return kHeld;
  }
  const Quoted quoted = quoted_at(place, line, false);
  switch (quoted) {
    case Quoted::no:
      break;
    case Quoted::block_quote:
      if (line.only_quote_marks()) return quote_bracket(place, family_of(name), quoted);
      break;
    default:  // in quoted text only a line that would be a marker is worth a word
      return line.only_blanks() ? quote_bracket(place, family_of(name), quoted)
                                : place + name.length;
  }
  if (leads) return accept_bracket(place, name, line);
  note_glued(place, name, line);
  return place + name.length;
}

std::size_t TextEngine::accept_bracket(std::size_t place, const BracketName& name,
                                       const LineContext& line) {
  const std::size_t start = place - static_cast<std::size_t>(line.length());
  if (options_.mode != Mode::compat) {
    switch (behind_bracket(window_.substr(place + name.length), final_)) {
      case Behind::cut:
        hold_at_ = start;
        return kHeld;
      case Behind::wrong:
        note_glued(place, name, line);
        return place + name.length;
      case Behind::fine:
        break;
    }
  }
  emitter_.text_to(position(start));
  state_ = State::bracket_line;
  at_ = start;
  line_searched_ = place + name.length;
  return start;
}

void TextEngine::note_glued(std::size_t place, const BracketName& name, const LineContext& line) {
  const bool after_blank = !line.at_line_start() && is_blank(line.before());
  emitter_.text_to(position(place));
  emitter_.diagnose(family_of(name), emitter_.frontier(), name.length, "glued_marker",
                    after_blank ? Level::info : form_level(),
                    "a marker stands alone at the start of a line; this one has no effect");
}

std::size_t TextEngine::quote_bracket(std::size_t place, Dialect dialect, Quoted why) {
  const std::string_view seen = window_.substr(place, kLongestQuote);
  const std::size_t newline = seen.find('\n');
  if (newline == std::string_view::npos && seen.size() < kLongestQuote && !final_) {
    hold_at_ = place;
    return kHeld;
  }
  const std::string_view raw = without_return(seen.substr(0, newline));
  emitter_.text_to(position(place));
  emitter_.emit(dialect, emitter_.frontier(), raw.size(), QuotedMarker{raw, dragoman::name(why)});
  return place + raw.size();
}

// A line too long to be held is no marker; its words flow like any other.
void TextEngine::demote_line(std::size_t line_start) {
  emitter_.diagnose(Dialect::markers, emitter_.frontier(), options_.line_cap, "oversize",
                    Level::error, "a marker line longer than the line cap is read as text");
  const std::size_t lead = count_blanks(window_.substr(line_start));
  go_on_with_text(line_start + lead + 1);
  at_ = line_start;
}

bool TextEngine::read_bracket_line() {
  const std::size_t newline = find_line_end(at_);
  // A byte more than the cap may be the return before a newline that is still to come.
  if (newline == kHeld && window_.size() - at_ > options_.line_cap + 1) {
    demote_line(at_);
    return true;
  }
  if (newline == kHeld && !final_) return false;
  const std::size_t end = std::min(newline, window_.size());
  const std::size_t next = newline == kHeld ? end : end + 1;
  const std::string_view line = without_return(window_.substr(at_, end - at_));
  if (line.size() > options_.line_cap) {
    demote_line(at_);
    return true;
  }
  if (is_echo(line)) {
    const BracketName marker =
        match_bracket(line.substr(count_blanks(line)), options_.marker_names);
    emitter_.emit(family_of(marker), emitter_.frontier(), line.size(),
                  QuotedMarker{line, name(Quoted::echo)});
    go_on_with_text(next);
    return true;
  }
  open_block(line, count_blanks(line), next);
  return true;
}

void TextEngine::open_block(std::string_view line, std::size_t lead, std::size_t next) {
  const BracketName name = match_bracket(line.substr(lead), options_.marker_names);
  const std::string_view rest = line.substr(lead + name.length);
  leading_space_ = lead > 0 && options_.mode != Mode::compat;
  bad_spacing_ = (options_.mode == Mode::strict || options_.every_remark) && !exact_spacing(rest);
  block_.open(name.name, name.word, trim(rest), options_.mode);
  block_place_ = emitter_.frontier();
  block_recorded_ = block_place_.offset;
  block_end_ = position(next);
  block_raw_.assign(line);
  block_id_.clear();
  inside_.clear();
  look_inside(line, lead + name.length, block_place_);
  raise_label(family_of(name));
  emitter_.take_lines_to(block_end_, window_[next - 1] == '\n' ? 1 : 0);
  peeked_ = next;
  if (BracketBlock::has_lines(name.name)) {
    state_ = State::block;
    at_ = next;
  } else {
    close_block();
    go_on_with_text(next);
  }
}

bool TextEngine::starts_marker(std::string_view line) const {
  const std::size_t lead = count_blanks(line);
  const bool compat = options_.mode == Mode::compat;
  if (!compat && framing::begins_fence(line)) return true;
  if (lead == line.size() ||
      (!compat && (lead > 3 || line.substr(0, lead).find('\t') != std::string_view::npos))) {
    return false;
  }
  const std::string_view rest = line.substr(lead);
  if (rest[0] == '[') {
    const BracketName name = match_bracket(rest, options_.marker_names);
    if (name.match != BracketName::Match::yes) return has_marker_shape(rest);
    return compat || behind_bracket(rest.substr(name.length), true) == Behind::fine;
  }
  if (rest[0] != '<') return false;
  switch (match_comment(rest).kind) {
    case CommentOpener::Kind::wxcode:
    case CommentOpener::Kind::question:
    case CommentOpener::Kind::finished:
    case CommentOpener::Kind::go_to:
      return true;
    case CommentOpener::Kind::cut:  // a question whose payload starts on the next line
      return rest.find("QUESTION:") != std::string_view::npos;
    case CommentOpener::Kind::none:
    case CommentOpener::Kind::near_miss:
      return false;
  }
  return false;
}

bool TextEngine::read_block() {
  const std::size_t from = std::max(peeked_, at_);
  const std::size_t newline = find_line_end(from);
  const bool too_long =
      window_.size() - from > options_.line_cap + 1 || block_.size() > kLongestBlock;
  if (newline == kHeld && !final_ && !too_long) return false;
  const std::size_t end = std::min(newline, window_.size());
  const std::size_t next = newline == kHeld ? end : end + 1;
  const std::string_view line = without_return(window_.substr(from, end - from));
  const auto frontier = static_cast<std::size_t>(emitter_.frontier().offset - start_);
  const bool over = next == from || line.size() > options_.line_cap ||
                    block_.size() > kLongestBlock || next - frontier > kLongestPeek + line.size() ||
                    starts_marker(line);
  // Lines that were only looked at lie between the frontier and this one.
  const auto newlines = static_cast<std::uint64_t>(
      std::count(window_.begin() + static_cast<std::ptrdiff_t>(frontier),
                 window_.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
  const BracketBlock::Take take = over ? BracketBlock::Take::refused : block_.offer(line);
  switch (take) {
    case BracketBlock::Take::taken:
      look_inside(line, 0, {position(from), emitter_.frontier().line + newlines});
      block_end_ = position(next);
      block_raw_.append("\n").append(line);
      if (from == frontier) {
        emitter_.take_lines_to(block_end_, newline == kHeld ? 0 : 1);
      } else {  // with the lines that were only looked at
        emitter_.take_to(block_end_);
      }
      peeked_ = at_ = next;
      return true;
    case BracketBlock::Take::peeked:
      peeked_ = next;
      return true;
    case BracketBlock::Take::refused:
      break;
  }
  close_block();
  go_on_with_text(frontier);
  return true;
}

void TextEngine::close_block() {
  record_block();
  const Payload payload = read_block_lines();
  const Dialect dialect = block_dialect();
  const std::uint64_t length = block_end_ - block_place_.offset;
  if (!emitter_.partial() || !std::holds_alternative<CompletionClaimed>(payload)) {
    if (block_.changed()) {
      emit_marker(dialect, block_place_, length, payload, block_raw_, block_.word());
    } else {  // given out in the last pause; what there is to say about it has waited
      emit_findings(dialect, block_place_, length);
    }
  }
  give_inside();
}

// What is wrong with a block is known when it is over: the next line may mend it. So only the event
// is given out. A block without a word waits, as it would say what is not so: that no file changed.
// In strict mode the next line may make it malformed, and a question that was asked cannot be taken
// back.
void TextEngine::idle(EventSink& out) {
  if (state_ != State::block || !block_.changed() || block_.size() == 0) return;
  if (options_.mode == Mode::strict || options_.whole_blocks) return;
  const Payload payload = read_block_lines();
  if (marker_fault() != nullptr) return;
  emitter_.show({}, start_, out);
  record_block();
  emitter_.emit(block_dialect(), block_place_, block_end_ - block_place_.offset, payload,
                wxcode_.extra);
  block_.mark_given();
}

void TextEngine::record_block() {
  emitter_.record({block_recorded_, block_place_.line}, block_end_);
  block_recorded_ = block_end_;
}

Dialect TextEngine::block_dialect() const {
  return block_.name() == MarkerName::wxcode_tag ? Dialect::wxcode : Dialect::markers;
}

Payload TextEngine::read_block_lines() {
  arena_.reset();
  findings_.clear();
  wxcode_.extra.clear();
  if (leading_space_) findings_.add("leading_space", "a marker starts in the first column");
  if (bad_spacing_)
    findings_.add("spacing", "exactly one space stands between a marker and its text");
  // A block that came in a JSON line has been checked with its line.
  if (!emitter_.carried() && !utf8::valid(block_raw_)) {
    findings_.add("invalid_utf8", "bytes that are not UTF-8; read as U+FFFD");
  }
  Payload payload = read_bracket(block_, arena_, findings_, wxcode_.extra);
  if (auto* question = std::get_if<Question>(&payload); question != nullptr) {
    // By its first line: the others may come after a pause, in which it is given out.
    const std::string_view first = question->text.substr(0, question->text.find('\n'));
    if (block_id_.empty()) block_id_ = ids_.next(QuestionSource::marker, first);
    question->id = block_id_;
  }
  return payload;
}

const Finding* TextEngine::marker_fault() const {
  const auto empty = std::find_if(findings_.begin(), findings_.end(), [](const Finding& finding) {
    return finding.rule == "empty_value";
  });
  if (empty != findings_.end()) return &*empty;
  return options_.mode == Mode::strict ? form_fault(findings_) : nullptr;
}

void TextEngine::emit_marker(Dialect dialect, TextEmitter::Place at, std::uint64_t length,
                             const Payload& payload, std::string_view raw, std::string_view type) {
  if (const Finding* const fault = marker_fault(); fault != nullptr) {
    emitter_.emit(dialect, at, length, Malformed{raw, fault->rule, fault->message, type});
    return;
  }
  emitter_.emit(dialect, at, length, payload, wxcode_.extra);
  emit_findings(dialect, at, length);
}

void TextEngine::emit_findings(Dialect dialect, TextEmitter::Place at, std::uint64_t length) {
  for (const Finding& finding : findings_) {
    if (finding.rule == "unknown") continue;  // the event says so itself
    emitter_.diagnose(dialect, at, length, finding.rule, form_level(), finding.message);
  }
}

}  // namespace dragoman
