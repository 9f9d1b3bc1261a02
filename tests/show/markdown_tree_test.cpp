// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/markdown_tree.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dragoman::show {
namespace {

constexpr std::string_view kNames[] = {
    "p",      "h",          "quote",      "list",  "item", "table", "row",
    "cell",   "code_block", "html_block", "plain", "rule", "em",    "strong",
    "strike", "link",       "image",      "text",  "code", "soft",  "break"};

// The walk as one line: (p text'a' (em text'b'))
class Outline final : public MarkdownVisitor {
 public:
  void enter(const MarkdownPart& part) override {
    const std::string_view name = kNames[static_cast<std::size_t>(part.kind)];
    if (!out.empty() && out.back() != '(') out.push_back(' ');
    if (has_content(part.kind)) out.push_back('(');
    out.append(name);
    if (part.level > 0) out.append(std::to_string(part.level));
    if (part.ordered) out.append(fmt::format("#{}", part.start));
    if (part.kind == MarkdownKind::list && !part.tight) out.append(" loose");
    if (part.checked) out.append(*part.checked ? " [x]" : " [ ]");
    if (part.header_row) out.append(" head");
    if (part.kind == MarkdownKind::table_cell)
      out.append(fmt::format(" {}/{}", part.column, part.columns));
    if (part.align == MarkdownAlign::right) out.append(" right");
    if (!part.info.empty()) out.append(fmt::format(" {}", part.info));
    if (!part.destination.empty()) out.append(fmt::format(" to {}", part.destination));
    if (!part.refused.empty()) out.append(fmt::format(" not {}", part.refused));
    if (!has_content(part.kind) && !part.literal.empty())
      out.append(fmt::format("'{}'", part.literal));
  }
  void leave(const MarkdownPart& /*part*/) override { out.push_back(')'); }
  std::string out;
};

std::string outline(std::string_view text) {
  Outline outline;
  walk_markdown(text, outline);
  return outline.out;
}

TEST(MarkdownTree, WalksTheBlocks) {
  EXPECT_EQ(outline("# One *two*\n\n- a\n- [x] b\n\n3. c\n\n> q\n\n---\n"),
            "(h1 text'One ' (em text'two')) (list (item (p text'a')) (item [x] (p text'b'))) "
            "(list#3 (item (p text'c'))) (quote (p text'q')) rule");
}

TEST(MarkdownTree, WalksTables) {
  EXPECT_EQ(outline("| a | b |\n|---|--:|\n| 1 | ~~2~~ |\n"),
            "(table (row head (cell head 0/2 text'a') (cell head 1/2 right text'b')) "
            "(row (cell 0/2 text'1') (cell 1/2 right (strike text'2'))))");
}

TEST(MarkdownTree, GivesRawHtmlAsText) {
  EXPECT_EQ(outline("a <b onclick=x>c</b>\n\n<script>\nalert(1)\n</script>\n\n<!-- note -->\n"),
            "(p text'a ' text'<b onclick=x>' text'c' text'</b>') "
            "html_block'<script>\nalert(1)\n</script>\n' html_block'<!-- note -->\n'");
}

TEST(MarkdownTree, FollowsOnlySafeLinks) {
  EXPECT_EQ(
      outline("[a](https://x.y) [b](javascript:alert(1)) ![c](data:x) [d](src/a.cpp)"),
      "(p (link to https://x.y text'a') text' ' (link not javascript:alert(1) text'b') text' ' "
      "(image not data:x text'c') text' ' (link not src/a.cpp text'd'))");
  EXPECT_EQ(outline("see https://x.y"), "(p text'see ' (link to https://x.y text'https://x.y'))");
}

TEST(MarkdownTree, GivesCodeWithItsLanguage) {
  EXPECT_EQ(outline("```cpp x=1\nint a;\n```\n`b`"), "code_block cpp'int a;\n' (p code'b')");
}

TEST(MarkdownTree, LeavesOutContainersThatAreTooDeep) {
  const std::string deep = outline(std::string(1000, '>') + " a");
  EXPECT_EQ(deep.size(), outline(std::string(kMaxMarkdownDepth, '>') + " a").size());
  EXPECT_NE(deep.find("text'a'"), std::string::npos);
}

TEST(WalkMarkdown, CutsALongTextAtEmptyLinesOutsideFences) {
  std::string text;
  std::string expected;
  for (int i = 0; text.size() < 3 * kMaxMarkdownBlock; ++i) {
    text.append(fmt::format("```\nx{}\n\ny\n```\n\n", i));
    expected.append(fmt::format("{}code_block'x{}\n\ny\n'", i == 0 ? "" : " ", i));
  }
  EXPECT_EQ(outline(text), expected);
}

TEST(WalkMarkdown, ShowsAStretchThatIsTooLongAsItIs) {
  const std::string row(kMaxMarkdownBlock + 1, '|');
  EXPECT_EQ(outline(row + "\n\n*a*"), "plain'" + row + "\n\n' (p (em text'a'))");
}

TEST(MarkdownCut, IsBehindAnEmptyLine) {
  EXPECT_EQ(markdown_cut("a\n\nb\n\nc", 100), 6U);
  EXPECT_EQ(markdown_cut("a\n\nb\n\nc", 2), 3U);
  EXPECT_EQ(markdown_cut("a\nb", 100), 0U);
  EXPECT_EQ(markdown_cut("```\n\n", 100), 0U);
  EXPECT_EQ(markdown_cut("a\n- ```\n\n", 100), 2U);
  EXPECT_EQ(markdown_cut("- ```\n  b\nc\n\nd", 100), 13U);
}

TEST(MarkdownOpenFence, IsTheLineThatOpensIt) {
  EXPECT_EQ(markdown_open_fence("a\n~~~ x\nb\n"), "~~~ x");
  EXPECT_EQ(markdown_open_fence("1. a\n\n   ```c\n   b\n"), "```c");
  EXPECT_EQ(markdown_open_fence("- ```\n  b\nc\n"), "");
}

}  // namespace
}  // namespace dragoman::show
