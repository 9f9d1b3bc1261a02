// SPDX-License-Identifier: Apache-2.0
// Markers inside the lines of a bracket marker. The line belongs to the marker that leads it, so
// they are its words; but they may have been meant, and are reported.
#include <cstring>

#include "dragoman/dialect/text_engine.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kMostInside = 4096;    // reported for one block
constexpr std::size_t kLongestQuote = 4096;  // of a quoted marker, as it is reported

struct Found {
  std::size_t length = 0;  // 0: nothing
  bool comment = false;
  Dialect dialect = Dialect::markers;
  std::string_view near_miss;  // as in Inside
};

Found comment_at(std::string_view text) {
  const CommentOpener opener = match_comment(text);
  switch (opener.kind) {
    case CommentOpener::Kind::wxcode:
      return {opener.length, true, Dialect::wxcode};
    case CommentOpener::Kind::question:
    case CommentOpener::Kind::finished:
    case CommentOpener::Kind::go_to:
      return {opener.length, true, Dialect::question};
    case CommentOpener::Kind::cut:  // a question whose payload starts on the next line
      if (text.find("QUESTION:") == std::string_view::npos) return {};
      return {text.size(), true, Dialect::question};
    case CommentOpener::Kind::near_miss:
      return {opener.length, true, opener.word == "WXCODE" ? Dialect::wxcode : Dialect::question,
              near_miss_of(opener.word)};
    case CommentOpener::Kind::none:
      return {};
  }
  return {};
}

Found marker_at(std::string_view text, std::span<const std::string> configured) {
  if (text[0] == '<') return text.starts_with("<!") ? comment_at(text) : Found{};
  const BracketName name = match_bracket(text, configured);
  if (name.match != BracketName::Match::yes) return {};
  const bool tag = name.name == MarkerName::wxcode_tag;
  return {name.length, false, tag ? Dialect::wxcode : Dialect::markers};
}

// The marker as far as it goes on this line.
std::string_view raw_of(std::string_view text, bool comment) {
  constexpr std::string_view kEnd = "-->";
  const std::size_t end = comment ? text.find(kEnd) : std::string_view::npos;
  if (end != std::string_view::npos) text = text.substr(0, end + kEnd.size());
  return text.substr(0, kLongestQuote);
}

}  // namespace

// The line is the marker's own, whatever Markdown makes of it.
Quoted TextEngine::quoted_inside(const LineContext& line, bool comment) const {
  if (!knows_quotes()) return Quoted::no;
  if (line.indented()) return Quoted::indented;
  if (line.block_quote()) return Quoted::block_quote;
  return comment && line.before() == '`' ? Quoted::code_span : Quoted::no;
}

void TextEngine::look_inside(std::string_view line, std::size_t from, TextEmitter::Place start) {
  // Most lines have neither, and this is the quick way to know.
  const std::size_t size = line.size() - from;
  if (size == 0 || (std::memchr(line.data() + from, '[', size) == nullptr &&
                    std::memchr(line.data() + from, '<', size) == nullptr)) {
    return;
  }
  for (std::size_t at = line.find_first_of("[<", from);
       at != std::string_view::npos && inside_.size() < kMostInside;
       at = line.find_first_of("[<", at + 1)) {
    const std::string_view here = line.substr(at);
    const Found found = marker_at(here, options_.marker_names);
    if (found.length == 0) continue;
    const LineContext context = LineContext().at(line, at);
    Inside inside;
    inside.dialect = found.dialect;
    inside.at = {start.offset + at, start.line};
    inside.length = found.length;
    inside.quoted = quoted_inside(context, found.comment);
    if (!found.comment && inside.quoted != Quoted::no && !context.only_quote_marks()) {
      inside.quoted = Quoted::no;  // prose in a quotation
    }
    inside.near_miss = found.near_miss;
    const bool is_marker = found.near_miss.empty();
    at += found.length - 1;
    if (!is_marker && inside.quoted != Quoted::no) continue;  // what is quoted was not meant
    if (inside.quoted != Quoted::no) {
      inside.raw = raw_of(here, found.comment);
      inside.length = inside.raw.size();
    }
    const bool after_blank = context.before() == ' ' || context.before() == '\t';
    inside.level = after_blank && !found.comment ? Level::info : form_level();
    inside_.push_back(std::move(inside));
  }
}

void TextEngine::give_inside() {
  for (const Inside& inside : inside_) {
    if (inside.quoted != Quoted::no) {
      emitter_.emit(inside.dialect, inside.at, inside.length,
                    QuotedMarker{inside.raw, name(inside.quoted)});
      continue;
    }
    if (!inside.near_miss.empty()) {
      emitter_.diagnose(inside.dialect, inside.at, inside.length, "near_miss", inside.level,
                        inside.near_miss);
      continue;
    }
    emitter_.diagnose(inside.dialect, inside.at, inside.length, "glued_marker", inside.level,
                      "a marker inside the lines of a bracket marker is part of its words and has "
                      "no effect");
  }
  inside_.clear();
}

}  // namespace dragoman
