// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/comment_opener.hpp"

namespace dragoman {
namespace {

using Kind = CommentOpener::Kind;

constexpr std::size_t kLongestSpace = 256;
constexpr std::size_t kLongestType = 256;
constexpr std::size_t kLongestStep = 1024;
constexpr std::string_view kCommentEnd = "-->";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

enum class Starts : std::uint8_t { no, yes, cut };

Starts starts(std::string_view text, std::string_view word) {
  const std::string_view seen = text.substr(0, word.size());
  if (seen != word.substr(0, seen.size())) return Starts::no;
  return seen.size() == word.size() ? Starts::yes : Starts::cut;
}

// Behind the white space at `at`; npos when there is too much of it.
std::size_t skip_space(std::string_view text, std::size_t at) {
  const std::size_t from = at;
  while (at < text.size() && is_comment_space(text[at])) {
    if (at - from == kLongestSpace) return std::string_view::npos;
    ++at;
  }
  return at;
}

CommentOpener match_wxcode(std::string_view text) {
  std::size_t i = kWxcodeOpener.size();
  while (i < text.size() && is_word(text[i]) && i < kWxcodeOpener.size() + kLongestType) ++i;
  if (i == text.size()) return {Kind::cut, {}, 0};
  const std::string_view type = text.substr(kWxcodeOpener.size(), i - kWxcodeOpener.size());
  if (type.empty() || text[i] != ':') return {Kind::near_miss, {}, kWxcodeOpener.size()};
  return {Kind::wxcode, type, i + 1};
}

CommentOpener match_finished(std::string_view text, std::size_t at) {
  at = skip_space(text, at);
  if (at == std::string_view::npos) return {};
  switch (starts(text.substr(at), kCommentEnd)) {
    case Starts::no:
      return {};
    case Starts::cut:
      return {Kind::cut, {}, 0};
    case Starts::yes:
      break;
  }
  return {Kind::finished, {}, at + kCommentEnd.size()};
}

// A step is words, blanks and hyphens, up to the first "-->".
CommentOpener match_go_to(std::string_view text, std::size_t at) {
  const std::size_t begin = skip_space(text, at);
  if (begin == std::string_view::npos) return {};
  if (begin == text.size()) return {Kind::cut, {}, 0};
  if (!is_word(text[begin])) return {};
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (i - begin > kLongestStep) return {};
    if (text[i] == '-') {
      const Starts end = starts(text.substr(i), kCommentEnd);
      if (end == Starts::cut) return {Kind::cut, {}, 0};
      if (end == Starts::yes) {
        std::string_view step = text.substr(begin, i - begin);
        while (is_comment_space(step.back())) step.remove_suffix(1);
        return {Kind::go_to, step, i + kCommentEnd.size()};
      }
    } else if (!is_word(text[i]) && !is_comment_space(text[i])) {
      return {};
    }
  }
  return {Kind::cut, {}, 0};
}

CommentOpener match_question(std::string_view text, std::size_t at) {
  at = skip_space(text, at);
  if (at == text.size()) return {Kind::cut, {}, 0};
  if (at == std::string_view::npos) return {};
  return {Kind::question, {}, at};
}

}  // namespace

bool is_comment_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

CommentOpener match_comment(std::string_view text) {
  constexpr std::string_view kOpen = "<!--";
  if (text.starts_with(kWxcodeOpener)) return match_wxcode(text);
  const Starts open = starts(text, kOpen);
  if (open != Starts::yes) return {open == Starts::cut ? Kind::cut : Kind::none, {}, 0};
  const Starts exact = starts(text, kWxcodeOpener);
  if (exact == Starts::yes) return match_wxcode(text);

  const std::size_t word = skip_space(text, kOpen.size());
  if (word == std::string_view::npos) return {};
  const std::string_view rest = text.substr(word);
  bool cut = exact == Starts::cut;
  struct Keyword {
    std::string_view spelling;
    Kind kind;
  };
  for (const Keyword& keyword :
       {Keyword{"WXCODE:", Kind::near_miss}, Keyword{"QUESTION:", Kind::question},
        Keyword{"FINISHED", Kind::finished}, Keyword{"GOTO:", Kind::go_to}}) {
    const Starts found = starts(rest, keyword.spelling);
    cut |= found == Starts::cut;
    if (found != Starts::yes) continue;
    const std::size_t behind = word + keyword.spelling.size();
    if (keyword.kind == Kind::question) return match_question(text, behind);
    if (keyword.kind == Kind::finished) return match_finished(text, behind);
    if (keyword.kind == Kind::go_to) return match_go_to(text, behind);
    return {Kind::near_miss, {}, behind};
  }
  return {cut ? Kind::cut : Kind::none, {}, 0};
}

}  // namespace dragoman
