// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/plain_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dragoman/dialect/bracket_block.hpp"
#include "dragoman/dialect/bracket_events.hpp"
#include "dragoman/dialect/kept_payload.hpp"
#include "dragoman/dialect/question_payload.hpp"

namespace dragoman {
namespace {

constexpr std::string_view kBlocked = "[BLOCKED] ";
constexpr std::string_view kFiles = "[FILES_MODIFIED]\n";
constexpr std::string_view kQuestion = "[QUESTION] ";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Bytes that may begin a marker or a fence, and the carriage return, which is not part of a line.
bool is_wary(char c) { return c == '[' || c == '<' || c == '`' || c == '~' || c == '\r'; }

// The end of the line; null when it is not in view, or when something may begin before it.
const char* end_of_harmless(const char* p, const char* end) {
#if defined(__SSE2__)
  constexpr std::ptrdiff_t kStep = 16;
  const auto any = [](__m128i v, char a, char b) {
    return _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)), _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));
  };
  for (; end - p >= kStep; p += kStep) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i stop =
        _mm_or_si128(any(v, '\n', '\r'), _mm_or_si128(any(v, '[', '<'), any(v, '`', '~')));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (found == 0) continue;
    p += std::countr_zero(found);
    return *p == '\n' ? p : nullptr;
  }
#endif
  while (p != end && *p != '\n' && !is_wary(*p)) ++p;
  return p != end && *p == '\n' ? p : nullptr;
}

// "src/a.ts (created)"
bool read_plain_file(std::string_view entry, FileChange& file) {
  constexpr std::string_view kCreated = "(created)";
  constexpr std::string_view kModified = "(modified)";
  constexpr std::string_view kDeleted = "(deleted)";
  std::string_view action;
  if (entry.ends_with(kModified)) {
    action = kModified;
    file.action = FileAction::modified;
  } else if (entry.ends_with(kCreated)) {
    action = kCreated;
    file.action = FileAction::created;
  } else if (entry.ends_with(kDeleted)) {
    action = kDeleted;
    file.action = FileAction::deleted;
  } else {
    return false;
  }
  file.path = trim(entry.substr(0, entry.size() - action.size()));
  return !file.path.empty() && file.path.find('`') == std::string_view::npos;
}

// Nothing rather than an empty stretch somewhere.
template <typename T>
std::span<const T> all_of(const std::vector<T>& items) {
  if (items.empty()) return {};
  return items;
}

}  // namespace

bool PlainBlock::read(std::string_view text, framing::TextIndex& index) {
  index_ = &index;
  begin_ = text.data();
  end_ = begin_ + text.size();
  taken_ = 0;
  context_.clear();
  if (text.starts_with(kBlocked)) {
    name_ = Name::blocked;
    return read_first(kBlocked.size()) && read_blocked();
  }
  if (text.starts_with(kFiles)) {
    name_ = Name::files_modified;
    p_ = begin_ + kFiles.size();
    taken_ = 1;
    return read_files();
  }
  if (text.starts_with(kQuestion)) {
    name_ = Name::question;
    return read_first(kQuestion.size()) && read_question();
  }
  return false;
}

bool PlainBlock::read_first(std::size_t from) {
  p_ = begin_ + from;
  if (!take_line(first_)) return false;
  first_ = trim(first_);
  return !first_.empty();
}

// The newline that ends the line at p_; null when it is not in view, or when something may begin
// before it.
const char* PlainBlock::line_end() const {
  const char* const newline = index_->plain_line_end(p_);
  if (newline == nullptr || newline >= end_) return end_of_harmless(p_, end_);
  return newline != p_ && newline[-1] == '\r' ? nullptr : newline;
}

bool PlainBlock::take_line(std::string_view& line) {
  const char* const newline = line_end();
  if (newline == nullptr) return false;
  line = {p_, static_cast<std::size_t>(newline - p_)};
  p_ = newline + 1;
  ++taken_;
  return true;
}

// What the next line is. A marker ends every block.
PlainBlock::Next PlainBlock::next_line() const {
  const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
  if (rest.size() < 2) return Next::unclear;
  if (rest[0] != '[') return Next::words;
  for (const std::string_view word :
       {std::string_view("[PROGRESS] "), std::string_view("[CODEX_COMPLETE] "), kBlocked, kFiles,
        kQuestion}) {
    // The general way decides when it has seen the whole line.
    if (!rest.starts_with(word)) continue;
    if (index_->covers(p_, p_) && index_->line_end(p_) < std::min(index_->end(), end_)) {
      return Next::marker;
    }
    return rest.find('\n') != std::string_view::npos ? Next::marker : Next::unclear;
  }
  return Next::unclear;
}

bool PlainBlock::read_blocked() {
  for (;;) {
    length_ = static_cast<std::size_t>(p_ - begin_);
    if (const Next next = next_line(); next != Next::words) return next == Next::marker;
    std::string_view line;
    if (!take_line(line)) return false;
    line = trim(line);
    if (line.empty()) {
      --taken_;
      return true;
    }
    if (line.front() == '[') return false;
    context_.push_back(line);
  }
}

bool PlainBlock::read_files() {
  files_.clear();
  while (p_ != end_ && (*p_ == '-' || *p_ == '*')) {
    std::string_view line;
    FileChange file;
    if (!take_line(line) || !read_plain_file(trim(trim(line).substr(1)), file)) return false;
    files_.push_back(file);
  }
  length_ = static_cast<std::size_t>(p_ - begin_);
  return p_ != end_ && !is_blank(*p_) && *p_ != '\r' && !files_.empty();
}

bool PlainBlock::read_question() {
  options_.clear();
  std::string_view line;
  if (!take_line(line)) return false;
  constexpr std::size_t kOptions = 8;  // "Options:"
  if (!is_options_line(line) || trim(line).size() != kOptions) return false;
  const auto good_count = [this] { return options_.size() >= 2 && options_.size() <= 4; };
  for (;;) {
    length_ = static_cast<std::size_t>(p_ - begin_);
    if (const Next next = next_line(); next != Next::words) {
      return next == Next::marker && good_count();
    }
    if (!take_line(line)) return false;
    if (trim(line).empty()) {
      --taken_;
      return good_count() && read_paragraph();
    }
    const NumberedOption option = numbered_option(line);
    if (!option.is_option) return false;
    options_.push_back(split_option(option.text));
  }
}

// The paragraph behind the options: it says more about the question and stays in the text.
bool PlainBlock::read_paragraph() {
  for (;;) {
    if (const Next next = next_line(); next != Next::words) return next == Next::marker;
    const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
    const char* newline = index_->covers(p_, p_) ? index_->line_end(p_) : nullptr;
    if (newline == nullptr || newline == index_->end()) {
      newline = static_cast<const char*>(std::memchr(p_, '\n', rest.size()));
    }
    if (newline == nullptr || newline >= end_) return false;
    const std::string_view line = trim({p_, static_cast<std::size_t>(newline - p_)});
    if (line.empty()) return true;
    if (line.back() == '\r') return false;
    if (line[0] == '[' || (line.size() > 1 && framing::may_start(line[0], line[1]))) return false;
    context_.push_back(line);
    p_ = newline + 1;
  }
}

Kind PlainBlock::kind() const {
  switch (name_) {
    case Name::blocked:
      return Kind::blocked;
    case Name::files_modified:
      return Kind::files_changed;
    case Name::question:
      return Kind::question;
  }
  return Kind::unknown;
}

void PlainBlock::fill(Payload& payload, Arena& arena, QuestionIds& ids) const {
  switch (name_) {
    case Name::blocked: {
      auto& blocked = kept<Blocked>(payload);
      blocked.reason = first_;
      blocked.context = all_of(context_);
      return;
    }
    case Name::files_modified: {
      auto& changed = kept<FilesChanged>(payload);
      changed.files = all_of(files_);
      changed.claimed = true;
      return;
    }
    case Name::question:
      return fill_question(kept<Question>(payload), arena, ids);
  }
}

void PlainBlock::fill_question(Question& question, Arena& arena, QuestionIds& ids) const {
  question.source = QuestionSource::marker;
  question.text = first_;
  question.header = question_header({}, question.text);
  question.options = all_of(options_);
  question.free_text = true;
  question.context = all_of(context_);
  question.blocking = false;
  question.id = arena.copy(ids.next(QuestionSource::marker, question.text));
}

}  // namespace dragoman
