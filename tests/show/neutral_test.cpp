// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/neutral.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"

namespace dragoman::show {
namespace {

using namespace std::string_view_literals;

std::string terminal(std::string_view text, Breaks breaks = Breaks::keep) {
  std::string out;
  append_terminal(out, text, breaks);
  return out;
}
std::string html(std::string_view text) {
  std::string out;
  append_html(out, text);
  return out;
}
std::string markdown(std::string_view text, Breaks breaks = Breaks::join,
                     LineStart at = LineStart::no) {
  std::string out;
  append_markdown(out, text, breaks, at);
  return out;
}

struct Row {
  std::string_view name;
  std::string_view in;
  std::string_view out;
};

TEST(NeutralForTheTerminal, ShowsWhatWouldCommandIt) {
  const std::vector<Row> rows = {
      {"clear screen", "a\x1b[2Jb", "a␛[2Jb"},
      {"clipboard", "\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"},
      {"8-bit CSI in UTF-8",
       "\xc2\x9b"
       "2J",
       "\\u{009b}2J"},
      {"8-bit CSI as a byte",
       "\x9b"
       "2J",
       "\xEF\xBF\xBD"
       "2J"},
      {"delete", "a\x7f", "a␡"},
      {"null", "a\0b"sv, "a␀b"},
      {"carriage return", "safe\rrm -rf", "safe␍rm -rf"},
      {"line end of Windows", "a\r\nb", "a\nb"},
      {"override", "delete \u202e)txt.exe", "delete \\u{202e})txt.exe"},
      {"isolates", "\u2066a\u2069", "\\u{2066}a\\u{2069}"},
      {"zero width space", "pass\u200bword", "pass\\u{200b}word"},
      {"joiner between letters", "a\u200db", "a\\u{200d}b"},
      {"tag", "x\U000E0041", "x\\u{e0041}"},
      {"selector without a base", "a\uFE00", "a\\u{fe00}"},
      {"selectors in a row", "❤\uFE0F\uFE0F", "❤\uFE0F\\u{fe0f}"},
      {"line separator", "a\u2028b", "a\\u{2028}b"},
      {"noncharacter", "\uFFFE", "\\u{fffe}"},
      {"cut sequence", "a\xF0\x9F", "a\xEF\xBF\xBD"},
      {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const Row& row : rows) EXPECT_EQ(terminal(row.in), row.out) << row.name;
}

TEST(WithoutColours, LeavesEverySequenceThatDoesMore) {
  const std::vector<Row> rows = {
      {"none", "plain", "plain"},
      {"colours", "\x1b[1;31mred\x1b[0m\x1b[m", "red"},
      {"colours of many", "\x1b[38;2;1;2;3mx\x1b[48:5:9my", "xy"},
      {"hidden text", "\x1b[8msecret", "secret"},
      {"as compilers do", "\x1b[01m\x1b[Ka.c:1\x1b[m\x1b[0K", "a.c:1"},
      {"clears what is to the left", "a\x1b[1Kb", "a\x1b[1Kb"},
      {"moves", "\x1b[2J\x1b[1A\x1b[31m", "\x1b[2J\x1b[1A"},
      {"private", "\x1b[?25l", "\x1b[?25l"},
      {"clipboard", "\x1b]52;c;eA==\x07", "\x1b]52;c;eA==\x07"},
      {"cut", "a\x1b[31", "a\x1b[31"},
      {"one inside of another", "\x1b[3\x1b[0m1mx", "\x1b[31mx"},
      {"the last byte", "a\x1b", "a\x1b"},
  };
  std::string scratch;
  for (const Row& row : rows)
    EXPECT_EQ(show::without_colours(row.in, scratch), row.out) << row.name;
}

TEST(NeutralForTheTerminal, LeavesOrdinaryTextOfAllScriptsAlone) {
  for (const std::string_view text :
       {"plain words, 100 % of them\n\tindented"sv, "日本語テキスト"sv, "العربية שלום"sv,
        "👨‍👩‍👧 ❤️ 1️⃣ 👍🏽"sv, "می‌خواهم क्‍ष"sv,
        "│ ├ └ █ ░ ▶ → ✓ ✗"sv, "e\u0301 ñ"sv, ""sv}) {
    std::string scratch;
    const std::string_view out = for_terminal(text, scratch);
    EXPECT_EQ(out, text);
    EXPECT_EQ(out.data(), text.data()) << "no copy: " << text;
  }
}

TEST(NeutralForTheTerminal, KeepsJoinedTextInItsLine) {
  EXPECT_EQ(terminal("a\nb\r\nc\td", Breaks::join), "a b c d");
}

TEST(NeutralForTheTerminal, KnowsWhatStoodBeforeTheFirstChange) {
  EXPECT_EQ(terminal("\u2764\uFE0F\u200D\U0001F525\x1b"), "\u2764\uFE0F\u200D\U0001F525␛");
}

TEST(NeutralForHtml, LeavesNoMarkup) {
  EXPECT_EQ(html("<b a=\"1\" c='2'>&amp;\x1b\u202e"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;␛\\u{202e}");
}

TEST(NeutralForMarkdown, EscapesWhatIsMarkup) {
  const std::vector<Row> rows = {
      {"tags", "<img src=x>", "\\<img src=x\\>"},
      {"link", "[a](b)", "\\[a\\](b)"},
      {"picture", "![a](b)", "\\!\\[a\\](b)"},
      {"emphasis", "*a* _b_ ~c~ `d`", "\\*a\\* \\_b\\_ \\~c\\~ \\`d\\`"},
      {"mention", "@team and a@b", "@&#8203;team and a@&#8203;b"},
      {"reference", "closes #12, GH-3", "closes #&#8203;12, GH-&#8203;3"},
      {"address", "see https://a.b, FTP://c", "see https&#8203;://a.b, FTP&#8203;://c"},
      {"address without a scheme", "(www.a.b) WWW.c", "(www&#8203;.a.b) WWW&#8203;.c"},
      {"entity", "&lt;", "\\&lt;"},
      {"table", "a | b", "a \\| b"},
      {"backslash", "\\", "\\\\"},
      {"lines", "a\nb", "a b"},
  };
  for (const Row& row : rows) EXPECT_EQ(markdown(row.in), row.out) << row.name;
}

TEST(NeutralForMarkdown, LetsNoLineBeginABlock) {
  EXPECT_EQ(markdown("# a\n- b\n1. c\n\n    d\n", Breaks::keep, LineStart::yes),
            "\\# a\\\n\\- b\\\n1\\. c\\\n&nbsp;\\\nd");
}

TEST(NeutralForMarkdown, MakesCodeThatTheTextCannotClose) {
  std::string out;
  append_code_span(out, "a``b`");
  EXPECT_EQ(out, "``` a``b` ```");
  out.clear();
  append_fenced(out, "x\n````\ny", "c++ onload=x");
  EXPECT_EQ(out, "`````c++onloadx\nx\n````\ny\n`````\n");
  out.clear();
  append_fenced(out, "", "", "  ");
  EXPECT_EQ(out, "  ```\n  ```\n");
}

TEST(NeutralForGithub, EscapesDataAndProperties) {
  std::string out;
  append_github_data(out, "100%\r\n::error::x, y\x1b");
  EXPECT_EQ(out, "100%25%0A::error::x, y␛");
  out.clear();
  append_github_property(out, "a:b,c%\n");
  EXPECT_EQ(out, "a%3Ab%2Cc%25%0A");
}

TEST(NeutralForGithub, FencesRawTextWithAWordThatDoesNotOccurInIt) {
  std::string first;
  append_github_fence(first, "::error::x", "secret of sixteen", 1);
  const std::string word = first.substr(17, 32);
  EXPECT_EQ(first, "::stop-commands::" + word + "\n::error::x\n::" + word + "::\n");

  std::string second;
  append_github_fence(second, "::" + word + "::\n::error::x\n", "secret of sixteen", 1);
  const std::string other = second.substr(17, 32);
  EXPECT_NE(other, word);
  EXPECT_EQ(second,
            "::stop-commands::" + other + "\n::" + word + "::\n::error::x\n::" + other + "::\n");
}

TEST(NeutralForGithub, NeverFencesWithASecretThatCanBeGuessed) {
  EXPECT_EQ(github_secret("sixteen random bytes"), "sixteen random bytes");
  EXPECT_GE(github_secret("").size(), 16U);
  EXPECT_NE(github_secret("short"), github_secret("short"));
}

TEST(SafeLink, IsOfThreeSchemesAndHidesNothing) {
  for (const auto* const url : {"http://a", "HTTPS://a.b/c?d#e", "mailto:a@b", "https://例え.jp"})
    EXPECT_TRUE(safe_link(url)) << url;
  for (const auto* const url :
       {"", "javascript:alert(1)", "data:text/html,x", "file:///etc", "//a", "a/b", "#x",
        "https://", "java\nscript:x", " https://a", "https://a b", "https://a\x1b",
        "https://a\u202e", "vbscript:x", "https:\\\\a", "blob:https://a", "https://a\xff"})
    EXPECT_FALSE(safe_link(url)) << url;
}

}  // namespace
}  // namespace dragoman::show
