// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/json/cursor.hpp"

namespace dragoman::json {
namespace {

struct Read {
  bool good = false;
  std::size_t end = 0;
  std::vector<std::pair<std::string, std::string>> members;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_members(std::string_view text, Cursor::Extent extent) {
  Cursor cursor(text, Cursor::Scalars::lax_when_skipped, extent);
  Read read;
  std::string_view key;
  for (Members members(cursor); members.next(key);) {
    const std::string name(key);
    read.members.emplace_back(name, cursor.skip().raw);
  }
  read.good = cursor.finish();
  read.end = cursor.position();
  return read;
}

const std::vector<std::string> kGoodLines = {
    R"({})",
    R"({"a":1})",
    R"( { "a" : [ 1 , { "b" : "\n\u00e9\"" } ] , "c" : null } )",
    R"({"a":"x","b":true})"
    "\r",
    R"({"a":")" + std::string(500, 'x') + R"(\\","b":[)" + std::string(40, ' ') + "]}",
    "{\"a\":\"\xc3\xa9\xff\"}",
};

TEST(CursorOverTheFirstLine, ReadsAGoodLineAsIfItStoodAlone) {
  for (const std::string& line : kGoodLines) {
    const Read alone = read_members(line, Cursor::Extent::whole_text);
    ASSERT_TRUE(alone.good) << line;
    for (const std::string_view rest : {"", "\n", "\n{\"z\":2}\n", "\n\"]}", "\n\n\n"}) {
      EXPECT_EQ(read_members(line + std::string(rest), Cursor::Extent::first_line), alone)
          << line << rest;
    }
  }
}

TEST(CursorOverTheFirstLine, NeverReadsBeyondTheNewline) {
  for (const std::string_view text :
       {"{\"a\":\n1}", "{\n}", "{\"a\":\"x\ny\"}", "\n{}", "{\"a\":1\n,\"b\":2}", "{\"a\":[1,\n2]}",
        "{\"a\"\n:1}", "{\"a\":1,\n\"b\":2}"}) {
    EXPECT_FALSE(read_members(text, Cursor::Extent::first_line).good) << text;
  }
}

TEST(CursorOverTheFirstLine, RefusesWhatTheLineAloneIsRefusedFor) {
  for (const std::string_view line :
       {"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{} x", "{\"a\":\"\\q\"}", "{\"a\":1,}",
        "{\"a\":\"", "[1]", "{\"a\":[1}"}) {
    EXPECT_FALSE(read_members(line, Cursor::Extent::whole_text).good) << line;
    EXPECT_FALSE(read_members(std::string(line) + "\n{}", Cursor::Extent::first_line).good) << line;
  }
}

}  // namespace
}  // namespace dragoman::json
