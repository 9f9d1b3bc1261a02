// SPDX-License-Identifier: Apache-2.0
// RFC 8259, case by case. "y" must be accepted, "n" refused, "i" is left to the reader by the RFC
// and pinned here to what we do.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "accepts.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/object_scanner.hpp"
#include "tests/support/json_reference.hpp"

namespace dragoman::json {
namespace {

using namespace std::string_view_literals;

const std::vector<std::string_view> kAccepted = {
    // structure
    "{}"sv,
    "[]"sv,
    "[[]]"sv,
    "[{}]"sv,
    "{\"a\":{}}"sv,
    "{\"a\":[]}"sv,
    "[[],[]]"sv,
    "[[[[]]]]"sv,
    "{\"a\":1,\"b\":2}"sv,
    "[1,2,3]"sv,
    "{\"\":0}"sv,
    "{\"a\":\"b\"}"sv,
    "{\"a\":1,\"a\":2}"sv,
    "{\"a\":1,\"a\":1}"sv,
    "{\"a\\u0000b\":1}"sv,
    "[null,1,\"2\",{}]"sv,
    "{\"a\":null}"sv,
    // white space
    " []"sv,
    "[] "sv,
    "\t[]"sv,
    "\n[]\n"sv,
    "\r\n[]\r\n"sv,
    "[ ]"sv,
    "[\n]"sv,
    "{ }"sv,
    "{\t}"sv,
    "[ 1 , 2 ]"sv,
    "{ \"a\" : 1 , \"b\" : 2 }"sv,
    "{\n\"a\"\n:\n1\n}"sv,
    "[\r1\r]"sv,
    " \t\r\n1\n\r\t "sv,
    // scalars on their own
    "true"sv,
    "false"sv,
    "null"sv,
    "0"sv,
    "42"sv,
    "-1"sv,
    "0.1"sv,
    "\"\""sv,
    "\"a\""sv,
    // numbers
    "[0]"sv,
    "[-0]"sv,
    "[-0.0]"sv,
    "[0e1]"sv,
    "[0e+1]"sv,
    "[0E-1]"sv,
    "[1e1]"sv,
    "[1E1]"sv,
    "[1e+1]"sv,
    "[1e-1]"sv,
    "[1E+1]"sv,
    "[1E-1]"sv,
    "[123]"sv,
    "[123.456789]"sv,
    "[-123]"sv,
    "[-1.5e3]"sv,
    "[1.5E+3]"sv,
    "[20e1]"sv,
    "[0.5]"sv,
    "[10]"sv,
    "[100]"sv,
    "[123e65]"sv,
    "[123.456e78]"sv,
    "[-0.000000000000000000000000000000000000000000000001]"sv,
    "[ 4]"sv,
    "[9223372036854775807]"sv,
    "[-9223372036854775808]"sv,
    "[1e-400]"sv,
    "{\"a\":-3}"sv,
    // strings
    "[\"\\\"\"]"sv,
    "[\"\\\\\"]"sv,
    "[\"\\/\"]"sv,
    "[\"/\"]"sv,
    "[\"\\b\\f\\n\\r\\t\"]"sv,
    "[\"\\u0000\"]"sv,
    "[\"\\u001F\"]"sv,
    "[\"\\uabcd\"]"sv,
    "[\"\\uABCD\"]"sv,
    "[\"\\uFFFF\"]"sv,
    "[\"\\uD83D\\uDE00\"]"sv,
    "[\"\\ud83d\\ude00\"]"sv,
    "[\"\\uDBFF\\uDFFF\"]"sv,
    "[\"\\u2028\\u2029\"]"sv,
    "[\"\\\\u0000\"]"sv,
    "[\"\\\\n\"]"sv,
    "[\"\\\\a\"]"sv,
    "[\"new\\u000Aline\"]"sv,
    "[\"\\u0022\"]"sv,
    "[\"\\u005C\"]"sv,
    "[\"a/*b*/c\"]"sv,
    "[\"\x7F\"]"sv,
    "[\"\xE2\x80\xA8\"]"sv,
    "[\"\xE2\x80\xA9\"]"sv,
    "[\"\xEF\xBB\xBF\"]"sv,
    "[\"\xC3\xA9\"]"sv,
    "[\"\xF4\x8F\xBF\xBF\"]"sv,
    "[\"\xEF\xBF\xBF\"]"sv,
    "[\" \"]"sv,
    "[\"\xF0\x9D\x84\x9E\"]"sv,
    "[\"asd \"]"sv,
    "[\"'\"]"sv,
    "[\"} -->\"]"sv,
    "[\"[{]}\"]"sv,
    "{\"\\u0061\":1}"sv,
    "{\"a b\":1}"sv,
    "{\"title\":\"\\u041f\\u043e\\u043b\"}"sv,
    "[\"0123456789abcdef0123456789abcdef\"]"sv,
    "[\"0123456789abcde\\n\"]"sv,
    "[\"0123456789abcdef0123456789abcde\\u0041\"]"sv,
};

const std::vector<std::string_view> kRefused = {
    // nothing, or more than one value
    ""sv,
    " "sv,
    "\n"sv,
    "[][]"sv,
    "{}{}"sv,
    "1 2"sv,
    "[]1"sv,
    "{}x"sv,
    "[1]x"sv,
    "{} {}"sv,
    "\"a\"\"b\""sv,
    "true false"sv,
    "[],"sv,
    ",[]"sv,
    "{\"a\":1} // c"sv,
    "[]\0"sv,
    "\0"sv,
    // unfinished
    "["sv,
    "{"sv,
    "[1"sv,
    "[1,"sv,
    "{\"a\""sv,
    "{\"a\":"sv,
    "{\"a\":1"sv,
    "{\"a\":1,"sv,
    "\""sv,
    "\"a"sv,
    "[\"a"sv,
    "[\""sv,
    "{\""sv,
    "[[[["sv,
    "{\"a\":{\"b\":"sv,
    "[tru"sv,
    "nul"sv,
    "[fals"sv,
    "\"\\"sv,
    "\"\\u"sv,
    "\"\\u1"sv,
    "\"\\u12"sv,
    "\"\\u123"sv,
    "\"\\u1234"sv,
    "\"\\uD83D\\"sv,
    "\"\\uD83D\\u"sv,
    "\"\\uD83D\\uDE0"sv,
    "-"sv,
    "[1."sv,
    "[1e"sv,
    "[1e+"sv,
    // brackets
    "]"sv,
    "}"sv,
    "[}"sv,
    "{]"sv,
    "[{]}"sv,
    "[1}"sv,
    "{\"a\":1]"sv,
    "[]]"sv,
    "{}}"sv,
    "[[]"sv,
    "{\"a\":[}"sv,
    "[\"a\"}"sv,
    "<[]>"sv,
    "(1)"sv,
    // commas and colons
    "[,]"sv,
    "[,1]"sv,
    "[1,]"sv,
    "[1,,2]"sv,
    "[1,,]"sv,
    "[1 2]"sv,
    "[1:2]"sv,
    "[\"a\":1]"sv,
    "{,}"sv,
    "{\"a\":1,}"sv,
    "{,\"a\":1}"sv,
    "{\"a\":1,,\"b\":2}"sv,
    "{\"a\" 1}"sv,
    "{\"a\"}"sv,
    "{\"a\",\"b\"}"sv,
    "{\"a\"::1}"sv,
    "{\"a\":}"sv,
    "{:1}"sv,
    "{\"a\":1 \"b\":2}"sv,
    "{\"a\":1:2}"sv,
    "{\"a\",1}"sv,
    "[\"\",]"sv,
    "[3[4]]"sv,
    "[\"a\" \"b\"]"sv,
    "[[1],]"sv,
    // keys
    "{a:1}"sv,
    "{'a':1}"sv,
    "{1:1}"sv,
    "{null:1}"sv,
    "{true:1}"sv,
    "{[]:1}"sv,
    "{{}:1}"sv,
    "{\"a\":1,b:2}"sv,
    "{\"\\x\":1}"sv,
    // literals
    "True"sv,
    "TRUE"sv,
    "None"sv,
    "NULL"sv,
    "undefined"sv,
    "NaN"sv,
    "-NaN"sv,
    "Infinity"sv,
    "-Infinity"sv,
    "+Infinity"sv,
    "inf"sv,
    "truth"sv,
    "truetrue"sv,
    "nulll"sv,
    "falsee"sv,
    "tru e"sv,
    "[nan]"sv,
    "{\"a\":True}"sv,
    "[true1]"sv,
    "[truefalse]"sv,
    "yes"sv,
    // numbers
    "+1"sv,
    "[+1]"sv,
    "01"sv,
    "[-01]"sv,
    "[00]"sv,
    "1."sv,
    "[1.]"sv,
    ".5"sv,
    "[.5]"sv,
    "[-.5]"sv,
    "[1.e1]"sv,
    "1e"sv,
    "[1e]"sv,
    "[1e+]"sv,
    "[1E-]"sv,
    "[1e1.5]"sv,
    "0x10"sv,
    "[0x1F]"sv,
    "[0b1]"sv,
    "[1_000]"sv,
    "[1,000.]"sv,
    "--1"sv,
    "[- 1]"sv,
    "[1 .5]"sv,
    "[0.e1]"sv,
    "[0e]"sv,
    "[1e e]"sv,
    "[1f]"sv,
    "[1L]"sv,
    "[012]"sv,
    "[-012]"sv,
    "[1.2.3]"sv,
    "[1-2]"sv,
    "[1+2]"sv,
    "[\xEF\xBC\x91]"sv,
    "[-]"sv,
    "[-a]"sv,
    "[1a]"sv,
    "[1\"a\"]"sv,
    "[.]"sv,
    "[e1]"sv,
    "[0.1.2]"sv,
    "[1ea]"sv,
    "[1.a]"sv,
    "[2.e+3]"sv,
    "[9.e+]"sv,
    "[0E+]"sv,
    "[1.0e-]"sv,
    "[1e1e1]"sv,
    // strings
    "'a'"sv,
    "['a']"sv,
    "[\"a\nb\"]"sv,
    "[\"a\tb\"]"sv,
    "[\"a\rb\"]"sv,
    "[\"a\0b\"]"sv,
    "[\"\x1F\"]"sv,
    "[\"\x01\"]"sv,
    "[\"\\a\"]"sv,
    "[\"\\x41\"]"sv,
    "[\"\\'\"]"sv,
    "[\"\\0\"]"sv,
    "[\"\\U0041\"]"sv,
    "[\"\\u\"]"sv,
    "[\"\\u1\"]"sv,
    "[\"\\u12\"]"sv,
    "[\"\\u123\"]"sv,
    "[\"\\u12G4\"]"sv,
    "[\"\\u 123\"]"sv,
    "[\"\\u-123\"]"sv,
    "[\"\\\n\"]"sv,
    "[\"\\\0\"]"sv,
    "[\"\\uD83D\\u\"]"sv,
    "[\"\\uD83D\\uZZZZ\"]"sv,
    "[\"\\\xC3\xA9\"]"sv,
    "[\"\\ \"]"sv,
    "[\"\\v\"]"sv,
    "[\"\\e\"]"sv,
    "[\"\\{\"]"sv,
    "[\"\\u00A\"]"sv,
    "[`a`]"sv,
    "[a]"sv,
    "[\\n]"sv,
    "\"a\"b"sv,
    "[\"a\\\"]"sv,
    "[\xE2\x80\x9C"
    "a\xE2\x80\x9D]"sv,
    "[\"0123456789abcdef0123456789abcdef\n\"]"sv,
    "[\"0123456789abcdef\\q\"]"sv,
    // what other dialects of JSON allow
    "/**/[]"sv,
    "[]/**/"sv,
    "[1/**/]"sv,
    "[1//c\n]"sv,
    "#c\n[]"sv,
    "{\"a\":/*c*/1}"sv,
    "[1;2]"sv,
    "\xEF\xBB\xBF[]"sv,
    "\xEF\xBB\xBF{}"sv,
    "[\x0C]"sv,
    "[\x0B]"sv,
    "\xC2\xA0[]"sv,
    "[\xE2\x80\xA8]"sv,
    "\x0C[]"sv,
    "[\xE2\x81\xA0]"sv,
    "[ \0]"sv,
    "[1\0]"sv,
    "{\"a\":\"b\"#}"sv,
    "*"sv,
    "&"sv,
    "\xFF"sv,
    "[\xFF]"sv,
    "\xE5"sv,
    "a"sv,
    "\\u005B]"sv,
    "[\"a\",\n4\n,1,"sv,
};

struct Pinned {
  std::string_view text;
  bool lone_surrogate;
  bool invalid_utf8;
};
const std::vector<Pinned> kAcceptedAndFlagged = {
    {"[\"\\uD800\"]"sv, true, false},
    {"[\"\\uDC00\"]"sv, true, false},
    {"[\"\\uD800\\uD800\"]"sv, true, false},
    {"[\"\\uD800\\n\"]"sv, true, false},
    {"[\"\\uD83Dabc\"]"sv, true, false},
    {"[\"\\uDFFF\\uDBFF\"]"sv, true, false},
    {"{\"\\uDFAA\":0}"sv, true, false},
    {"[\"\xFF\"]"sv, false, true},
    {"[\"\xC3\"]"sv, false, true},
    {"[\"\xED\xA0\x80\"]"sv, false, true},
    {"[\"\xF4\x90\x80\x80\"]"sv, false, true},
    {"[\"\xC0\xAF\"]"sv, false, true},
    {"[\"\xE0\xFF\"]"sv, false, true},
    {"[\"\x81\"]"sv, false, true},
    {"[\"\xFC\x83\xBF\xBF\xBF\xBF\"]"sv, false, true},
    {"{\"\xB9\":\"0\"}"sv, false, true},
    {"[\"\xEB\xA0\"]"sv, false, true},
    {"[\"0123456789abcdef0123456789abcdef\xFF\"]"sv, false, true},
    {"[1e400]"sv, false, false},
    {"[-1e9999]"sv, false, false},
    {"[0.4e00669999999999999999999999999999999999999999]"sv, false, false},
    {"[100000000000000000000]"sv, false, false},
    {"[-123123123123123123123123123123]"sv, false, false},
    {"[123e-10000000]"sv, false, false},
};

ObjectScanner::State scan(std::string_view payload, std::size_t& position) {
  ObjectScanner scanner;
  scanner.start(ObjectScanner::Newlines::allowed);
  const auto state = scanner.feed(payload);
  position = scanner.position();
  return state;
}

// Puts the case into a place where an object is being read.
std::string wrapped(std::string_view text) { return "{\"k\":" + std::string(text) + "}"; }

TEST(Rfc8259, AcceptsWhatIsJson) {
  for (const std::string_view text : kAccepted) {
    EXPECT_TRUE(test::JsonReference::accepts(text)) << "the case itself is wrong: " << text;
    EXPECT_TRUE(accepts(text)) << text;
    std::size_t position = 0;
    const std::string object = wrapped(text);
    EXPECT_EQ(scan(object, position), ObjectScanner::State::complete) << object;
    EXPECT_EQ(position, object.size()) << object;
  }
}

TEST(Rfc8259, RefusesWhatIsNot) {
  for (const std::string_view text : kRefused) {
    EXPECT_FALSE(test::JsonReference::accepts(text)) << "the case itself is wrong: " << text;
    EXPECT_FALSE(accepts(text)) << testing::PrintToString(text);
    std::size_t position = 0;
    const std::string object = wrapped(text);
    const bool whole =
        scan(object, position) == ObjectScanner::State::complete && position == object.size();
    EXPECT_FALSE(whole) << testing::PrintToString(object);
  }
}

TEST(Rfc8259, AcceptsAndFlagsWhatTheRfcLeavesOpen) {
  for (const Pinned& pinned : kAcceptedAndFlagged) {
    Cursor cursor(pinned.text, Cursor::Scalars::exact);
    cursor.take();
    EXPECT_TRUE(cursor.finish()) << pinned.text;
    EXPECT_EQ(cursor.saw_lone_surrogate(), pinned.lone_surrogate) << pinned.text;
    EXPECT_EQ(cursor.saw_invalid_utf8(), pinned.invalid_utf8) << pinned.text;
  }
}

TEST(Rfc8259, TheTableIsLargeEnough) {
  EXPECT_GE(kAccepted.size() + kRefused.size() + kAcceptedAndFlagged.size(), 318u);
}

}  // namespace
}  // namespace dragoman::json
