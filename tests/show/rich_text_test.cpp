// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/rich_text.hpp"

#include <gtest/gtest.h>

#include "dragoman/show/columns.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

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

// A mark on the last letter takes no column, and text with it is cut grapheme by grapheme.
TEST(Wrap, CutsAsciiAsAnyOtherText) {
  constexpr std::string_view kParts[] = {"a", "word", " ", "  ", "     ", "alongerword", "x y"};
  constexpr std::string_view kMark = "\u0301";
  test::Random random(3);
  for (std::size_t i = 0; i < test::scaled(200'000); ++i) {
    std::string text;
    for (std::size_t parts = random.below(12); parts > 0; --parts) text += random.pick(kParts);
    text += "z";
    for (const Wrapping wrapping : {Wrapping::words, Wrapping::anywhere, Wrapping::never}) {
      const std::size_t width = random.below(14);
      std::vector<TextLine> ascii;
      std::vector<TextLine> marked;
      wrap(text, width, wrapping, ascii);
      wrap(text + std::string(kMark), width, wrapping, marked);
      marked.back().end -= kMark.size();
      ASSERT_EQ(ascii, marked) << "'" << text << "' at " << width;
    }
  }
}

TEST(RichText, MakesWhatAnAgentWroteHarmless) {
  RichText text;
  text.add(Ink::plain, "a\x1b[2Jb\tc\u202E", Breaks::keep);
  EXPECT_EQ(text.text(), "a\u241B[2Jb  c\\u{202e}");
}

}  // namespace
}  // namespace dragoman::show
