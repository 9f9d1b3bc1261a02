// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/rich_text.hpp"

#include <gtest/gtest.h>

#include "dragoman/show/columns.hpp"

namespace dragoman::show {
namespace {

std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 Wrapping wrapping = Wrapping::words) {
  std::vector<TextLine> cut;
  wrap(text, width, wrapping, cut);
  std::vector<std::string> lines;
  for (const TextLine& line : cut) {
    lines.emplace_back(text.substr(line.begin, line.end - line.begin));
    EXPECT_EQ(columns(lines.back()), line.columns) << lines.back();
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("the quick brown fox", 10), (Lines{"the quick", "brown fox"}));
  EXPECT_EQ(wrapped("exactly ten", 11), (Lines{"exactly ten"}));
  EXPECT_EQ(wrapped("a  b   c", 3), (Lines{"a", "b", "c"}));
  EXPECT_EQ(wrapped("", 5), (Lines{""}));
}

TEST(Wrap, CutsAWordThatIsLongerThanALine) {
  EXPECT_EQ(wrapped("see abcdefghijkl", 6), (Lines{"see", "abcdef", "ghijkl"}));
}

TEST(Wrap, KeepsLinesAndIndentation) {
  EXPECT_EQ(wrapped("one\n  two\n\nthree", 10), (Lines{"one", "  two", "", "three"}));
}

TEST(Wrap, BreaksBetweenWideCharacters) {
  EXPECT_EQ(wrapped("日本語のテキスト", 7), (Lines{"日本語", "のテキ", "スト"}));
}

TEST(Wrap, NeverCutsAnEmojiOrAMark) {
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467";
  EXPECT_EQ(wrapped(family + family + family, 5), (Lines{family + family, family}));
  EXPECT_EQ(wrapped("e\u0301e\u0301e\u0301", 2), (Lines{"e\u0301e\u0301", "e\u0301"}));
}

TEST(Wrap, KeepsEveryBlankOfCode) {
  EXPECT_EQ(wrapped("a    b", 4, Wrapping::anywhere), (Lines{"a   ", " b"}));
}

TEST(RichText, MakesWhatAnAgentWroteHarmless) {
  RichText text;
  text.add(Ink::plain, "a\x1b[2Jb\tc\u202E", Breaks::keep);
  EXPECT_EQ(text.text(), "a\u241B[2Jb  c\\u{202e}");
}

}  // namespace
}  // namespace dragoman::show
