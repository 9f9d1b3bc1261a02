// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <fmt/format.h>
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

TEST(JsonlMessages, SayWhatTheAgentIsToHear) {
  const auto message = read_jsonl_message(R"({"type":"message","text":"two\nlines"})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->said, "two\nlines");
  EXPECT_EQ(message->reply, Reply{});
  for (const char* line : {R"({"type":"message"})", R"({"type":"message","text":" \n"})",
                           R"({"type":"message","answer":"y"})"}) {
    EXPECT_FALSE(read_jsonl_message(line)) << line;
  }
}

// What a person may type to a permission, a program may say too.
TEST(JsonlMessages, MeanByTheWordsOfPeopleWhatPeopleMean) {
  KeptQuestion asked;
  asked.id = "q1";
  asked.kind = QuestionKind::approval;
  asked.options = {{.label = "Allow", .grants = Grant::allow_once},
                   {.label = "Allow for this session", .grants = Grant::allow_session},
                   {.label = "Deny", .grants = Grant::deny}};
  asked.free_text = true;
  const auto options = [&](std::string_view word) {
    const auto message =
        read_jsonl_message(fmt::format(R"({{"type":"answer","id":"q1","answer":"{}"}})", word));
    EXPECT_TRUE(message) << word;
    const auto answer = read_reply(asked, message->reply);
    EXPECT_TRUE(answer) << word;
    return answer ? answer->options : std::vector<std::size_t>();
  };
  for (const char* word : {"y", "yes", "Y", "allow", "1"})
    EXPECT_EQ(options(word), std::vector<std::size_t>{1}) << word;
  for (const char* word : {"n", "no", "deny", "3", "no: use npm"})
    EXPECT_EQ(options(word), std::vector<std::size_t>{3}) << word;
  EXPECT_EQ(options("session"), std::vector<std::size_t>{2});
  const auto keys = read_jsonl_message(R"({"type":"answer","id":"q1","answer":"\u001b[B"})");
  ASSERT_TRUE(keys);
  EXPECT_FALSE(read_reply(asked, keys->reply)) << "keys are no answer";
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
