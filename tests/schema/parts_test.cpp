// SPDX-License-Identifier: Apache-2.0
// Numbers, patterns, formats and URIs: what the validator is made of.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/schema/decimal.hpp"
#include "dragoman/schema/format.hpp"
#include "dragoman/schema/pattern.hpp"
#include "dragoman/schema/uri.hpp"

namespace dragoman::schema {
namespace {

TEST(Decimal, IsTheValueNotTheSpelling) {
  const std::vector<std::vector<std::string>> same = {
      {"0", "-0", "0.0", "0e10", "-0.00e-5", "0e99999999999999999999"},
      {"1", "1.0", "1e0", "10e-1", "0.1e1", "0.0001E+4", "1000000e-6"},
      {"-12.5", "-125e-1", "-0.125e2", "-12.50"},
      {"123456789012345678901234567890", "1.23456789012345678901234567890e29"},
  };
  for (std::size_t i = 0; i < same.size(); ++i) {
    for (std::size_t j = 0; j < same.size(); ++j) {
      for (const std::string& a : same[i]) {
        for (const std::string& b : same[j]) {
          EXPECT_EQ(Decimal::parse(a) == Decimal::parse(b), i == j) << a << " " << b;
        }
      }
    }
  }
}

TEST(Decimal, IsOrdered) {
  const std::vector<std::string> ascending = {"-1e400",
                                              "-1e10",
                                              "-10",
                                              "-9.99",
                                              "-9",
                                              "-1.5",
                                              "-1.49",
                                              "-1e-400",
                                              "0",
                                              "1e-400",
                                              "0.00001",
                                              "0.1",
                                              "0.11",
                                              "1",
                                              "1.001",
                                              "9",
                                              "10",
                                              "9007199254740992",
                                              "9007199254740993",
                                              "1e400",
                                              "1.1e400"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(Decimal::parse(ascending[i]) <=> Decimal::parse(ascending[j]), i <=> j)
          << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(Decimal, KnowsMultiplesExactly) {
  struct Row {
    std::string value;
    std::string divisor;
    bool multiple;
  };
  const std::vector<Row> rows = {
      {"0", "0.01", true},
      {"4.35", "0.01", true},
      {"19.99", "0.01", true},
      {"0.3", "0.1", true},
      {"1.1", "0.1", true},
      {"0.35", "0.1", false},
      {"1e308", "0.5", true},
      {"1e-9", "1e-8", false},
      {"12391239123", "1e-8", true},
      {"7", "2.5", false},
      {"7.5", "2.5", true},
      {"-7.5", "2.5", true},
      {"1e1000000000000", "3", false},
      {"3e1000000000000", "3", true},
      {"999999999999999999999999999999", "999999999999999999", false},
      {"999999999999999999000000000000000000", "999999999999999999", true},
      {"30", "1e2", false},
      {"300", "1e2", true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(is_multiple(Decimal::parse(row.value), Decimal::parse(row.divisor)), row.multiple)
        << row.value << " " << row.divisor;
  }
}

TEST(Decimal, GivesWholeNumbersThatFit) {
  EXPECT_EQ(Decimal::parse("12e3").whole(), 12000);
  EXPECT_EQ(Decimal::parse("-5").whole(), -5);
  EXPECT_EQ(Decimal::parse("0").whole(), 0);
  EXPECT_EQ(Decimal::parse("999999999999999999").whole(), 999999999999999999);
  EXPECT_EQ(Decimal::parse("1e18").whole(), std::nullopt);
  EXPECT_EQ(Decimal::parse("1e999999999999999999999").whole(), std::nullopt);
  EXPECT_EQ(Decimal::parse("0.5").whole(), std::nullopt);
}

bool found(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled && compiled->found_in(text);
}

TEST(Pattern, TellsWhatItCannotDoFromWhatIsWrong) {
  const std::vector<std::pair<std::string, ErrorCode>> rows = {
      {"(?=a)", ErrorCode::unsupported},   {"(?!a)", ErrorCode::unsupported},
      {"(?<=a)b", ErrorCode::unsupported}, {"(?<!a)b", ErrorCode::unsupported},
      {"(a)\\1", ErrorCode::unsupported},  {"a{1001}", ErrorCode::unsupported},
      {"(", ErrorCode::validation},        {"[a", ErrorCode::validation},
      {"a**b\\", ErrorCode::validation},   {"\\a", ErrorCode::validation},
      {"\\u12", ErrorCode::validation},    {"\\p{Nonsense}", ErrorCode::validation},
      {"\\pL", ErrorCode::validation},     {"\\c1", ErrorCode::validation},
      {"*", ErrorCode::validation},
  };
  for (const auto& [text, code] : rows) {
    const auto pattern = Pattern::compile(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_EQ(pattern.error().code, code) << text << ": " << pattern.error().message;
  }
  EXPECT_EQ(Pattern::compile(std::string(70'000, 'a')).error().code, ErrorCode::unsupported);
}

TEST(Pattern, SeesSpacesAsEcmaScriptDoes) {
  const auto space = Pattern::compile("^\\s$");
  const auto not_space = Pattern::compile("^[\\S]$");
  ASSERT_TRUE(space && not_space);
  int spaces = 0;
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x4000 || c > 0xfe00 ? 1 : 97) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    utf8::append(text, c);
    EXPECT_NE(space->found_in(text), not_space->found_in(text)) << std::hex << static_cast<int>(c);
    spaces += space->found_in(text) ? 1 : 0;
    if (c > 0xffff) c += 97;
  }
  EXPECT_EQ(spaces, 25);  // 6 controls and blank, U+00A0, U+FEFF and the separators of category Z
}

TEST(Pattern, TranslatesWhatIsSpelledDifferently) {
  EXPECT_TRUE(found("^[^]$", "\n"));
  EXPECT_FALSE(found("[]", "a"));
  EXPECT_TRUE(found("^[[]$", "["));
  EXPECT_TRUE(found("^[[:alpha:]]$", ":]"));
  EXPECT_TRUE(found("^\\cA$", "\x01"));
  EXPECT_TRUE(found("^[\\b]$", "\b"));
  EXPECT_TRUE(found("^\\0$", std::string_view("\0", 1)));
  EXPECT_TRUE(found("^\\ud83d\\ude00$", "😀"));
  EXPECT_TRUE(found("^(?<a>x)(?:y)$", "xy"));
  EXPECT_TRUE(found("^\\/\\-\\.$", "/-."));
  EXPECT_TRUE(found("^\\p{Script=Greek}\\p{gc=Decimal_Number}$", "λ3"));
}

TEST(Pattern, TakesLinearTimeForHostilePatterns) {
  EXPECT_FALSE(found("^(a+)+$", std::string(100'000, 'a') + "b"));
  EXPECT_FALSE(found("(x+x+)+y", std::string(100'000, 'x')));
}

TEST(Format, KnowsDatesUuidsAndExpressions) {
  const std::vector<std::pair<std::string, bool>> dates = {
      {"2025-11-18T10:05:22Z", true},      {"2025-11-18t10:05:22.123456z", true},
      {"2024-02-29T00:00:00+01:00", true}, {"2023-02-29T00:00:00Z", false},
      {"2000-02-29T00:00:00Z", true},      {"1900-02-29T00:00:00Z", false},
      {"1998-12-31T23:59:60Z", true},      {"1998-12-31T15:59:60-08:00", true},
      {"1998-12-31T22:59:60Z", false},     {"2025-11-18 10:05:22Z", false},
      {"2025-11-18T10:05:22", false},      {"2025-11-18T24:00:00Z", false},
      {"2025-11-18T10:05:22.Z", false},    {"2025-11-18T10:05:22+24:00", false},
      {"2025-11-18T10:05:22Zx", false},    {"", false},
      {"2025-13-01T00:00:00Z", false},     {"2025-00-01T00:00:00Z", false},
      {"2025-11-31T00:00:00Z", false},     {"+2025-11-18T10:05:22Z", false},
  };
  for (const auto& [text, good] : dates) EXPECT_EQ(has_format("date-time", text), good) << text;
  EXPECT_TRUE(has_format("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"));
  EXPECT_TRUE(has_format("uuid", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"));
  EXPECT_FALSE(has_format("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d1638"));
  EXPECT_FALSE(has_format("uuid", "2eb8aa08aa98-11ea-b4aa73b441d16380-"));
  EXPECT_FALSE(has_format("uuid", "2eb8aa08-aa98-11ea-b4ga-73b441d16380"));
  EXPECT_TRUE(has_format("regex", "^(?=a)b$"));
  EXPECT_FALSE(has_format("regex", "["));
  EXPECT_TRUE(has_format("email", "not one"));
}

// RFC 3986, 5.4, and bases that are only paths.
TEST(Uri, ResolvesReferences) {
  struct Row {
    std::string base;
    std::string reference;
    std::string target;
  };
  const std::string rfc = "http://a/b/c/d;p?q";
  const std::vector<Row> rows = {
      {rfc, "g:h", "g:h"},
      {rfc, "g", "http://a/b/c/g"},
      {rfc, "./g", "http://a/b/c/g"},
      {rfc, "g/", "http://a/b/c/g/"},
      {rfc, "/g", "http://a/g"},
      {rfc, "//g", "http://g"},
      {rfc, "?y", "http://a/b/c/d;p?y"},
      {rfc, "g?y", "http://a/b/c/g?y"},
      {rfc, "", "http://a/b/c/d;p?q"},
      {rfc, ".", "http://a/b/c/"},
      {rfc, "..", "http://a/b/"},
      {rfc, "../g", "http://a/b/g"},
      {rfc, "../..", "http://a/"},
      {rfc, "../../g", "http://a/g"},
      {rfc, "../../../g", "http://a/g"},
      {rfc, "/./g", "http://a/g"},
      {rfc, "/../g", "http://a/g"},
      {rfc, "g;x=1/../y", "http://a/b/c/y"},
      {rfc, "g.", "http://a/b/c/g."},
      {"http://a", "g", "http://a/g"},
      {"urn:uuid:dead", "", "urn:uuid:dead"},
      {"urn:uuid:dead", "urn:x", "urn:x"},
      {"", "codex/v3.6/wait_result/v1", "codex/v3.6/wait_result/v1"},
      {"dragoman/event/v1", "status/v1", "dragoman/event/status/v1"},
      {"dragoman/event/status/v1", "../goto/v1", "dragoman/event/goto/v1"},
      {"a:b", "..", "a:"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(resolve(row.base, row.reference), row.target) << row.base << " + " << row.reference;
  }
}

TEST(Uri, DecodesEscapesAndCutsFragments) {
  EXPECT_EQ(percent_decoded("a%25b%2"), "a%b%2");
  EXPECT_EQ(percent_decoded("%zz%C3%A9"), "%zzé");
  EXPECT_EQ(split_fragment("a#b#c").uri, "a");
  EXPECT_EQ(split_fragment("a#b#c").fragment, "b#c");
  EXPECT_EQ(split_fragment("a").fragment, "");
}

}  // namespace
}  // namespace dragoman::schema
