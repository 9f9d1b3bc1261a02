// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <gtest/gtest.h>

namespace dragoman::cli {
namespace {

Reply reply(std::string id) { return Reply{.id = std::move(id)}; }

TEST(JsonlMessages, AreAnswersInThreeFormsAndInterrupts) {
  Reply typed = reply("q1");
  typed.typed = "2";
  Reply chosen = reply("q1");
  chosen.options = {1, 3};
  Reply literal = reply("q1");
  literal.text = "words";
  Reply first = reply("");
  first.text = "words";
  const auto read = [](const char* line) { return read_jsonl_message(line)->reply; };
  EXPECT_EQ(read(R"({"type":"answer","id":"q1","answer":"2"})"), typed);
  EXPECT_EQ(read(R"({"type":"answer","id":"q1","options":[1,3]})"), chosen);
  EXPECT_EQ(read(R"({"type":"answer","id":"q1","text":"words"})"), literal);
  EXPECT_EQ(read(R"({"type":"input","text":"words"})"), first);
  Reply reason = reply("q1");
  reason.options = {2};
  reason.text = "why";
  EXPECT_EQ(read(R"({"type":"answer","id":"q1","options":[2],"text":"why"})"), reason);
  EXPECT_TRUE(read_jsonl_message(R"({"type":"interrupt"})")->interrupt);
}

TEST(JsonlMessages, ThatAreNoneSayWhatIsExpected) {
  for (const char* line : {"", "x", "[]", "{}", R"({"type":"answer"})",
                           R"({"type":"answer","id":"q"})", R"({"type":"answer","text":"x"})",
                           R"({"type":"input"})", R"({"type":"input","text":"x")"}) {
    EXPECT_FALSE(read_jsonl_message(line)) << line;
  }
}

TEST(JsonlPrompt, IsReadAsItIsWritten) {
  EXPECT_EQ(*read_jsonl_prompt(R"({"type":"prompt","text":"two\nlines \"quoted\""})"),
            "two\nlines \"quoted\"");
  EXPECT_FALSE(read_jsonl_prompt(R"({"type":"input","text":"x"})"));
  EXPECT_FALSE(read_jsonl_prompt("x"));
}

}  // namespace
}  // namespace dragoman::cli
