// SPDX-License-Identifier: Apache-2.0
// Answers that come before, while and after their questions.
#include "dragoman/agent/conversation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dragoman::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An executor that has ended and left questions open.
class EarlyAnswers : public testing::Test {
 protected:
  EarlyAnswers() {
    Launch launch = talk_.begin();
    talk_.started(launch);
    talk_.ended();
    collect();
  }
  static Request request() {
    Request out;
    out.words = {"x", "t", "it"};
    return out;
  }
  void say(const std::string& id, std::size_t option) {
    Reply reply{.id = id};
    reply.options = {option};
    talk_.answer(std::move(reply));
    collect();
  }
  void tell(const std::string& id, QuestionState state) {
    const std::vector<Option> options = {{"A", {}}, {"B", {}}};
    Question question;
    question.id = id;
    question.text = id;
    question.options = options;
    question.state = state;
    Event event;
    event.payload = question;
    talk_.see(event);
  }
  void ask(const std::string& id) {
    tell(id, QuestionState::open);
    talk_.ask_rest();
    collect();
  }
  void collect() {
    for (auto wishes = talk_.take_wishes(); !wishes.empty(); wishes = talk_.take_wishes()) {
      for (const Wish& wish : wishes) {
        if (const auto* settled = std::get_if<Settled>(&wish)) {
          answers_.push_back(fmt::format("{}={}", settled->answered.asked.id,
                                         settled->answered.answer.options.at(0)));
        }
        if (const auto* refused = std::get_if<Refused>(&wish)) refused_.push_back(refused->why);
      }
    }
  }

  Conversation talk_{*find_agent("executor"), request()};
  std::vector<std::string> answers_;
  std::vector<std::string> refused_;
};

TEST_F(EarlyAnswers, OfThoseThatComeBeforeTheirQuestionTheFirstValidOneCounts) {
  say("q1", 99);
  say("q1", 1);
  say("q1", 2);
  ask("q1");
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre(HasSubstr("q1: ")));
}

TEST_F(EarlyAnswers, WithoutAnIdAreForOneQuestionAfterTheOther) {
  say("", 2);
  say("", 1);
  ask("q1");
  ask("q2");
  EXPECT_THAT(answers_, ElementsAre("q1=2", "q2=1"));
}

TEST_F(EarlyAnswers, ThatComeTooLateAreToldOf) {
  say("q1", 1);
  ask("q1");
  say("q1", 2);
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre("q1: it needs no answer any more"));
}

// The agent has ended before the answer came, and the question is put once more.
TEST_F(EarlyAnswers, ToWhatIsNotAskedAtTheMomentWaitUntilItIs) {
  ask("q1");
  talk_.ended();
  talk_.started(talk_.begin());
  say("q1", 1);
  EXPECT_THAT(answers_, ElementsAre());
  talk_.ended();
  ask("q1");
  EXPECT_THAT(answers_, ElementsAre("q1=1"));
  EXPECT_THAT(refused_, ElementsAre());
}

TEST_F(EarlyAnswers, ToWhatTheAgentHasWithdrawnAreToldOf) {
  ask("q1");
  tell("q1", QuestionState::withdrawn);
  say("q1", 1);
  EXPECT_THAT(answers_, ElementsAre());
  EXPECT_THAT(refused_, ElementsAre("q1: it needs no answer any more"));
}

TEST_F(EarlyAnswers, BeyondTheMostAreRefusedAndNotKept) {
  for (std::size_t i = 0; i <= Conversation::kMostEarly; ++i) say(fmt::format("q{}", i), 1);
  EXPECT_THAT(refused_, ElementsAre(HasSubstr("too many answers")));
}

}  // namespace
}  // namespace dragoman::agent
