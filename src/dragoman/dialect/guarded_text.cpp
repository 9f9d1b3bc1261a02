// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/guarded_text.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/base/utf8.hpp"
#include "dragoman/dialect/comment_opener.hpp"
#include "dragoman/dialect/line_value.hpp"

namespace dragoman {
namespace {

using std::string_view;

constexpr string_view kOpener = "<!--";
constexpr string_view kBrackets[] = {
    "PROGRESS",     "QUESTION",     "BLOCKED",       "FILES_MODIFIED",    "CODEX_COMPLETE",
    "NEED_CONTEXT", "TEST_RESULTS", "LINT_WARNINGS", "DEPENDENCY_NEEDED", "GIT_COMMIT_SUGGESTION"};

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// What makes a comment a marker, or one that would be reported as misspelled.
bool starts_comment_marker(string_view text) {
  if (text.starts_with("WXCODE:")) return true;
  for (const string_view word : {"WXCODE", "QUESTION", "GOTO"}) {
    if (text.starts_with(word)) return shows_marker(text.substr(word.size())).value_or(true);
  }
  constexpr string_view kFinished = "FINISHED";
  return text.starts_with(kFinished) &&
         (text.size() == kFinished.size() || !is_word(text[kFinished.size()]));
}

bool starts_bracket_marker(string_view text) {
  if (text.starts_with("[WXCODE:")) return true;
  return std::ranges::any_of(kBrackets, [text](string_view name) {
    return text.starts_with('[') && text.substr(1).starts_with(name) &&
           text.substr(1 + name.size()).starts_with(']');
  });
}

void append_reference(std::string& out, char c) {
  out.append("&#").append(std::to_string(static_cast<int>(c))).push_back(';');
}

// What becomes of an opener with nothing behind it: another line may make it a marker.
enum class BareOpener { keep, break_up };

// Appends `text` with its comment markers broken up. True when it ends in an opener that was kept.
bool append_without_comments(std::string& out, string_view text, BareOpener bare) {
  for (;;) {
    const std::size_t at = text.find(kOpener);
    if (at == string_view::npos) break;
    const string_view behind = text.substr(at + kOpener.size());
    const string_view content = behind.substr(leading_space(behind));
    out.append(text.substr(0, at));
    const bool breaks =
        content.empty() ? bare == BareOpener::break_up : starts_comment_marker(content);
    out.append(breaks ? "&lt;!--" : kOpener);
    text = behind;
    if (content.empty()) {
      out.append(text);
      return !breaks;
    }
  }
  out.append(text);
  return false;
}

// White space and the signs of a block quote. A marker behind them has no effect, but it would be
// reported.
std::size_t indentation(string_view line) {
  std::size_t taken = leading_space(line);
  while (taken < line.size() && line[taken] == '>') {
    ++taken;
    taken += leading_space(line.substr(taken));
  }
  return taken;
}

}  // namespace

void GuardedText::line(string_view line, std::string& out) {
  std::string mended;
  if (!utf8::valid(line)) {
    utf8::append_repaired(mended, line);
    line = mended;
  }
  blocks_.take(line.substr(0, line.find('\n')));
  constexpr string_view kByteOrderMark = "\uFEFF";
  if (!std::exchange(started_, true) && line.starts_with(kByteOrderMark)) {
    out.append("&#65279;");  // at the start of a stream it would not be text
    line.remove_prefix(kByteOrderMark.size());
  }
  const std::size_t indent = indentation(line);
  out.append(line.substr(0, indent));
  line.remove_prefix(indent);
  if (line.empty()) return;
  // An opener on an earlier line and its word on this one make a marker as well.
  const bool breaks_first =
      starts_bracket_marker(line) || (after_opener_ && starts_comment_marker(line));
  if (breaks_first) {
    append_reference(out, line[0]);
    line.remove_prefix(1);
  }
  after_opener_ = append_without_comments(out, line, BareOpener::keep);
}

void GuardedText::close(std::string& out) {
  after_opener_ = false;
  started_ = true;
  // One in a list item or a quotation ends where a line starts in the first column.
  if (blocks_.in_outer_fence()) out.append(blocks_.closing_fence()).push_back('\n');
  blocks_ = {};
}

std::string guarded_value(string_view value) {
  std::string out;
  append_without_comments(out, on_one_line(value), BareOpener::break_up);
  return out;
}

std::string guarded_line(string_view value) {
  const std::string line = on_one_line(value);
  return guarded_body_line(string_view(line).substr(leading_space(line)));
}

std::string guarded_body_line(string_view line) {
  std::string mended;
  utf8::append_repaired(mended, line.substr(0, line.find_last_not_of(" \t\r\n") + 1));
  const string_view whole = mended;
  const std::size_t indent = indentation(whole);
  string_view rest = whole.substr(indent);
  std::string out(whole.substr(0, indent));
  if (rest.empty()) return out;
  if (starts_bracket_marker(rest) || framing::begins_fence(whole)) {
    append_reference(out, rest[0]);
    rest.remove_prefix(1);
  }
  append_without_comments(out, rest, BareOpener::break_up);
  return out;
}

}  // namespace dragoman
