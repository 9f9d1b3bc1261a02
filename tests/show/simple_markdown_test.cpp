// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/simple_markdown.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/show/hostile.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::show {
namespace {

// Every call with every field, so that two walks are the same only if nobody can tell them apart.
class Transcript final : public MarkdownVisitor {
 public:
  void enter(const MarkdownPart& part) override { write("enter", part); }
  void leave(const MarkdownPart& part) override { write("leave", part); }
  std::string out;

 private:
  void write(std::string_view what, const MarkdownPart& p) {
    out += fmt::format("{} {} '{}' info'{}' to'{}' not'{}' {} {}{}{} {} {}/{} {} {}\n", what,
                       static_cast<int>(p.kind), p.literal, p.info, p.destination, p.refused,
                       p.level, p.ordered ? "o" : "-", p.tight ? "t" : "-",
                       p.header_row ? "h" : "-", p.start, p.column, p.columns,
                       static_cast<int>(p.align), p.checked ? 1 + int{*p.checked} : 0);
  }
};

std::string by_tree(std::string_view text) {
  Transcript transcript;
  MarkdownTree(text).walk(transcript);
  return transcript.out;
}

// Whether the text was simple; then the walk was the tree's.
bool agrees(std::string_view text) {
  Transcript transcript;
  if (!walk_simple_markdown(text, transcript)) {
    EXPECT_EQ(transcript.out, "") << "visited before it was refused: " << text;
    return false;
  }
  EXPECT_EQ(transcript.out, by_tree(text)) << "of '" << text << "'";
  return true;
}

TEST(SimpleMarkdown, TakesWhatAgentsMostlyWrite) {
  for (const std::string_view text : {
           "Words alone, don't you think? (Yes: \"x\"; 50% > 3!)",
           "Two lines\nof a paragraph.\n\nAnd another one.\n",
           "# One\n\n## Two *words*\n### Three\nwords below",
           "The *store* keeps `x < y && *z*` and **what `it` says:** snake_case_name, 1.5 or 3) no",
           "Steps:\n- one\n- **two**: `x`\n\nDone.",
           "1. one\n2. two\n",
           "7) one\n7) two\n\n---\n\n* a\n* b\n## End",
           "```cpp title=x\nint main() {\n\n\treturn <0>;\n}\n```\nwords",
           "Text:\n~~~\n```\n~~~\n",
           "```\nnever closed\n\n",
           "Gr\u00FC\u00DFe an \u4E16\u754C \U0001F600 \u2014 fertig\n- \u00E9\u00E8",
           "a & b < c\n5 apples\na | b\n",
           "",
           "\n\n",
       }) {
    EXPECT_TRUE(agrees(text)) << text;
  }
}

TEST(SimpleMarkdown, RefusesWhatCanMeanSomethingElse) {
  constexpr std::string_view kTexts[] = {
      "Title\n===",
      "Title\n---",
      "a\n:-",
      "- a\n\n- b",
      "- a\nlazy",
      "- a\n  - b",
      "- [ ] task",
      "[a](b)",
      "![a](b)",
      "<b>x</b>",
      "&amp;",
      "a\\*b",
      "https://x.org",
      "www.x.org",
      "a@b.org",
      "~~no~~",
      "*open",
      "**a*b**",
      "***both***",
      "a*b*c",
      "*\u00E9*",
      "_em_",
      "``x``",
      "` x `",
      "    code",
      "two  \nlines",
      "tab\there",
      "carriage\rreturn",
      "\xEF\xBB\xBFmark",
      "broken \xC3 byte",
      "text\n2. no list",
      "- a\n1. b",
      "> quote",
      "| a |\n|---|\n",
      "#nospace",
      "# closed #",
      "```a`b\n```",
      "```a&amp;b\n```",
      "```\nx\n ```\n",
      "[a]: /url\n",
      "- ",
      "-\n",
      std::string_view("\0x", 2),
      std::string_view("`\0`", 3),
  };
  for (const std::string_view text : kTexts) EXPECT_FALSE(agrees(text)) << text;
}

constexpr std::string_view kParts[] = {
    "word",   "two words", " ",      "\n",     "\n\n",   "\n",           "*",
    "**",     "`",         "```",    "~~~",    "_",      "- ",           "* ",
    "+ ",     "1. ",       "2) ",    "# ",     "## ",    "---",          "***",
    "===",    ":",         ":-",     "|",      "- -",    "://",          "www.",
    "w",      "@",         "<",      "<b>",    "&",      "\\",           "[x]",
    "[",      "](y)",      "!",      "~",      "~~",     "\t",           "\r\n",
    "\r",     "\f",        "\u00E9", "\u00A0", "\u2014", "\xC3",         "\x7F",
    ".",      "(x)",       "\"q\"",  "10",     "1.",     "1234567890. ", "snake_case",
    "`code`", "*em*",      "**st**", "\n- ",   "\n# ",   "\n```\n",      "\n\n- ",
    "> ",     "  ",        "    ",   "http",   ";",      "\n1. ",        "\n\n---\n\n"};

TEST(SimpleMarkdown, NeverGivesAnotherWalkThanTheTree) {
  test::Random random(20261116);
  const std::size_t count = test::scaled(2'000'000);
  std::size_t simple = 0;
  for (std::size_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    std::string text;
    const std::size_t parts = 1 + random.below(12);
    // Half of them mostly of words, for those reach far.
    const bool tame = random.one_in(2);
    for (std::size_t part = 0; part < parts; ++part) {
      if (tame && part % 2 == 0) {
        text.append("word");
      } else {
        text.append(random.pick(kParts));
      }
    }
    if (agrees(text)) ++simple;
  }
  EXPECT_GT(simple, count / 20) << "the simple walk is hardly ever taken";
}

TEST(SimpleMarkdown, NeverGivesAnotherWalkForHostileWords) {
  test::Random random(7);
  for (const std::string& hostile : test::hostile_strings()) {
    for (const std::string_view frame : {"{}", "# {}", "- {}\n- x", "a\n{}", "```\n{}\n```", "*{}*",
                                         "`{}`", "{}\n\nb", "1. {}\n\n{}"}) {
      std::string text(frame);
      for (std::size_t at = text.find("{}"); at != std::string::npos;) {
        text.replace(at, 2, hostile);
        at = text.find("{}", at + hostile.size());
      }
      agrees(text);
      agrees(test::mutated(text, random, "*_`-#\n "));
    }
  }
}

TEST(SimpleMarkdown, CodeOfAnyLengthIsOneBlock) {
  std::string code;
  while (code.size() < 3 * kMaxMarkdownBlock) code.append("a line\n\n");
  Transcript transcript;
  walk_markdown("[x]\n```c\n" + code + "```\n*y*\n", transcript);
  Transcript expected;
  MarkdownPart part;
  part.kind = MarkdownKind::code_block;
  part.literal = code;
  part.info = "c";
  expected.enter(part);
  EXPECT_EQ(transcript.out, by_tree("[x]") + expected.out + by_tree("*y*"));
}

}  // namespace
}  // namespace dragoman::show
