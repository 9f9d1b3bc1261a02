// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/comment_opener.hpp"

#include <algorithm>

namespace dragoman {
namespace {

using Kind = CommentOpener::Kind;

constexpr std::size_t kLongestSpace = 256;
constexpr std::size_t kLongestType = 256;
constexpr std::size_t kLongestStep = 1024;
// What may still be a marker is held back for long, a misspelled one only for a moment.
constexpr std::size_t kMostMissBlanks = 8;
constexpr std::string_view kCommentEnd = "-->";
constexpr std::string_view kWxcode = "WXCODE";
constexpr std::string_view kQuestion = "QUESTION";
constexpr std::string_view kFinished = "FINISHED";
constexpr std::string_view kGoTo = "GOTO";

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
  if (type.empty() || text[i] != ':') return {Kind::near_miss, kWxcode, kWxcodeOpener.size()};
  return {Kind::wxcode, type, i + 1};
}

bool begins_payload(char c) { return c == '{' || c == '[' || c == ':'; }

CommentOpener match_finished(std::string_view text, std::size_t at) {
  const std::size_t behind = at;
  at = skip_space(text, at);
  if (at == std::string_view::npos) return {};
  switch (starts(text.substr(at), kCommentEnd)) {
    case Starts::no:
      if (begins_payload(text[at])) return {Kind::near_miss, kFinished, behind};
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
  const CommentOpener no_step{Kind::near_miss, kGoTo, at};
  const std::size_t begin = skip_space(text, at);
  if (begin == std::string_view::npos) return no_step;
  if (begin == text.size()) return {Kind::cut, {}, 0};
  if (!is_word(text[begin])) return no_step;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (i - begin > kLongestStep) return no_step;
    if (text[i] == '-') {
      const Starts end = starts(text.substr(i), kCommentEnd);
      if (end == Starts::cut) return {Kind::cut, {}, 0};
      if (end == Starts::yes) {
        std::string_view step = text.substr(begin, i - begin);
        while (is_comment_space(step.back())) step.remove_suffix(1);
        return {Kind::go_to, step, i + kCommentEnd.size()};
      }
    } else if (!is_word(text[i]) && !is_comment_space(text[i])) {
      return no_step;
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

// WXCODE, QUESTION and GOTO without their colon, or with blanks before it.
CommentOpener match_near_miss(std::string_view text, std::size_t at) {
  for (const std::string_view word : {kWxcode, kQuestion, kGoTo}) {
    if (!text.substr(at).starts_with(word)) continue;
    const std::size_t behind = at + word.size();
    const std::optional<bool> meant = shows_marker(text.substr(behind));
    if (!meant.has_value()) return {Kind::cut, {}, 0};
    if (*meant) return {Kind::near_miss, word, behind};
  }
  return {};
}

}  // namespace

std::string_view near_miss_of(std::string_view word) {
  if (word == kWxcode)
    return "looks like a WXCODE marker, but is not spelled <!-- WXCODE:TYPE:{…} -->";
  if (word == kQuestion)
    return "looks like a QUESTION marker, but is not spelled <!--QUESTION:{…}-->";
  if (word == kFinished) return "looks like a FINISHED marker, but is not spelled <!--FINISHED-->";
  if (word == kGoTo)
    return "looks like a GOTO marker, but is not spelled <!--GOTO:step-->, with a step of letters, "
           "digits, '_', '-' and blanks";
  return "the stream ends before the payload of <!--QUESTION:{…}-->";
}

std::optional<bool> shows_marker(std::string_view behind) {
  behind = behind.substr(0, kMostMissBlanks + 1);
  const std::size_t blanks = std::min(behind.find_first_not_of(" \t"), behind.size());
  if (blanks > kMostMissBlanks) return false;
  if (blanks == behind.size()) return std::nullopt;
  return begins_payload(behind[blanks]);
}

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
        Keyword{kFinished, Kind::finished}, Keyword{"GOTO:", Kind::go_to}}) {
    const Starts found = starts(rest, keyword.spelling);
    cut |= found == Starts::cut;
    if (found != Starts::yes) continue;
    const std::size_t behind = word + keyword.spelling.size();
    if (keyword.kind == Kind::question) return match_question(text, behind);
    if (keyword.kind == Kind::finished) return match_finished(text, behind);
    if (keyword.kind == Kind::go_to) return match_go_to(text, behind);
    return {Kind::near_miss, kWxcode, behind};
  }
  return cut ? CommentOpener{Kind::cut, {}, 0} : match_near_miss(text, word);
}

}  // namespace dragoman
