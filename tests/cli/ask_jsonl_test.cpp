// SPDX-License-Identifier: Apache-2.0
#include "dragoman/cli/ask_jsonl.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "dragoman/task/run_handle.hpp"

namespace dragoman::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program that answers, and what becomes of its answers: "q1=2", "q1=" for none.
class Program : public testing::Test {
 protected:
  void say(const std::string& id, const std::string& rest) {
    asker_.hear(fmt::format(R"({{"type":"answer","id":"{}",{}}})", id, rest));
  }
  void ask(const std::string& id) {
    agent::Asked asked;
    asked.id = id;
    asked.options = {{"A", ""}, {"B", ""}};
    asker_.ask(asked, [this, id](const std::optional<Answer>& answer) {
      answers_.push_back(
          fmt::format("{}={}", id, answer ? fmt::format("{}", answer->options.at(0)) : ""));
    });
    io_.restart();
    io_.run();
  }
  boost::asio::io_context io_;
  std::vector<std::string> answers_;
  std::vector<std::string> refused_;
  JsonlAsker asker_{io_, {[this](const std::string& why) { refused_.push_back(why); }, [] {}}};
};

TEST_F(Program, OfAnswersThatComeBeforeTheirQuestionTheFirstValidOneCounts) {
  say("q1", R"("options":[99])");
  say("q1", R"("options":[1])");
  say("q1", R"("options":[2])");
  ask("q1");
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre(HasSubstr("q1: ")));
}

TEST_F(Program, InputAnswersOneQuestionAfterTheOther) {
  asker_.hear(R"({"type":"input","options":[2]})");
  asker_.hear(R"({"type":"input","options":[1]})");
  ask("q1");
  ask("q2");
  EXPECT_THAT(answers_, ElementsAre("q1=2", "q2=1"));
}

TEST_F(Program, AnAnswerThatComesTooLateIsToldOf) {
  say("q1", R"("options":[1])");
  ask("q1");
  say("q1", R"("options":[2])");
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre("q1: it needs no answer any more"));
}

// The agent has ended before the answer came, and the question is put once more.
TEST_F(Program, AnAnswerToWhatIsNotAskedAtTheMomentWaitsUntilItIs) {
  ask("q1");
  asker_.withdraw(agent::Withdrawn::for_now);
  say("q1", R"("options":[1])");
  ask("q1");
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre());
}

TEST_F(Program, AnAnswerToWhatTheAgentHasWithdrawnIsToldOf) {
  ask("q1");
  asker_.withdraw(agent::Withdrawn::for_good);
  say("q1", R"("options":[1])");
  EXPECT_THAT(answers_, ElementsAre());
  EXPECT_THAT(refused_, ElementsAre("q1: it needs no answer any more"));
}

TEST_F(Program, WhoHasNothingMoreToSayAnswersNothingMore) {
  ask("q1");
  asker_.end();
  ask("q2");
  EXPECT_THAT(answers_, ElementsAre("q1=", "q2="));
}

TEST(JsonlPrompt, IsReadAsItIsWritten) {
  const std::string line = task::prompt_line("two\nlines \"quoted\"");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(*read_jsonl_prompt(line), "two\nlines \"quoted\"");
  EXPECT_FALSE(read_jsonl_prompt(R"({"type":"input","text":"x"})"));
  EXPECT_FALSE(read_jsonl_prompt("x"));
}

}  // namespace
}  // namespace dragoman::cli
