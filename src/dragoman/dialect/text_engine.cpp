// SPDX-License-Identifier: Apache-2.0
// Running text: finding the places where something may start. What starts there is read in
// text_engine_comments.cpp and text_engine_brackets.cpp.
#include "dragoman/dialect/text_engine.hpp"

#include <algorithm>
#include <cstring>

#include "dragoman/base/utf8.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kLittle = 1024;  // so much is mapped twice without a second thought
constexpr std::size_t kFenceLine = framing::kLineHead + 1;
using Blocks = framing::BlockStructure;
constexpr std::string_view kBom = "\xEF\xBB\xBF";

}  // namespace

TextEngine::TextEngine(const ReaderOptions& options, QuestionIds& ids)
    : options_(options), ids_(ids), emitter_(index_), findings_(arena_) {
  emitter_.set_form_level(form_level());
  for (std::size_t from = 0; from < options.prompt.size();) {
    const std::size_t end = std::min(options.prompt.find('\n', from), options.prompt.size());
    prompt_lines_.insert(options.prompt.substr(from, end - from));
    from = end + 1;
  }
  reserve();
}

// What markers usually need, so that the first of a kind costs no more than the next.
void TextEngine::reserve() {
  constexpr std::size_t kFields = 16;
  constexpr std::size_t kRaw = 1024;
  flat_.members.reserve(kFields);
  wxcode_.fields.reserve(kFields);
  wxcode_.missing.reserve(kFields);
  wxcode_.extra.reserve(kFields);
  block_.reserve();
  plain_block_.reserve();
  block_raw_.reserve(kRaw);
  static_cast<void>(arena_.allocate(1));
  arena_.reset();
}

void TextEngine::start_stream(Stream stream) {
  emitter_.start_stream(stream);
  emitter_.set_form_level(form_level());
  begin_context_.start();
  code_.start();
  fence_place_.reset();
  start_ = code_position_ = 0;
}

void TextEngine::start_block(const CarriedBlock& block) {
  emitter_.start_block(block);
  begin_context_.start();
  code_.start();
  fence_place_.reset();
  start_ = code_position_ = 0;
  state_ = State::text;
  report_only_ = block.report_only;
}

std::size_t TextEngine::read(std::string_view window, bool final, EventSink& out,
                             std::size_t enough) {
  window_ = window;
  final_ = final;
  enough_ = enough;
  at_ = looked_ = bom_ = 0;
  context_ = begin_context_;
  context_at_ = 0;
  index_.clear();
  emitter_.show(window, start_, out);
  bool more = true;
  while (more) {
    switch (state_) {
      case State::text:
        more = read_text();
        break;
      case State::comment:
        more = read_comment();
        break;
      case State::bracket_line:
        more = read_bracket_line();
        break;
      case State::block:
        more = read_block();
        break;
    }
  }
  if (final) finish();
  const auto done = static_cast<std::size_t>(emitter_.frontier().offset - start_);
  if (!final && knows_quotes()) code_at(done);
  begin_context_.advance(window.substr(bom_, done - bom_));
  line_searched_ -= std::min(line_searched_, done);
  peeked_ -= std::min(peeked_, done);
  start_ += done;
  return done;
}

void TextEngine::finish() {
  if (fence_place_ && code_at(window_.size()).ends_in_fence()) {
    emitter_.diagnose(Dialect::text, *fence_place_, 0, "unclosed_fence", Level::warning,
                      "a code fence is never closed; everything behind it counts as quoted");
  }
  emitter_.finish();
}

void TextEngine::raise_label(Dialect dialect) {
  if (label_ == Dialect::text) label_ = dialect;
}

Level TextEngine::form_level() const {
  return options_.mode == Mode::strict ? Level::error : Level::warning;
}

LineContext TextEngine::context_at(std::size_t place) {
  if (place > context_at_) {
    context_.advance(window_.substr(context_at_, place - context_at_));
    context_at_ = place;
  }
  return context_;
}

// How many blanks may stand before a bracket marker.
std::uint64_t TextEngine::most_blanks() const { return options_.mode == Mode::compat ? 256 : 3; }

std::size_t TextEngine::hold_position(std::size_t limit) {
  if (final_ && limit == window_.size()) return limit;
  const LineContext line = context_at(limit);
  if (line.only_blanks() && line.length() <= most_blanks())
    return limit - static_cast<std::size_t>(line.length());
  return limit - utf8::incomplete_tail(window_.substr(0, limit));
}

void TextEngine::go_on_with_text(std::size_t at) {
  state_ = State::text;
  at_ = looked_ = at;
}

// A byte order mark at the very start means nothing. False: it is not all there yet.
bool TextEngine::read_bom() {
  if (start_ != 0 || at_ != 0 || emitter_.carried() || emitter_.frontier().offset != 0) return true;
  const std::string_view seen = window_.substr(0, kBom.size());
  if (seen.empty() || seen != kBom.substr(0, seen.size())) return true;
  if (seen.size() < kBom.size()) return final_;
  const TextEmitter::Place at = emitter_.frontier();
  emitter_.record(at, kBom.size());
  emitter_.take_to(kBom.size());
  bom_ = context_at_ = code_position_ = kBom.size();
  go_on_with_text(kBom.size());
  if (options_.mode == Mode::strict || options_.every_remark) {
    const Level level = options_.mode == Mode::strict ? Level::error : Level::warning;
    emitter_.diagnose(Dialect::text, at, kBom.size(), "bom", level,
                      "the stream starts with a byte order mark");
  }
  return true;
}

// Maps the text from looked_ on, and what lies before it without having been given out.
void TextEngine::map_text() {
  const std::uint64_t frontier = emitter_.frontier().offset;
  const std::uint64_t looked = position(looked_);
  if (frontier < looked && looked - frontier <= kLittle) {
    index_.build(window_.substr(looked_ - static_cast<std::size_t>(looked - frontier)));
  } else {
    index_.build(window_.substr(looked_));
  }
}

// The window offset of the next place where something may start, or the end of the slice.
std::size_t TextEngine::next_candidate() {
  const char* const from = window_.data() + looked_;
  if (!index_.covers(from, from + 1)) map_text();
  const char* found = index_.next_candidate(from);
  if (!options_.marker_names.empty()) {
    // Names from the settings may start with any letter.
    const void* bracket = std::memchr(from, '[', static_cast<std::size_t>(found - from));
    if (bracket != nullptr) found = static_cast<const char*>(bracket);
  }
  return static_cast<std::size_t>(found - window_.data());
}

// Little but markers: the next one often stands where the last window or map ended, and needs no
// map to be found. Returns where to go on looking.
std::size_t TextEngine::take_unmapped() {
  const char* const from = window_.data() + looked_;
  if (index_.covers(from, from + 1)) return looked_;
  const std::size_t left = window_.size() - looked_;
  const std::size_t place = looked_ + (left > 0 && *from == '\n' ? 1 : 0);
  if (place == window_.size()) return looked_;
  std::size_t next = place;
  if (window_[place] == '<') next = take_plain_comments(place);
  if (window_[place] == '[') next = take_plain_lines(place);
  return next == place ? looked_ : next;
}

bool TextEngine::read_text() {
  if (!read_bom()) return false;
  for (;;) {
    looked_ = take_unmapped();
    if (looked_ >= enough_ && emitter_.frontier().offset == position(looked_)) return false;
    const std::size_t place = next_candidate();
    const auto limit = static_cast<std::size_t>(index_.end() - window_.data());
    if (place == limit) {
      looked_ = limit;
      // The text of a block is all there, and is given out in one piece up to the next marker.
      const bool over = limit == window_.size();
      if (over || !emitter_.carried()) emitter_.text_to(position(hold_position(limit)));
      if (over) return false;
      continue;
    }
    std::size_t next = 0;
    switch (window_[place]) {
      case '<':
        next = take_plain_comments(place);
        if (next == place) next = at_comment(place);
        break;
      case '[':
        next = take_plain_lines(place);
        if (next == place) next = at_bracket(place);
        break;
      default:
        next = at_fence(place);
    }
    if (next == kHeld) {
      emitter_.text_to(position(hold_at_));
      return false;
    }
    if (state_ != State::text) return true;
    looked_ = next;
  }
}

// `place` is the first of two fence characters.
std::size_t TextEngine::at_fence(std::size_t place) {
  std::size_t run = place;
  while (run < window_.size() && window_[run] == window_[place] && run - place < kFenceLine) ++run;
  if (!knows_quotes()) return run;
  const LineContext line = context_at(place);
  if (!line.only_container_signs()) return run;

  const std::string_view seen = window_.substr(place, kFenceLine);
  const std::size_t newline = seen.find('\n');
  if (newline == std::string_view::npos && seen.size() < kFenceLine && !final_) {
    hold_at_ = place;
    return kHeld;
  }
  const std::string_view rest = seen.substr(0, newline);
  switch (line.at_line_start() ? code_.outer_fence(rest) : code_at(place).fence(rest)) {
    case Blocks::Fence::unchanged:
      return run;
    case Blocks::Fence::opened:
      emitter_.text_to(position(place));
      fence_place_ = emitter_.frontier();
      break;
    case Blocks::Fence::closed:
      fence_place_.reset();
      break;
  }
  code_position_ = position(place);
  return place + rest.size();
}

framing::CodeFinder& TextEngine::code_at(std::size_t place) {
  if (const std::uint64_t wanted = position(place); wanted > code_position_) {
    code_.advance(window_.substr(static_cast<std::size_t>(code_position_ - start_),
                                 static_cast<std::size_t>(wanted - code_position_)));
    code_position_ = wanted;
  }
  return code_;
}

// What a marker says over several lines is none of the text's lines.
void TextEngine::skip_in_code(std::size_t place, std::size_t length) {
  const std::string_view marker = window_.substr(place, length);
  if (!knows_quotes() || marker.find('\n') == std::string_view::npos) return;
  code_at(place).skip(marker);
  code_position_ = position(place + length);
}

Quoted TextEngine::quoted_at(std::size_t place, const LineContext& line, bool comment) {
  if (!knows_quotes()) return report_only_ ? Quoted::subagent : Quoted::no;
  // What starts in the first column ends everything but a fence that does.
  if (line.at_line_start()) return code_.in_outer_fence() ? Quoted::fence : Quoted::no;
  const Blocks::Line here = code_at(place).here();
  if (here.kind == Blocks::Kind::fenced_code) return Quoted::fence;
  if (here.kind == Blocks::Kind::indented_code) return Quoted::indented;
  if (here.quoted) return Quoted::block_quote;
  // A bracket marker starts its line, wherever Markdown has its blocks.
  if (comment) return line.before() == '`' ? Quoted::code_span : Quoted::no;
  return line.indented() ? Quoted::indented : Quoted::no;
}

}  // namespace dragoman
