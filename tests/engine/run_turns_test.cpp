// SPDX-License-Identifier: Apache-2.0
// The turns of a run: what people say while it works and while it rests.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fakes.hpp"
#include "tests/engine/says.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Turns : public testing::Test {
 protected:
  // Claude has taken the prompt, and works.
  void begin(std::chrono::milliseconds keep = 0ms) {
    run_.plan.keep = keep;
    run_.begin();
    run_.say(says::receipt("queued") + says::init() + echo(0));
  }
  [[nodiscard]] std::string echo(std::size_t line) { return says::echo(run_.agent().line(line)); }
  [[nodiscard]] std::vector<std::string> verdicts() const {
    std::vector<std::string> out;
    for (const std::string& line : run_.audience.lines) {
      constexpr std::string_view kVerdict = "\"verdict\":\"";
      const std::size_t at = line.find(kVerdict);
      if (line.find("\"kind\":\"finished\"") == std::string::npos) continue;
      out.push_back(line.substr(at + kVerdict.size(),
                                line.find('"', at + kVerdict.size()) - at - kVerdict.size()));
    }
    return out;
  }
  [[nodiscard]] int users_words() const {
    return static_cast<int>(std::ranges::count_if(run_.audience.lines, [](const auto& line) {
      return line.find("\"channel\":\"user\"") != std::string::npos;
    }));
  }

  FakeRun run_{"claude"};
};

TEST_F(Turns, TheEchoOfThePromptIsNoEvent) {
  begin();
  EXPECT_EQ(users_words(), 0);
  EXPECT_THAT(run_.audience.lines, testing::SizeIs(1));  // its session
}

TEST_F(Turns, AMessageSteersAnAgentAtWork) {
  begin();
  run_.send(1, "and tests");
  EXPECT_THAT(run_.agent().line(1), HasSubstr("and tests"));
  EXPECT_THAT(run_.heard, IsEmpty());
  run_.say(echo(1) + says::text("so"));
  EXPECT_THAT(run_.heard, ElementsAre(1));
  EXPECT_EQ(users_words(), 1);
  run_.say(says::result());
  EXPECT_TRUE(run_.agent().input_closed);
  run_.exit(0);
  EXPECT_THAT(verdicts(), ElementsAre("completed"));
}

// Until then it is not known whether its echo can be waited for.
TEST_F(Turns, AMessageWaitsForTheEchoOfThePrompt) {
  run_.begin();
  run_.send(1, "early");
  EXPECT_EQ(run_.agent().line(1), "");
  run_.say(says::init() + echo(0));
  EXPECT_THAT(run_.agent().line(1), HasSubstr("early"));
}

TEST_F(Turns, WhatAnAgentWithoutEchoesWasNotToldIsUnheard) {
  run_.begin();
  run_.send(1, "early");
  run_.say(says::init() + says::text("so") + says::result());
  EXPECT_THAT(run_.unheard, ElementsAre(1));
  EXPECT_TRUE(run_.agent().input_closed);
  EXPECT_THAT(run_.agent().input, Not(HasSubstr("early")));
  run_.exit(0);
  EXPECT_EQ(run_.verdict(), "completed");
}

TEST_F(Turns, AResultBeforeTheEchoOfAMessageIsNotTheEnd) {
  begin();
  run_.send(1, "more");
  run_.say(says::result());
  EXPECT_FALSE(run_.agent().input_closed);
  EXPECT_TRUE(run_.agent().result_seen);  // it has some time for it, not for ever
  run_.say(says::init() + echo(1));
  EXPECT_FALSE(run_.agent().result_seen);
  run_.say(says::result());
  EXPECT_TRUE(run_.agent().input_closed);
  run_.exit(0);
  EXPECT_THAT(verdicts(), ElementsAre("completed"));
  EXPECT_THAT(run_.heard, ElementsAre(1));
}

TEST_F(Turns, HowTheAnswerToAMessageIsCutDoesNotMatter) {
  std::vector<std::string> whole;
  for (std::size_t cut = 0;; ++cut) {
    FakeRun run("claude");
    run.begin();
    run.say(says::init() + says::echo(run.agent().line(0)));
    run.send(1, "more");
    const std::string all = says::result() + says::init() + says::echo(run.agent().line(1)) +
                            says::text("so") + says::result();
    if (cut > all.size()) break;
    run.say(all.substr(0, cut));
    ASSERT_TRUE(cut == all.size() || !run.agent().input_closed) << cut;
    run.say(all.substr(cut));
    ASSERT_TRUE(run.agent().input_closed) << cut;
    run.exit(0);
    ASSERT_EQ(run.verdict(), "completed") << cut;
    ASSERT_EQ(run.heard.size(), 1U) << cut;
    std::vector<std::string> kinds;
    for (const std::string& line : run.audience.lines)
      kinds.push_back(line.substr(0, line.find("\"ts\"")));
    if (whole.empty()) whole = kinds;
    ASSERT_EQ(kinds.size(), whole.size()) << cut;
  }
}

TEST_F(Turns, WhatDiesUnheardIsToldSo) {
  begin();
  run_.send(1, "more");
  run_.agent().die(SIGSEGV);
  run_.loop.settle();
  run_.send(2, "late");
  EXPECT_THAT(run_.unheard, ElementsAre(1, 2));
  EXPECT_THAT(run_.heard, IsEmpty());
  EXPECT_EQ(run_.ends, 1);
}

TEST_F(Turns, AnAgentThatIsToldNothingAtWorkHearsWithItsNextStart) {
  for (const std::string_view name : {"codex", "executor", "command"}) {
    FakeRun run(name);
    run.plan.request.words = {"x", "t", "it"};
    run.plan.keep = 10s;
    run.begin();
    run.send(1, "more");
    EXPECT_THAT(run.unheard, ElementsAre(1)) << name;
    run.exit(0);
    EXPECT_EQ(run.ends, 1) << name;
    EXPECT_EQ(run.rests, 1) << name;
  }
}

TEST_F(Turns, TheMessageThatIsThePromptIsHeardWhenItsProgramWasStarted) {
  run_.plan.message = engine::Message{7, "go"};
  run_.begin();
  EXPECT_THAT(run_.heard, ElementsAre(7));
}

TEST_F(Turns, AMessageStandsInForTheAnswersThatCodexWaitsFor) {
  FakeRun run("codex");
  run.begin();
  run.say(says::thread() + says::message("[QUESTION] Which?") + says::turn());
  run.exit(0);
  ASSERT_EQ(run.desk.open.size(), 1U);
  EXPECT_EQ(run.ends, 0);
  run.send(1, "neither");
  EXPECT_THAT(run.unheard, ElementsAre(1));
  EXPECT_TRUE(run.desk.open.empty());
  EXPECT_EQ(run.ends, 1);
  EXPECT_EQ(run.verdict(), "completed");
  EXPECT_THAT(run.ending.pending, IsEmpty());
}

// ---- An agent that is kept

TEST_F(Turns, AKeptAgentRestsAndIsToldMore) {
  begin(10s);
  run_.say(says::text("one") + says::result());
  EXPECT_EQ(run_.rests, 1);
  EXPECT_EQ(run_.ends, 0);
  EXPECT_FALSE(run_.agent().input_closed);
  EXPECT_TRUE(run_.agent().limits_paused);
  run_.loop.pass(9s);
  run_.send(1, "two");
  EXPECT_FALSE(run_.agent().limits_paused);
  EXPECT_EQ(run_.agent().limits_begun, 1);
  run_.loop.pass(1h);  // it is at work
  run_.say(says::init() + echo(1) + says::text("two") + says::result());
  EXPECT_EQ(run_.rests, 2);
  EXPECT_THAT(run_.heard, ElementsAre(1));
  run_.loop.pass(10s);
  EXPECT_TRUE(run_.agent().input_closed);
  run_.exit(0);
  EXPECT_EQ(run_.ends, 1);
  EXPECT_EQ(run_.rests, 2);
  EXPECT_THAT(verdicts(), ElementsAre("completed", "completed"));
  EXPECT_EQ(run_.spawner.starts.size(), 1U);
}

TEST_F(Turns, AKeptAgentLeavesWhenItIsTold) {
  begin(1h);
  run_.run->leave();  // a turn goes on
  EXPECT_FALSE(run_.agent().input_closed);
  run_.say(says::result());
  run_.run->leave();
  EXPECT_TRUE(run_.agent().input_closed);
  run_.send(1, "late");
  EXPECT_THAT(run_.unheard, ElementsAre(1));
  run_.exit(0);
  EXPECT_EQ(run_.ends, 1);
  EXPECT_TRUE(run_.loop.waits_for_nothing());
}

TEST_F(Turns, AKeptAgentThatDiesHasNoSecondEnd) {
  begin(1h);
  run_.say(says::result());
  run_.agent().die(SIGKILL);
  run_.loop.settle();
  EXPECT_EQ(run_.ends, 1);
  EXPECT_THAT(verdicts(), ElementsAre("completed"));
  EXPECT_TRUE(run_.loop.waits_for_nothing());
}

TEST_F(Turns, WhatAKeptAgentDiesWithIsUnheardAndNoTurn) {
  begin(1h);
  run_.say(says::result());
  run_.send(1, "more");
  run_.agent().exit(0);
  run_.loop.settle();
  EXPECT_THAT(run_.unheard, ElementsAre(1));
  EXPECT_THAT(verdicts(), ElementsAre("completed"));
  EXPECT_EQ(run_.rests, 1);
  EXPECT_EQ(run_.ends, 1);
}

TEST_F(Turns, AKeptAgentThatCrashesInALaterTurnFails) {
  begin(1h);
  run_.say(says::result());
  run_.send(1, "more");
  run_.say(echo(1));
  run_.agent().die(SIGSEGV);
  run_.loop.settle();
  EXPECT_THAT(verdicts(), ElementsAre("completed", "failed"));
  EXPECT_EQ(run_.rests, 2);
  EXPECT_EQ(run_.ends, 1);
}

TEST_F(Turns, AKeptAgentMayGoOnByItself) {
  begin(1h);
  run_.say(says::result());
  run_.say(says::text("the tests have ended"));
  EXPECT_EQ(run_.agent().limits_begun, 1);
  run_.say(says::result());
  EXPECT_EQ(run_.rests, 2);
}

TEST_F(Turns, StoppingAKeptAgentEndsItWithoutATurn) {
  begin(1h);
  run_.plan.grace = 5s;
  run_.say(says::result());
  run_.run->interrupt(SIGTERM);
  EXPECT_TRUE(run_.agent().input_closed);
  run_.loop.pass(5s);
  EXPECT_TRUE(run_.agent().killed);
  run_.agent().die(SIGKILL);
  run_.loop.settle();
  EXPECT_THAT(verdicts(), ElementsAre("completed"));
  EXPECT_EQ(run_.ends, 1);
}

TEST_F(Turns, AnAgentWithOpenQuestionsIsNotKept) {
  begin(1h);
  run_.say(says::comment_question("Why?") + says::result());
  EXPECT_TRUE(run_.agent().input_closed);
  run_.exit(0);
  ASSERT_EQ(run_.desk.open.size(), 1U);
  run_.type("", "so");
  ASSERT_EQ(run_.spawner.starts.size(), 2U);
  run_.say(says::init() + echo(0) + says::result());
  EXPECT_EQ(run_.rests, 1);
  EXPECT_FALSE(run_.agent().input_closed);  // and is kept now
}

// ---- Interrupts

TEST_F(Turns, AnInterruptedTurnIsCancelledAndTheAgentStays) {
  begin(1h);
  run_.say(says::asks_leave("r1", "t1"));
  ASSERT_TRUE(run_.desk.open.contains("t1"));
  run_.run->interrupt_turn();
  run_.loop.settle();
  EXPECT_TRUE(run_.desk.open.empty());
  EXPECT_THAT(run_.agent().input, HasSubstr(R"("subtype":"interrupt")"));
  run_.say(says::result(false));
  EXPECT_THAT(verdicts(), ElementsAre("cancelled"));
  EXPECT_EQ(run_.ending.exit_code, 130);
  EXPECT_EQ(run_.ends, 0);
  run_.send(1, "do that instead");
  run_.say(says::init() + says::echo(run_.agent().line(3)) + says::result());
  EXPECT_THAT(verdicts(), ElementsAre("cancelled", "completed"));
}

// Claude repeats its prompt with its first words, which may be long in coming.
TEST_F(Turns, AnAgentMayBeInterruptedBeforeItHasRepeatedItsPrompt) {
  for (const bool repeats : {true, false}) {
    FakeRun run("claude");
    run.plan.keep = 1h;
    run.begin();
    run.say(says::init());
    run.run->interrupt_turn();
    run.say((repeats ? says::echo(run.agent().line(0)) : "") + says::result(false));
    EXPECT_EQ(run.agent().input_closed, !repeats);
    if (!repeats) run.exit(1);
    EXPECT_EQ(run.verdict(), "cancelled");
    EXPECT_EQ(run.ends, repeats ? 0 : 1);
  }
}

TEST_F(Turns, AMessageOnItsWayIsTheTurnBehindTheInterruptedOne) {
  begin(1h);
  run_.send(1, "then that");
  run_.run->interrupt_turn();
  run_.say(says::result(false));
  EXPECT_THAT(verdicts(), ElementsAre("cancelled"));
  EXPECT_FALSE(run_.agent().limits_paused);
  run_.say(says::init() + echo(1) + says::result());
  EXPECT_THAT(verdicts(), ElementsAre("cancelled", "completed"));
  EXPECT_THAT(run_.heard, ElementsAre(1));
}

TEST_F(Turns, WhoDoesNotHearTheInterruptIsEnded) {
  run_.plan.grace = 5s;
  begin(1h);
  run_.run->interrupt_turn();
  run_.loop.pass(5s);
  EXPECT_TRUE(run_.agent().killed);
  run_.agent().die(SIGKILL);
  run_.loop.settle();
  EXPECT_THAT(verdicts(), ElementsAre("cancelled"));
  EXPECT_EQ(run_.ends, 1);
}

TEST_F(Turns, AnInterruptAtRestChangesNothing) {
  begin(1h);
  run_.say(says::result());
  run_.run->interrupt_turn();
  EXPECT_THAT(run_.agent().input, Not(HasSubstr("interrupt")));
  EXPECT_FALSE(run_.agent().input_closed);
}

TEST_F(Turns, WithoutKeepAnInterruptedTurnEndsTheProgram) {
  begin();
  run_.send(1, "then that");
  run_.run->interrupt_turn();
  EXPECT_TRUE(run_.agent().input_closed);
  run_.say(says::result(false));
  EXPECT_TRUE(run_.agent().killed);  // before it begins what was said
  run_.agent().die(SIGKILL);
  run_.loop.settle();
  EXPECT_THAT(verdicts(), ElementsAre("cancelled"));
  EXPECT_THAT(run_.unheard, ElementsAre(1));
}

TEST_F(Turns, OthersAreInterruptedByASignal) {
  for (const std::string_view name : {"codex", "executor", "command"}) {
    FakeRun run(name);
    run.plan.request.words = {"x", "t", "it"};
    run.begin();
    run.run->interrupt_turn();
    EXPECT_THAT(run.agent().signals, ElementsAre(SIGINT)) << name;
    run.agent().die(SIGINT);
    run.loop.settle();
    EXPECT_EQ(run.verdict(), "cancelled") << name;
    EXPECT_EQ(run.ends, 1) << name;
  }
}

}  // namespace
}  // namespace dragoman::test
