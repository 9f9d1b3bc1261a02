// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/marker_name.hpp"

#include <array>

namespace dragoman {
namespace {

constexpr std::array<std::string_view, 10> kWords = {
    "PROGRESS",     "QUESTION",     "BLOCKED",       "FILES_MODIFIED",    "CODEX_COMPLETE",
    "NEED_CONTEXT", "TEST_RESULTS", "LINT_WARNINGS", "DEPENDENCY_NEEDED", "GIT_COMMIT_SUGGESTION"};
constexpr std::string_view kTagPrefix = "WXCODE:";
constexpr std::size_t kLongestTag = 64;

bool is_tag_byte(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

BracketName match_word(std::string_view inside, std::string_view wanted, MarkerName name) {
  BracketName result;
  const std::string_view seen = inside.substr(0, wanted.size());
  if (seen != wanted.substr(0, seen.size())) return result;
  if (inside.size() <= wanted.size()) {
    result.match = BracketName::Match::cut;
  } else if (inside[wanted.size()] == ']') {
    result = {BracketName::Match::yes, name, inside.substr(0, wanted.size()), wanted.size() + 2};
  }
  return result;
}

BracketName match_tag(std::string_view inside) {
  BracketName result;
  const std::string_view seen = inside.substr(0, kTagPrefix.size());
  if (seen != kTagPrefix.substr(0, seen.size())) return result;
  std::size_t i = kTagPrefix.size();
  while (i < inside.size() && is_tag_byte(inside[i]) && i <= kTagPrefix.size() + kLongestTag) ++i;
  if (i >= inside.size()) {
    result.match = BracketName::Match::cut;
  } else if (inside[i] == ']' && i > kTagPrefix.size()) {
    result = {BracketName::Match::yes, MarkerName::wxcode_tag,
              inside.substr(kTagPrefix.size(), i - kTagPrefix.size()), i + 2};
  }
  return result;
}

// No two names start with the same letter, so one comparison decides.
int index_by_initial(char initial) {
  switch (initial) {
    case 'P':
      return 0;
    case 'Q':
      return 1;
    case 'B':
      return 2;
    case 'F':
      return 3;
    case 'C':
      return 4;
    case 'N':
      return 5;
    case 'T':
      return 6;
    case 'L':
      return 7;
    case 'D':
      return 8;
    case 'G':
      return 9;
    default:
      return -1;
  }
}

}  // namespace

BracketName match_bracket(std::string_view text, std::span<const std::string> configured) {
  const std::string_view inside = text.substr(1);
  BracketName result;
  if (inside.empty()) {
    result.match = BracketName::Match::cut;
    return result;
  }
  if (inside[0] == 'W') {
    result = match_tag(inside);
  } else if (const int index = index_by_initial(inside[0]); index >= 0) {
    result =
        match_word(inside, kWords[static_cast<std::size_t>(index)], static_cast<MarkerName>(index));
  }
  for (const std::string& name : configured) {
    if (result.match == BracketName::Match::yes) break;
    const BracketName other = match_word(inside, name, MarkerName::configured);
    if (other.match != BracketName::Match::no) result = other;
  }
  return result;
}

bool has_marker_shape(std::string_view text) {
  if (text.size() < 4 || text[0] != '[' || text[1] < 'A' || text[1] > 'Z') return false;
  std::size_t end = 2;
  while (end < text.size() && (is_tag_byte(text[end]) || text[end] == ':')) ++end;
  if (end == 2 || end == text.size() || text[end] != ']') return false;
  return end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\t';
}

std::string_view word(MarkerName name) {
  const auto index = static_cast<std::size_t>(name);
  return index < kWords.size() ? kWords[index] : std::string_view("WXCODE");
}

}  // namespace dragoman
