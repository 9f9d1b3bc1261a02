// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/text.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/base/utf8.hpp"
#include "tests/support/json_documents.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

TEST(Text, ComparesWhatIsMeant) {
  EXPECT_EQ(Text("a\nb"), Text("a\\nb", true));
  EXPECT_EQ(Text("\\u0041", true), Text("A"));
  EXPECT_EQ(Text("a", true), Text("a"));
  EXPECT_FALSE(Text("a\\nb") == Text("a\\nb", true));
  EXPECT_FALSE(Text() == Text(""));
  EXPECT_TRUE(Text() == Text());
  EXPECT_TRUE(Text().absent());
  EXPECT_FALSE(Text("").absent());
}

TEST(Text, AnUnescapedTextIsNotCopied) {
  Arena arena;
  const std::string_view plain = "plain";
  EXPECT_EQ(decode(Text(plain), arena).data(), plain.data());
}

TEST(Text, EveryUnicodeEscapeNamesItsCodePoint) {
  for (unsigned c = 0; c <= 0xFFFF; ++c) {
    const std::string escape =
        (c & 1U) != 0 ? fmt::format("\\u{:04x}", c) : fmt::format("\\u{:04X}", c);
    const UnicodeEscape read = unicode_escape(escape);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(read.value, surrogate ? char32_t{0xFFFD} : char32_t{c});
    ASSERT_EQ(read.lone, surrogate);
    ASSERT_EQ(read.length, 6u);
  }
}

TEST(Text, EverySurrogatePairNamesItsCodePoint) {
  for (char32_t c = 0x10000; c <= 0x10FFFF; c += 7) {
    const auto v = static_cast<unsigned>(c) - 0x10000;
    const std::string escape =
        fmt::format("\\u{:04x}\\u{:04X}", 0xD800 + (v >> 10U), 0xDC00 + (v & 0x3FFU));
    const UnicodeEscape read = unicode_escape(escape);
    ASSERT_EQ(read.value, c);
    ASSERT_EQ(read.length, 12u);
    ASSERT_FALSE(read.lone);
    std::string expected;
    utf8::append(expected, c);
    ASSERT_EQ(Text(escape, true).str(), expected);
  }
}

TEST(Text, DecodesAsNlohmannDoes) {
  test::JsonDocuments documents(41);
  Arena arena;
  for (std::size_t i = 0; i < test::scaled(100000); ++i) {
    const std::string text = documents.value();
    if (text[0] != '"') continue;
    if (text.find("\\ud800") != text.npos || text.find("\\uDFFF") != text.npos) continue;
    const auto expected = nlohmann::json::parse(text).get<std::string>();
    const Text inside(std::string_view(text).substr(1, text.size() - 2), true);
    ASSERT_EQ(inside.str(), expected) << text;
    ASSERT_EQ(decode(inside, arena), expected) << text;
    arena.reset();
  }
}

TEST(Text, LoneSurrogatesAreReplacedOneByOne) {
  EXPECT_EQ(Text(R"(\ud800)", true).str(), "\uFFFD");
  EXPECT_EQ(Text(R"(\udc00\ud800)", true).str(), "\uFFFD\uFFFD");
  EXPECT_EQ(Text(R"(\ud83d\ud83d\ude00)", true).str(), "\uFFFD😀");
  EXPECT_EQ(Text(R"(\ud83d\n)", true).str(), "\uFFFD\n");
  EXPECT_EQ(Text(R"(\u0000a)", true).str(), std::string("\0a", 2));
}

}  // namespace
}  // namespace dragoman::json
