// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/line_context.hpp"

#include <algorithm>
#include <cstring>

namespace dragoman {
namespace {

struct FenceRun {
  char mark = 0;
  std::size_t length = 0;
  std::string_view rest;  // behind the run
};

FenceRun fence_run(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && i < 4 && line[i] == ' ') ++i;
  if (i > 3 || i == line.size() || (line[i] != '`' && line[i] != '~')) return {};
  const char mark = line[i];
  std::size_t end = i;
  while (end < line.size() && line[end] == mark) ++end;
  if (end - i < 3) return {};
  return {mark, end - i, line.substr(end)};
}

// A backtick fence has no backtick in its info string: ``` `x` ``` is a code span.
bool can_open(const FenceRun& run) {
  return run.length != 0 && (run.mark == '~' || run.rest.find('`') == std::string_view::npos);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

bool Fence::opens(std::string_view line) { return can_open(fence_run(line)); }

void Fence::line(std::string_view line) {
  const FenceRun run = fence_run(line);
  if (open()) {
    if (run.mark == mark_ && run.length >= length_ && is_blank(run.rest)) length_ = 0;
  } else if (can_open(run)) {
    mark_ = run.mark;
    length_ = run.length;
  }
}

void LineContext::add(char c) {
  if (length_ < head_.size()) head_[length_] = c;
  ++length_;
  if (c != ' ' && c != '\t') only_blanks_ = false;
  if (c != ' ' && c != '\t' && c != '>') only_quote_marks_ = false;
}

void LineContext::advance(std::string_view text) {
  if (text.empty()) return;
  const void* newline = ::memrchr(text.data(), '\n', text.size());
  before_ = text.back();
  if (newline != nullptr) {
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) +
                       1);
    length_ = 0;
    only_blanks_ = only_quote_marks_ = true;
  }
  // Once something else than a blank has come, the rest of the line changes nothing but its length.
  std::size_t i = 0;
  while (i < text.size() && (length_ < head_.size() || only_quote_marks_ || only_blanks_))
    add(text[i++]);
  length_ += text.size() - i;
}

LineContext LineContext::at(std::string_view text, std::size_t place) const {
  LineContext context = *this;
  context.advance(text.substr(0, place));
  return context;
}

bool LineContext::indented() const {
  const std::size_t known = std::min<std::uint64_t>(length_, head_.size());
  for (std::size_t i = 0; i < known && i < 4; ++i) {
    if (head_[i] == '\t') return true;
    if (head_[i] != ' ') return false;
  }
  return known >= 4;
}

bool LineContext::block_quote() const {
  const std::size_t known = std::min<std::uint64_t>(length_, head_.size());
  for (std::size_t i = 0; i < known && i < 4; ++i) {
    if (head_[i] == '>') return true;
    if (head_[i] != ' ') return false;
  }
  return false;
}

}  // namespace dragoman
