// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/writer.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/base/utf8.hpp"
#include "dragoman/json/cursor.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/json_documents.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

std::string in_quotes(std::string_view text, Escapes escapes = Escapes::minimal) {
  std::string out;
  append_string(out, text, escapes);
  return out;
}

std::string read_back(std::string_view json) {
  Cursor cursor(json);
  const Value value = cursor.take();
  EXPECT_TRUE(cursor.finish()) << json;
  return value.is(Kind::string) ? value.text().str() : std::string();
}

std::string on_one_line(std::string_view json, Escapes escapes = Escapes::minimal) {
  std::string out;
  append_raw(out, Raw{json}, escapes);
  return out;
}

TEST(WriteString, EveryCodePointSurvives) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    utf8::append(text, c);
    for (const Escapes escapes : {Escapes::minimal, Escapes::in_comment}) {
      std::string json;
      append_string(json, std::string_view(text), escapes);
      Cursor cursor(json);
      const Value value = cursor.take();
      ASSERT_TRUE(cursor.finish()) << json;
      ASSERT_EQ(value.text().str(), text) << json;
    }
  }
}

TEST(WriteString, EscapesWhatJsonDemandsAndNoMore) {
  EXPECT_EQ(in_quotes({"\"\\/\b\f\n\r\t\x00\x1F\x7F", 11}), R"("\"\\/\b\f\n\r\t\u0000\u001f)"
                                                            "\x7F\"");
  EXPECT_EQ(in_quotes("é € 😀 > \xE2\x80\xA8"), "\"é € 😀 > \xE2\x80\xA8\"");
  EXPECT_EQ(in_quotes(""), "\"\"");
}

TEST(WriteString, InACommentNoReaderSeesItsEnd) {
  EXPECT_EQ(in_quotes("a} --> b", Escapes::in_comment), R"("a} --\u003e b")");
  EXPECT_EQ(in_quotes("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\xE2\x82\xAC", Escapes::in_comment),
            "\"\\u2028\\u2029\xE2\x80\xAA\xE2\x82\xAC\"");
  EXPECT_EQ(in_quotes("-->", Escapes::in_comment).find("-->"), std::string::npos);
}

TEST(WriteString, SpecialBytesAreFoundAtEveryPlace) {
  test::GuardedBytes guarded(4096);
  for (const std::string_view special :
       {"\"", "\\", "\n", "\x1F", ">", "\xE2\x80\xA8", "é", "\xFF"}) {
    for (std::size_t before = 0; before < 40; ++before) {
      for (std::size_t after = 0; after < 20; ++after) {
        std::string text(before, 'a');
        text.append(special).append(after, 'b');
        std::string mended;
        utf8::append_repaired(mended, text);
        for (const Escapes escapes : {Escapes::minimal, Escapes::in_comment}) {
          const std::string json = in_quotes(guarded.put(text), escapes);
          ASSERT_EQ(read_back(json), mended) << json;
          ASSERT_EQ(nlohmann::json::parse(json).get<std::string>(), mended);
        }
      }
    }
  }
}

TEST(WriteString, BrokenUtf8IsMendedPerMaximalSubpart) {
  EXPECT_EQ(in_quotes("a\xF0\x9F\x98"
                      "b\xFF\xC3"),
            "\"a\uFFFDb\uFFFD\uFFFD\"");
  EXPECT_EQ(in_quotes("\xE2\x80", Escapes::in_comment), "\"\uFFFD\"");
  test::Random random(31);
  for (std::size_t i = 0; i < test::scaled(100000); ++i) {
    const std::string text = random.bytes(random.below(60));
    std::string mended;
    utf8::append_repaired(mended, text);
    ASSERT_EQ(read_back(in_quotes(text)), mended);
    ASSERT_EQ(read_back(in_quotes(text, Escapes::in_comment)), mended);
  }
}

TEST(WriteText, AnEscapedTextMeansWhatItMeant) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {R"(a\nb)", R"("a\nb")"},     {R"(\ud83d\ude00)", "\"😀\""}, {R"(\ud800x)", "\"\uFFFDx\""},
      {R"(\u0000)", R"("\u0000")"}, {R"(\u003e)", R"(">")"},      {R"(\\u0041)", R"("\\u0041")"},
      {"\\n\xFF", "\"\\n\uFFFD\""}, {R"(\"\\)", R"("\"\\")"},     {"", R"("")"},
  };
  for (const auto& [inside, expected] : table) {
    std::string out;
    append_string(out, Text(inside, true));
    EXPECT_EQ(out, expected);
  }
  std::string out;
  append_string(out, Text(R"(a} -->\n)", true), Escapes::in_comment);
  EXPECT_EQ(out, R"("a} --\u003e\n")");
}

TEST(WriteRaw, PutsAValueOnOneLine) {
  EXPECT_EQ(on_one_line("{ \"a\" :\n [ 1 ,\t2.50e3 ],\r\n\"b c\" : \"x\\ny z\" }"),
            R"({"a":[1,2.50e3],"b c":"x\ny z"})");
  EXPECT_EQ(on_one_line("{\"\xFF\":\"\\ud800\"}"), "{\"\uFFFD\":\"\uFFFD\"}");
  EXPECT_EQ(on_one_line("[\"-->\"]", Escapes::in_comment), R"(["--\u003e"])");
  EXPECT_EQ(on_one_line("null"), "null");
}

TEST(WriteRaw, KeepsTheMeaningOfAnyDocument) {
  test::JsonDocuments documents(32);
  for (std::size_t i = 0; i < test::scaled(50000); ++i) {
    const std::string text = documents.value();
    if (text.find("\\ud800") != text.npos || text.find("\\uDFFF") != text.npos) continue;
    for (const Escapes escapes : {Escapes::minimal, Escapes::in_comment}) {
      const std::string line = on_one_line(text, escapes);
      ASSERT_EQ(line.find_first_of("\n\r\t"), line.npos) << line;
      ASSERT_EQ(nlohmann::json::parse(line), nlohmann::json::parse(text)) << text;
      ASSERT_EQ(on_one_line(line, escapes), line) << "writing twice changes nothing";
      if (escapes == Escapes::in_comment) {
        ASSERT_EQ(line.find('>'), line.npos) << line;
      }
    }
  }
}

TEST(Writer, PutsTheCommas) {
  std::string out;
  Writer w(out);
  w.begin_object();
  w.key("a").integer(-1).key("b").begin_array().count(2).real(0.5).null().end_array();
  w.key("c").begin_object().end_object().key("d").begin_array().begin_array().end_array();
  w.begin_object().key("e").boolean(true).end_object().end_array();
  w.key("f").raw(Raw{"[ 1 ]"}).key("g").text(Text("\\n", true)).key("h\"").string("");
  w.end_object();
  EXPECT_EQ(out,
            R"({"a":-1,"b":[2,0.5,null],"c":{},"d":[[],{"e":true}],"f":[1],"g":"\n","h\"":""})");
}

TEST(Writer, CountsGoToTheEndOfTheirType) {
  std::string out;
  Writer(out).begin_array().count(18446744073709551615ULL).integer(INT64_MIN).end_array();
  EXPECT_EQ(out, "[18446744073709551615,-9223372036854775808]");
}

}  // namespace
}  // namespace dragoman::json
