// SPDX-License-Identifier: Apache-2.0
#include "dragoman/json/flat_object.hpp"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::json {
namespace {

// Whatever is read flat must be what the full scanner says.
bool expect_same_answer(std::string_view text) {
  FlatObject flat;
  if (!read_flat_object(text, flat)) return false;
  ObjectScanner scanner;
  scanner.start(ObjectScanner::Newlines::forbidden);
  EXPECT_EQ(scanner.feed(text), ObjectScanner::State::complete) << text;
  EXPECT_EQ(scanner.position(), flat.length) << text;
  EXPECT_EQ(scanner.saw_lone_surrogate(), flat.lone_surrogate) << text;
  EXPECT_EQ(scanner.saw_non_ascii() && !utf8::valid(text.substr(0, flat.length)), flat.invalid_utf8)
      << text;
  EXPECT_EQ(scanner.members().size(), flat.members.size()) << text;
  for (std::size_t i = 0; i < std::min(scanner.members().size(), flat.members.size()); ++i) {
    const ObjectScanner::Member& a = scanner.members()[i];
    const ObjectScanner::Member& b = flat.members[i];
    EXPECT_EQ(a.key(text).bytes, b.key(text).bytes) << text;
    EXPECT_EQ(a.value(text).raw, b.value(text).raw) << text;
    EXPECT_EQ(a.kind, b.kind) << text;
    EXPECT_EQ(a.value_escaped, b.value_escaped) << text;
  }
  return true;
}

TEST(FlatObject, ReadsScalarsAndStopsBehindTheBrace) {
  for (const std::string_view text : {R"({} -->)", R"({"a":1} --> {"b":2})",
                                      R"({ "a" : "x\n" , "b":null,"c":true,"d":-0.5e3 } -->)",
                                      "{\"a\":\"\xc3\xa9\xff\",\"a\":\"\\ud800\"}"}) {
    EXPECT_TRUE(expect_same_answer(text)) << text;
  }
}

TEST(FlatObject, LeavesEverythingElseToTheScanner) {
  for (const std::string_view text :
       {"", "[1]", "{", R"({"a":1)", R"({"a":[1]})", R"({"a":{}})", R"({"a":1,})", "{\"a\":\n1}",
        R"({"a":1e400})", R"({"a":99999999999999999999})", R"({"a":nul})", R"({"\u0061":1})",
        "{\"a\":\"x\ny\"}", R"({"a":NaN})"}) {
    FlatObject flat;
    EXPECT_FALSE(read_flat_object(text, flat)) << text;
  }
}

TEST(FlatObject, AgreesWithTheScannerOnRandomText) {
  static constexpr std::string_view kPieces[] = {
      "{",    "}",    "\"",   "\"a\"",        ":",           ",",        "1",
      "-1.5", "true", "null", "\"x\\n\"",     "\"\\ud800\"", " ",        "[",
      "]",    "-->",  "\n",   "\"\xc3\xa9\"", "\xff",        "{\"k\":1", ",\"l\":\"v\"}"};
  std::mt19937 random(3);
  std::size_t read = 0;
  for (std::size_t i = 0; i < test::scaled(400'000); ++i) {
    std::string text = "{";
    for (std::size_t n = random() % 14; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
    read += expect_same_answer(text + "} -->") ? 1 : 0;
  }
  EXPECT_GT(read, 10U);
}

}  // namespace
}  // namespace dragoman::json
