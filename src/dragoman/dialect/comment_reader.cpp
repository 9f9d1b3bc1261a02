// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/comment_reader.hpp"

#include <algorithm>

namespace dragoman {
namespace {

using json::ObjectScanner;

constexpr std::string_view kEnd = "-->";
constexpr std::size_t kPastNewlineBytes = 4096;
constexpr std::ptrdiff_t kPastNewlineLines = 20;
constexpr std::size_t npos = std::string_view::npos;

std::string_view reason_for(json::Fault fault) {
  switch (fault) {
    case json::Fault::newline:
      return "newline";
    case json::Fault::number_range:
      return "number_range";
    case json::Fault::too_deep:
      return "too_deep";
    default:
      return "bad_json";
  }
}

}  // namespace

void CommentReader::start(const CommentOpener& opener, std::size_t longest) {
  kind_ = opener.kind;
  type_length_ = opener.word.size();
  payload_ = opener.length;
  longest_ = longest;
  phase_ = Phase::payload;
  state_ = State::needs_more;
  too_long_ = false;
  reason_ = {};
  failed_at_ = looked_ = length_ = 0;
  if (kind_ == CommentOpener::Kind::wxcode) {
    scanner_.start(ObjectScanner::Newlines::forbidden);
  } else {
    scanner_.start(ObjectScanner::Newlines::allowed, ObjectScanner::Root::object_or_array);
  }
}

std::string_view CommentReader::type(std::string_view text) const {
  return text.substr(kWxcodeOpener.size(), type_length_);
}

std::string_view CommentReader::payload(std::string_view text) const {
  return text.substr(payload_, scanner_.position());
}

CommentReader::State CommentReader::read(std::string_view text, bool final) {
  while (state_ == State::needs_more && step(text, final)) {
  }
  return state_;
}

bool CommentReader::step(std::string_view text, bool final) {
  switch (phase_) {
    case Phase::payload:
      return read_payload(text, final);
    case Phase::terminator:
      return read_terminator(text, final);
    case Phase::looking_past_newline:
      return look_past_newline(text, final);
    case Phase::looking_for_end:
      return look_for_end(text, final);
  }
  return false;
}

bool CommentReader::fail(std::string_view reason, std::size_t at) {
  reason_ = reason;
  failed_at_ = at;
  looked_ = 1;
  phase_ = Phase::looking_for_end;
  if (reason == "newline") {
    past_newline_.start(ObjectScanner::Newlines::tolerated);
    phase_ = Phase::looking_past_newline;
  }
  return true;
}

bool CommentReader::end_malformed(std::size_t length) {
  length_ = length;
  state_ = State::malformed;
  return false;
}

bool CommentReader::read_payload(std::string_view text, bool final) {
  if (payload_ >= text.size()) return final ? fail("unterminated", text.size()) : false;
  const bool array_allowed = kind_ == CommentOpener::Kind::question;
  if (scanner_.position() == 0 && text[payload_] != '{' &&
      !(array_allowed && text[payload_] == '[')) {
    return fail("not_an_object", payload_);
  }
  switch (scanner_.feed(text.substr(payload_, longest_))) {
    case ObjectScanner::State::needs_more:
      too_long_ = text.size() - payload_ >= longest_;
      if (too_long_) return fail("unterminated", payload_ + longest_);
      return final ? fail("unterminated", text.size()) : false;
    case ObjectScanner::State::failed:
      return fail(reason_for(scanner_.fault()), payload_ + scanner_.position());
    case ObjectScanner::State::complete:
      break;
  }
  phase_ = Phase::terminator;
  return true;
}

bool CommentReader::read_terminator(std::string_view text, bool final) {
  constexpr std::size_t kLongestSpace = 256;
  std::size_t at = payload_ + scanner_.position();
  if (kind_ == CommentOpener::Kind::wxcode) {  // exactly one space
    if (at < text.size() && text[at] != ' ') return fail("no_terminator", at);
    ++at;
  } else {
    const std::size_t from = at;
    while (at < text.size() && is_comment_space(text[at])) {
      if (at - from == kLongestSpace) return fail("no_terminator", at);
      ++at;
    }
  }
  for (const char wanted : kEnd) {
    if (at >= text.size()) return final ? fail("unterminated", text.size()) : false;
    if (text[at] != wanted) return fail("no_terminator", at);
    ++at;
  }
  length_ = at;
  state_ = State::good;
  return false;
}

// A payload that was merely broken over lines goes with its marker, if its end is near.
bool CommentReader::look_past_newline(std::string_view text, bool final) {
  const std::string_view near = text.substr(0, kPastNewlineBytes);
  const bool all = final || text.size() >= kPastNewlineBytes;
  const ObjectScanner::State state = past_newline_.feed(near.substr(payload_));
  const std::size_t reached = payload_ + past_newline_.position();
  const std::size_t from = looked_ > kWxcodeOpener.size() ? looked_ - kWxcodeOpener.size() : 1;
  const std::size_t next = near.substr(0, reached).find(kWxcodeOpener, from);
  looked_ = reached;
  if (next == npos) {
    if (state == ObjectScanner::State::needs_more && !all) return false;
    if (state == ObjectScanner::State::complete) {
      const std::string_view behind = near.substr(reached, 4);
      if (behind.size() < 4 && !all) return false;
      const auto lines =
          std::count(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(reached), '\n');
      if (behind == " -->" && lines <= kPastNewlineLines) return end_malformed(reached + 4);
    }
  }
  looked_ = 1;
  phase_ = Phase::looking_for_end;
  return true;
}

std::string_view CommentReader::next_opener() const {
  return kind_ == CommentOpener::Kind::wxcode ? kWxcodeOpener : std::string_view("<!--");
}

// To the first "-->" behind the fault and on its line, if no other marker starts before; else to
// that start or to the end of the line. A question that failed on a later line ends with its first
// one.
bool CommentReader::look_for_end(std::string_view text, bool final) {
  text = text.substr(0, longest_ + payload_);
  final = final || text.size() == longest_ + payload_;
  const std::string_view opener = next_opener();
  const std::size_t start_from = looked_ > opener.size() ? looked_ - opener.size() : 1;
  const std::size_t end_from =
      std::max(failed_at_, looked_ > kEnd.size() ? looked_ - kEnd.size() : 0);
  const std::size_t line_from = std::max(failed_at_, looked_ - 1);
  // Nothing behind the next marker matters: looking there would make many broken markers quadratic.
  const std::size_t next = text.find(opener, start_from);
  const std::string_view before = text.substr(0, next);
  const std::size_t line_end = line_from <= before.size() ? before.find('\n', line_from) : npos;
  const std::string_view line = before.substr(0, line_end);
  const std::size_t end = end_from <= line.size() ? line.find(kEnd, end_from) : npos;
  if (end != npos) return end_malformed(end + kEnd.size());
  const std::size_t first_line = kind_ == CommentOpener::Kind::wxcode ? line_end : text.find('\n');
  if (line_end == npos && next != npos) return end_malformed(std::min(next, first_line));
  if (line_end != npos || final) return end_malformed(std::min(first_line, text.size()));
  looked_ = text.size();
  return false;
}

}  // namespace dragoman
