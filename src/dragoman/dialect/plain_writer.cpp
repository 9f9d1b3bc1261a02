// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_writer.hpp"

#include <algorithm>
#include <array>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/bracket_markers.hpp"
#include "dragoman/dialect/line_value.hpp"
#include "dragoman/dialect/wxcode_markers.hpp"

namespace dragoman {
namespace {

using std::string_view;

// Whether it is the agent that speaks to its reader here.
bool agent_speaks(const Event& event) {
  switch (event.origin.channel) {
    case Channel::assistant_text:
    case Channel::stdout_:
    case Channel::synthetic_text:
      return true;
    case Channel::stderr_:
    case Channel::subagent_text:
    case Channel::thinking:
    case Channel::tool_input:
    case Channel::tool_result:
    case Channel::user:
    case Channel::result:
    case Channel::partial:
    case Channel::system:
    case Channel::control:
    case Channel::noise:
      return false;
  }
  return false;
}

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

bool is_blank(string_view line) { return trimmed(line).empty(); }

// How our lines for people begin.
constexpr std::array<string_view, 11> kSigns = {
    "**Running:** ", "**Reading:** ", "**Writing:** ", "**Editing:** ", "**Next:** ", "\u2713 ",
    "\u2717 ",       "\u23f3 ",       "\u2705 ",       "\u274c ",       "\u23f8 "};

// Whether a line of the agent is what we would say to people behind a marker, be it in other words.
bool says_it(string_view line, string_view human) {
  const string_view ours = human.substr(0, human.find('\n'));
  if (!ours.empty() && line == ours) return true;
  return std::ranges::any_of(kSigns, [line, ours](string_view sign) {
    return ours.starts_with(sign) && line.starts_with(sign);
  });
}

}  // namespace

Result<Written> PlainWriter::write(const Event& event, std::string& out) {
  if (const auto* text = event.as<DisplayText>()) {
    if (!agent_speaks(event)) return Written::no;
    write_text(*text, out);
    return Written::yes;
  }
  if (const auto* tool = event.as<ToolStarted>(); tool != nullptr && !tool->id.empty()) {
    tools_.insert_or_assign(std::string(tool->id), std::string(tool->tool));
  }
  if (const auto* done = event.as<ToolFinished>(); done != nullptr && done->tool.empty()) {
    if (const auto known = tools_.find(done->id); known != tools_.end()) {
      Event named = event;
      std::get<ToolFinished>(named.payload).tool = known->second;
      return write_marker(named, out);
    }
  }
  if (const auto* question = event.as<Question>()) {
    // Only what still waits for an answer is asked, and only once.
    const bool waits =
        question->state == QuestionState::open || question->state == QuestionState::unanswered;
    if (!waits || asked_.contains(question->id)) return Written::no;
    DRAGOMAN_TRY(const Written written, write_marker(event, out));
    if (!question->id.empty()) asked_.emplace(question->id);
    return written;
  }
  return write_marker(event, out);
}

bool PlainWriter::prefers_brackets(const Event& event) const {
  if (family_ != MarkerFamily::any) return family_ == MarkerFamily::markers;
  if (event.origin.dialect == Dialect::markers) return true;
  if (const auto* p = event.as<Question>()) return p->source == QuestionSource::marker;
  if (const auto* p = event.as<CompletionClaimed>()) return p->by == "codex_complete";
  return false;
}

Result<Written> PlainWriter::write_marker(const Event& event, std::string& out) {
  if (prefers_brackets(event)) return write_bracket(event, out);
  if (family_ == MarkerFamily::wxcode || family_ == MarkerFamily::any) {
    DRAGOMAN_TRY(auto marker, wxcode_marker(event));
    if (marker) {
      start_marker(out);
      out.append(marker->comment);
      tail_ = Tail{std::move(marker->human), marker->title_follows, {}};
      return Written::yes;
    }
    DRAGOMAN_TRY(auto tag, wxcode_tag_line(event));
    if (tag) {
      start_marker(out);
      out.append(*tag).push_back('\n');
      return Written::yes;
    }
  }
  DRAGOMAN_TRY(const Written comment, write_comment(event, out));
  if (comment == Written::yes || family_ != MarkerFamily::any) return comment;
  return write_bracket(event, out);
}

Result<Written> PlainWriter::write_comment(const Event& event, std::string& out) {
  DRAGOMAN_TRY(auto comment, comment_marker(event));
  if (!comment) return Written::no;
  start_marker(out);
  out.append(*comment);
  tail_ = Tail{};
  return Written::yes;
}

Result<Written> PlainWriter::write_bracket(const Event& event, std::string& out) {
  DRAGOMAN_TRY(auto marker, bracket_marker(event));
  if (!marker) return Written::no;
  start_marker(out);
  out.append(marker->lines);
  blank_lines_ = marker->blank_lines;
  if (!marker->context.empty()) context_.emplace(std::move(marker->context));
  return Written::yes;
}

void PlainWriter::write_text(const DisplayText& text, std::string& out) {
  // Another block of the agent's message is another paragraph.
  if (text.block != block_ && !line_.empty()) {
    line_.push_back('\n');
    take_line(std::exchange(line_, {}), out);
    take_line("\n", out);
  }
  block_ = text.block;
  std::string decoded;
  json::decode_to(decoded, text.text);
  string_view rest = decoded;
  for (std::size_t end = rest.find('\n'); end != string_view::npos; end = rest.find('\n')) {
    line_.append(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
    take_line(line_, out);
    line_.clear();
  }
  line_.append(rest);
  if (line_.size() > kLongestLine) give_part_of_line(out);
}

// A line that never ends is not held for ever. It is cut where no comment can be in two pieces,
// none of which would be known for what it is.
void PlainWriter::give_part_of_line(std::string& out) {
  constexpr std::size_t kLongestOpener = 2048;
  const std::size_t comment = line_.rfind('<');
  const bool cut_there =
      comment != std::string::npos && comment > 0 && line_.size() - comment < kLongestOpener;
  const std::size_t end = cut_there ? comment : line_.size() - utf8::incomplete_tail(line_);
  const std::string rest = line_.substr(end);
  line_.resize(end);
  if (tail_) settle_tail(line_, Next::something, out);
  take_line(line_, out);
  line_ = rest;
}

void PlainWriter::take_line(string_view line, std::string& out) {
  if (context_) {
    if (context_->keeps(line)) return;
    settle_context(out);
  }
  if (tail_ && is_blank(line)) {
    tail_->gap.append(line);
    return;
  }
  if (tail_) settle_tail(line, Next::something, out);
  if (blank_lines_ > 0 && is_blank(line)) {
    --blank_lines_;
    out.push_back('\n');  // nothing else: blanks might be taken for a line of the block
    return;
  }
  out.append(static_cast<std::size_t>(blank_lines_), '\n');
  blank_lines_ = 0;
  guard_.line(line, out);
  at_line_start_ = line.ends_with('\n');
}

void PlainWriter::settle_context(std::string& out) {
  const QuestionContext context = *std::exchange(context_, {});
  const std::size_t repeated = context.repeated();
  const std::size_t own = context.lines().size() - repeated;
  for (std::size_t i = 0; i < own; ++i) out.append(context.lines()[i]).push_back('\n');
  if (repeated > 0) blank_lines_ = 1;  // more would part the paragraph from the question
  for (const std::string& line : context.kept()) take_line(line, out);
  if (repeated > 0) blank_lines_ = 1;  // and the one that ends it
}

void PlainWriter::settle_tail(string_view next_line, Next next, std::string& out) {
  const Tail tail = *std::exchange(tail_, {});
  const std::size_t line_end = tail.gap.find('\n');
  const bool said = line_end != std::string::npos && says_it(trimmed(next_line), tail.human);
  at_line_start_ = true;
  if (tail.human.empty() && next == Next::nothing && text_end_ == TextEnd::open) {
    out.append(tail.gap);
    return;
  }
  if (said || tail.human.empty()) {
    out.append(line_end == std::string::npos || tail.title_follows ? "\n" : tail.gap);
    return;
  }
  out.append(tail.title_follows ? "\n" : "\n\n").append(tail.human).push_back('\n');
  const string_view rest =
      line_end == std::string::npos ? string_view() : string_view(tail.gap).substr(line_end + 1);
  if (next == Next::nothing || rest.find('\n') != string_view::npos) {
    out.append(rest);
  } else {
    out.push_back('\n');
  }
}

void PlainWriter::start_marker(std::string& out) {
  if (!line_.empty()) take_line(std::exchange(line_, {}), out);
  if (context_) settle_context(out);
  if (tail_) settle_tail({}, Next::something, out);
  if (!at_line_start_) out.push_back('\n');
  at_line_start_ = true;
  guard_.close(out);
  blank_lines_ = 0;  // a marker ends the block before it
}

void PlainWriter::finish(std::string& out) {
  if (!line_.empty()) take_line(std::exchange(line_, {}), out);
  if (context_) settle_context(out);
  if (tail_) settle_tail({}, Next::nothing, out);
  // A text block of a JSON line ends where it ends; that is no unfinished line.
  if (text_end_ == TextEnd::line && block_.has_value() && !at_line_start_) {
    out.push_back('\n');
    at_line_start_ = true;
  }
}

void PlainWriter::end_block(std::string& out) {
  const bool for_people = tail_ && !tail_->human.empty();
  finish(out);
  if (!at_line_start_) out.push_back('\n');
  out.append(static_cast<std::size_t>(for_people ? 1 : blank_lines_), '\n');
  blank_lines_ = 0;
  at_line_start_ = true;
}

}  // namespace dragoman
