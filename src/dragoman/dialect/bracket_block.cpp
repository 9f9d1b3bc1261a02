// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/bracket_block.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman {
namespace {

using ascii::is_digit;

bool is_blank_char(char c) { return c == ' ' || c == '\t'; }

bool indented_by_two(std::string_view line) {
  return !line.empty() &&
         (line[0] == '\t' || line.substr(0, 2) == "  " || line.substr(0, 2) == " \t");
}

}  // namespace

bool is_options_line(std::string_view line) {
  constexpr std::string_view kWord = "options:";
  line = trim(line);
  if (line.size() < kWord.size()) return false;
  return std::equal(kWord.begin(), kWord.end(), line.begin(), [](char wanted, char c) {
    return wanted == (c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
}

NumberedOption numbered_option(std::string_view line) {
  line = trim(line);
  std::size_t digits = 0;
  while (digits < line.size() && digits < 4 && is_digit(line[digits])) ++digits;
  if (digits == 0 || digits > 3 || digits + 1 >= line.size()) return {};
  if (line[digits] != '.' && line[digits] != ')') return {};
  if (!is_blank_char(line[digits + 1])) return {};
  return {true, trim(line.substr(digits + 1))};
}

bool is_list_entry(std::string_view line) {
  line = trim(line);
  return !line.empty() && (line[0] == '-' || line[0] == '*');
}

bool BracketBlock::has_lines(MarkerName name) {
  switch (name) {
    case MarkerName::question:
    case MarkerName::blocked:
    case MarkerName::files_modified:
    case MarkerName::test_results:
    case MarkerName::lint_warnings:
    case MarkerName::dependency_needed:
    case MarkerName::git_commit_suggestion:
      return true;
    case MarkerName::progress:
    case MarkerName::codex_complete:
    case MarkerName::need_context:
    case MarkerName::wxcode_tag:
    case MarkerName::configured:
      return false;
  }
  return false;
}

void BracketBlock::open(MarkerName name, std::string_view word, std::string_view content,
                        Mode mode) {
  changed_ = true;
  name_ = name;
  word_.assign(word);
  mode_ = mode;
  stage_ = Stage::text;
  has_option_ = after_option_ = false;
  blanks_ = 0;
  text_.clear();
  entries_.clear();
  keep(Role::content, content);
}

void BracketBlock::keep(Role role, std::string_view line) {
  entries_.push_back(
      {role, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(line.size())});
  text_.append(line);
}

BracketBlock::Take BracketBlock::take(Role role, std::string_view line) {
  keep(role, line);
  changed_ = true;
  return Take::taken;
}

BracketBlock::Take BracketBlock::offer(std::string_view line) {
  switch (name_) {
    case MarkerName::question:
      return offer_question(line);
    case MarkerName::blocked:
      return offer_blocked(trim(line));
    case MarkerName::git_commit_suggestion:
      return offer_commit(line);
    default:
      return is_list_entry(line) ? take(Role::entry, trim(trim(line).substr(1))) : Take::refused;
  }
}

// The documents' parsers end it at any bracket.
BracketBlock::Take BracketBlock::offer_blocked(std::string_view line) {
  const bool over = line.empty() || (mode_ == Mode::compat && line.starts_with('['));
  return over ? Take::refused : take(Role::context, line);
}

BracketBlock::Take BracketBlock::offer_commit(std::string_view line) {
  if (trim(line).empty()) return ++blanks_ == 2 ? Take::refused : take(Role::blank, line);
  return take(Role::body, line);
}

BracketBlock::Take BracketBlock::offer_question(std::string_view line) {
  const bool blank = trim(line).empty();
  switch (stage_) {
    case Stage::text:
    case Stage::blank_in_text:
      return offer_question_text(line, blank);
    case Stage::options:
      return offer_question_options(line, blank);
    case Stage::blank_after:
    case Stage::paragraph:
      return offer_paragraph(line, blank);
  }
  return Take::refused;
}

BracketBlock::Take BracketBlock::offer_question_text(std::string_view line, bool blank) {
  const bool options = is_options_line(line);
  if (options || numbered_option(line).is_option) {
    stage_ = Stage::options;
    if (!options) return offer_question_options(line, false);
    return take(Role::options, trim(trim(line).substr(8)));
  }
  if (stage_ == Stage::blank_in_text) return Take::refused;
  if (blank) {
    stage_ = Stage::blank_in_text;
    return Take::peeked;
  }
  return take(Role::text, trim(line));
}

BracketBlock::Take BracketBlock::offer_question_options(std::string_view line, bool blank) {
  if (blank && !has_option_) {  // they may still come, as behind a blank line in the text
    stage_ = Stage::blank_in_text;
    return Take::peeked;
  }
  if (blank) {
    stage_ = Stage::blank_after;
    return mode_ == Mode::strict ? Take::refused : Take::peeked;
  }
  if (const NumberedOption option = numbered_option(line); option.is_option) {
    has_option_ = after_option_ = true;
    return take(Role::option, option.text);
  }
  if (after_option_ && indented_by_two(line)) return take(Role::continuation, trim(line));
  after_option_ = false;
  return take(Role::context, trim(line));
}

// One paragraph behind the options is context. It may be ordinary prose, so it stays in the text.
BracketBlock::Take BracketBlock::offer_paragraph(std::string_view line, bool blank) {
  if (blank) return Take::refused;
  stage_ = Stage::paragraph;
  keep(Role::context, trim(line));
  changed_ = true;
  return Take::peeked;
}

}  // namespace dragoman
