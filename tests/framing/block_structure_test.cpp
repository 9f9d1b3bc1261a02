// SPDX-License-Identifier: Apache-2.0
#include "dragoman/framing/block_structure.hpp"

#include <gtest/gtest.h>

#include "dragoman/framing/code_finder.hpp"

namespace dragoman::framing {
namespace {

// One letter for each line: '-' blank, 'w' words, 'i' indented code, 'f' fenced code.
std::string kinds(std::string_view text) {
  std::string out;
  BlockStructure blocks;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back("-wif"[static_cast<std::size_t>(blocks.take(text.substr(0, end)).kind)]);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

TEST(BlockStructure, KnowsWhichLinesAreCode) {
  struct Case {
    std::string_view text;
    std::string_view kinds;
  };
  const Case cases[] = {
      {"```\nx\n```\ny\n", "fffw"},
      {"- ```\n  x\n  ```\n  y\n", "fffw"},    // in a list item
      {"- a\n  ```\n  x\ny\n", "wffw"},        // that ends with its item
      {"1.  ```\n    x\n    ```\n", "fff"},    // as wide as the sign and its blanks
      {"> ```\n> x\ny\n", "ffw"},              // in a quotation
      {"- a\n\n      x\n\n    y\n", "w-i-w"},  // indented beyond the content
      {"- a\n\n    x\n", "w-w"},               // not so far
      {"a\n    x\n", "ww"},                    // words go on
      {"# a\n    x\n", "wi"},                  // but not with a heading
      {"<!-- a -->\n    x\n", "wi"},           // nor with a comment
      {"a\n===\n    x\n", "wwi"},              // nor with a title
      {"- - -\n    x\n", "wi"},                // nor with a break
      {"> a\nb\n    c\n", "www"},              // without the sign of the quotation
      {"-     x\n", "i"},                      // five columns behind the sign
      {"-\n\n  ```\nx\n", "--ff"},             // an empty item ends with a blank line
      {"a\n2. ```\n", "ww"},                   // no list begins in a paragraph with 2
      {"a\n1. ```\n", "wf"},                   // but with 1
      {"```a`b\nx\n", "ww"},                   // a code span
      {"~~~a`b\nx\n~~~\t\r\ny\n", "fffw"},
      {"````\n```\n`````\nx\n", "fffw"},
      {"\t```\n", "i"},
      {"-\t```\n\tx\n", "ff"},
  };
  for (const Case& each : cases) EXPECT_EQ(kinds(each.text), each.kinds) << each.text;
}

TEST(BlockStructure, WhatIsDeeperThanItGoesIsWords) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "> ";
  EXPECT_EQ(kinds(deep + "```\n" + deep + "x\n"), "ww");
}

TEST(CodeFinder, DoesNotCareHowTheTextWasCut) {
  const std::string text = "- a\n\n  ```\n  x\n  ```\n\nb\n1. c\n\n       d\n   > e\n\nf\n";
  for (std::size_t place = 0; place < text.size(); ++place) {
    CodeFinder whole;
    whole.advance(std::string_view(text).substr(0, place));
    for (std::size_t cut = 0; cut < place; ++cut) {
      CodeFinder parts;
      parts.advance(std::string_view(text).substr(0, cut));
      parts.advance(std::string_view(text).substr(cut, place - cut));
      ASSERT_EQ(parts.here().kind, whole.here().kind) << place << ", cut at " << cut;
      ASSERT_EQ(parts.here().quoted, whole.here().quoted) << place << ", cut at " << cut;
    }
  }
}

// More than is kept of what came since it was last asked, and cut in other places.
TEST(CodeFinder, DoesNotCareHowFarItLagsBehind) {
  const std::string part = "- a\n\n  ```\n  x\n  ```\n\n      b\n  1. c\n\n> d\ne\n    f\n";
  std::string text;
  while (text.size() < 20'000) {
    text += part + (text.size() % 3 == 0 ? "\ng\n" : "");
    if (text.size() % 5 == 0) text += std::string(5000, 'h') + "\n";
  }
  for (const std::size_t step : {1U, 7U, 300U, 4096U, 9000U}) {
    CodeFinder eager;
    CodeFinder lazy;
    std::size_t shown = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
      if (text[place] >= 'a') {
        const BlockStructure::Line expected = eager.here();
        if (place / step != shown / step) {
          lazy.advance(std::string_view(text).substr(shown, place - shown));
          shown = place;
          ASSERT_EQ(lazy.here().kind, expected.kind) << place << " by " << step;
          ASSERT_EQ(lazy.here().quoted, expected.quoted) << place << " by " << step;
        }
      }
      eager.advance(std::string_view(text).substr(place, 1));
    }
  }
}

TEST(CodeFinder, HoldsNoMoreThanTheHeadOfALine) {
  const std::string blanks(100'000, ' ');
  CodeFinder finder;
  finder.advance("a\n\n" + blanks);
  EXPECT_EQ(finder.here().kind, BlockStructure::Kind::indented_code);
  finder.advance("x\n");
  EXPECT_EQ(finder.here().kind, BlockStructure::Kind::words);
  finder.advance("\n" + blanks + "\n");  // blank, however long
  EXPECT_EQ(finder.fence("```" + blanks), BlockStructure::Fence::opened);
}

}  // namespace
}  // namespace dragoman::framing
