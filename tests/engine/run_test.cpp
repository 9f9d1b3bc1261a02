// SPDX-License-Identifier: Apache-2.0
// A run from its start to its verdict, without a process and without waiting.
#include "dragoman/engine/run.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fakes.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kInit =
    R"({"type":"system","subtype":"init","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124","cwd":".","model":"m"})"
    "\n";
constexpr std::string_view kResult =
    R"({"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"})"
    "\n";

std::string permission(std::string_view request, std::string_view call,
                       std::string_view command = "make") {
  return fmt::format(
      R"({{"type":"control_request","request_id":"{}","request":{{"subtype":"can_use_tool",)"
      R"("tool_name":"Bash","tool_use_id":"{}","input":{{"command":"{}"}}}}}})"
      "\n",
      request, call, command);
}
std::string tool_result(std::string_view call) {
  return fmt::format(
      R"({{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result",)"
      R"("tool_use_id":"{}","content":"ok"}}]}}}})"
      "\n",
      call);
}
std::string spoken(std::string_view text) {
  return fmt::format(
      R"({{"type":"assistant","message":{{"id":"1","role":"assistant","content":[{{"type":"text","text":"{}"}}]}}}})"
      "\n",
      text);
}

TEST(Run, OfOneTurnEndsWithItsResult) {
  FakeRun run("claude");
  run.begin();
  EXPECT_THAT(run.agent().line(0), HasSubstr("\"go\""));
  run.say(kInit);
  EXPECT_FALSE(run.agent().input_closed);
  run.say(kResult);
  EXPECT_TRUE(run.agent().input_closed);
  EXPECT_TRUE(run.agent().result_seen);
  EXPECT_EQ(run.ends, 0);
  run.exit(0);
  EXPECT_EQ(run.ends, 1);
  EXPECT_EQ(run.verdict(), "completed");
  EXPECT_TRUE(run.loop.waits_for_nothing());
}

TEST(Run, WhatCannotBeStartedSaysWhy) {
  FakeRun run("claude");
  run.spawner.refuses = Error{ErrorCode::not_found, "no such program"};
  run.begin();
  ASSERT_TRUE(run.not_started);
  EXPECT_EQ(run.not_started->message, "no such program");
  EXPECT_EQ(run.ends, 0);
}

TEST(Run, APermissionStopsTheClocksUntilItIsAnswered) {
  FakeRun run("claude");
  run.begin();
  run.say(std::string(kInit) + permission("r1", "t1"));
  EXPECT_THAT(run.desk.said, ElementsAre("ask t1"));
  EXPECT_TRUE(run.agent().limits_paused);
  run.type("t1", "1");
  EXPECT_FALSE(run.agent().limits_paused);
  EXPECT_THAT(run.agent().line(1),
              HasSubstr(R"("request_id":"r1","response":{"behavior":"allow")"));
  run.say(tool_result("t1") + std::string(kResult));
  run.exit(0);
  EXPECT_EQ(run.verdict(), "completed");
  EXPECT_THAT(run.desk.said, ElementsAre("ask t1", "answered t1 Allow"));
}

// Before, while and after, twice, and in any order: each asking has one answer.
TEST(Run, AnswersCountOnceWheneverTheyCome) {
  for (int early = 0; early < 4; ++early) {
    FakeRun run("claude");
    run.begin();
    if ((early & 1) != 0) run.type("t1", "1");
    if ((early & 2) != 0) run.type("t2", "2");
    run.say(std::string(kInit) + permission("r1", "t1") + permission("r2", "t2"));
    if ((early & 2) == 0) run.type("t2", "2");
    if ((early & 1) == 0) run.type("t1", "1");
    run.type("t1", "2");
    const std::string all = run.agent().input;
    EXPECT_THAT(all, HasSubstr(R"("request_id":"r1","response":{"behavior":"allow")")) << early;
    EXPECT_THAT(all, HasSubstr(R"("request_id":"r2","response":{"behavior":"deny")")) << early;
    EXPECT_EQ(std::ranges::count(all, '\n'), 3) << early;
    EXPECT_TRUE(run.audience.has_rule("answer_refused")) << early;
  }
}

TEST(Run, AnAnswerThatIsNoneLeavesTheQuestionOpen) {
  FakeRun run("claude");
  run.begin();
  run.say(std::string(kInit) + permission("r1", "t1"));
  run.type("t1", "9");
  EXPECT_TRUE(run.audience.has_rule("answer_refused"));
  EXPECT_TRUE(run.desk.open.contains("t1"));
  run.type("", "1");
  EXPECT_FALSE(run.desk.open.contains("t1"));
}

TEST(Run, WithoutPeopleAnOpenQuestionIsTheVerdict) {
  for (const bool asks : {false, true}) {
    FakeRun run("claude", asks);
    run.begin();
    if (asks) run.run->end_answers();
    run.say(std::string(kInit) + permission("r1", "t1"));
    EXPECT_TRUE(run.agent().stopped);
    run.agent().die(SIGTERM);
    run.loop.settle();
    EXPECT_EQ(run.verdict(), "question");
    EXPECT_EQ(run.ending.exit_code, 4);
    ASSERT_EQ(run.ending.pending.size(), 1U);
  }
}

TEST(Run, AnInterruptIsToldInTheConversationAndEnforcedAfterTheGrace) {
  FakeRun run("claude");
  run.plan.grace = 5s;
  run.begin();
  run.say(kInit);
  run.run->interrupt(SIGINT);
  EXPECT_THAT(run.agent().line(1), HasSubstr("interrupt"));
  EXPECT_TRUE(run.agent().input_closed);
  EXPECT_THAT(run.agent().input, Not(HasSubstr("behind the end")));
  run.loop.pass(4999ms);
  EXPECT_FALSE(run.agent().killed);
  run.loop.pass(1ms);
  EXPECT_TRUE(run.agent().killed);
  run.agent().die(SIGKILL);
  run.loop.settle();
  EXPECT_EQ(run.verdict(), "cancelled");
  EXPECT_EQ(run.ending.exit_code, 130);
}

TEST(Run, ASecondInterruptEndsAtOnce) {
  FakeRun run("command");
  run.plan.request.words = {"x"};
  run.begin();
  run.run->interrupt(SIGTERM);
  EXPECT_THAT(run.agent().signals, ElementsAre(SIGTERM));
  run.run->interrupt(SIGTERM);
  EXPECT_TRUE(run.agent().killed);
  run.agent().die(SIGKILL);
  run.loop.settle();
  EXPECT_EQ(run.verdict(), "cancelled");
}

TEST(Run, AnInterruptWhileNothingRunsEndsIt) {
  FakeRun run("executor");
  run.plan.request.words = {"x", "t", "it"};
  run.begin();
  run.say("[QUESTION] Which?\n");
  run.exit(0);
  ASSERT_EQ(run.desk.open.size(), 1U);
  run.run->interrupt(SIGTERM);
  run.loop.settle();
  EXPECT_EQ(run.verdict(), "cancelled");
  EXPECT_EQ(run.ends, 1);
}

TEST(Run, AnExecutorIsCalledAgainWithItsAnswer) {
  FakeRun run("executor");
  run.plan.request.words = {"x", "t", "it"};
  run.begin();
  run.say("[QUESTION] Which?\n1. a\n2. b\n");
  EXPECT_TRUE(run.desk.open.empty());  // it does not wait for it
  run.exit(0);
  ASSERT_EQ(run.desk.open.size(), 1U);
  run.type(run.desk.open.begin()->first, "2");
  ASSERT_EQ(run.spawner.starts.size(), 2U);
  EXPECT_THAT(run.agent().command.arguments, ElementsAre("t", "it Answer: Use option 2 (b)"));
  run.say("[CODEX_COMPLETE] Task completed\n");
  run.exit(0);
  EXPECT_EQ(run.verdict(), "completed");
}

TEST(Run, CodexHearsAnAnswerWithTheNextTurnOfItsThread) {
  FakeRun run("codex");
  run.begin();
  run.say(
      R"({"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"})"
      "\n"
      R"({"type":"item.completed","item":{"id":"1","type":"agent_message","text":"[QUESTION] Which?"}})"
      "\n"
      R"({"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}})"
      "\n");
  run.exit(0);
  run.type("", "this one");
  ASSERT_EQ(run.spawner.starts.size(), 2U);
  EXPECT_THAT(run.agent().command.arguments,
              ElementsAre("exec", "--json", "resume", "01a1e0cc-1d02-7023-8251-bb6257d0d124", "-"));
  EXPECT_EQ(run.agent().input, "this one");
}

TEST(Run, ALimitIsWaitedForAndTheSessionGoesOn) {
  FakeRun run("claude");
  run.plan.wait_for_limit = true;
  run.begin();
  const auto reset = FakeLoop::kBegin.count() + 600;
  run.say(
      std::string(kInit) +
      fmt::format(
          R"({{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{}}}}})"
          "\n",
          reset) +
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"result":"429 Too Many Requests","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"})"
      "\n");
  run.exit(1);
  EXPECT_EQ(run.ends, 0);
  EXPECT_TRUE(run.audience.has_rule("waiting_limit"));
  run.loop.pass(599s);
  EXPECT_EQ(run.spawner.starts.size(), 1U);
  run.loop.pass(40s);
  ASSERT_EQ(run.spawner.starts.size(), 2U);
  EXPECT_THAT(run.agent().line(0), HasSubstr("Go on where you were stopped."));
  EXPECT_THAT(run.agent().command.arguments, testing::Contains("--resume"));
}

TEST(Run, AnExpiredSessionIsFollowedByANewOneWherePeopleWantIt) {
  for (const bool afresh : {false, true}) {
    FakeRun run("claude");
    run.plan.request.resume = "01a1e0cc-1d02-7023-8251-bb6257d0d124";
    run.begin();
    run.agent().complain("No conversation found with session ID: x\n");
    run.exit(1);
    ASSERT_TRUE(run.desk.open.contains("fresh-start"));
    Reply reply{.id = "fresh-start"};
    reply.options = {afresh ? std::size_t{1} : std::size_t{2}};
    run.run->answer(std::move(reply));
    run.loop.settle();
    EXPECT_EQ(run.spawner.starts.size(), afresh ? 2U : 1U);
    EXPECT_EQ(run.ends, afresh ? 0 : 1);
    if (afresh) {
      EXPECT_THAT(run.agent().command.arguments, Not(testing::Contains("--resume")));
    }
  }
}

TEST(Run, WhatDestroysWorkIsRefusedWithoutAskingPeople) {
  FakeRun run("claude");
  run.plan.judge = [](std::string_view command) {
    engine::CommandRisk risk;
    if (command == "git reset --hard") risk = {engine::CommandRisk::Level::refuse, "reset --hard"};
    if (command == "git push -f") risk = {engine::CommandRisk::Level::ask, "push -f"};
    return risk;
  };
  std::vector<std::string> kept;
  run.plan.before_risk = [&](const std::string& what) {
    kept.push_back(what);
    return "kept";
  };
  run.begin();
  run.say(std::string(kInit) + permission("r1", "t1", "git reset --hard"));
  EXPECT_TRUE(run.desk.open.empty());
  EXPECT_THAT(run.agent().line(1), HasSubstr("this destroys work"));
  run.say(permission("r2", "t2", "git push -f"));
  EXPECT_TRUE(run.desk.open.contains("t2"));
  EXPECT_THAT(kept, testing::IsEmpty());
  run.type("t2", "1");
  EXPECT_THAT(kept, ElementsAre("push -f"));
  // An answer that was given before the question changes nothing about that.
  run.type("t3", "1");
  run.say(permission("r3", "t3", "git reset --hard"));
  EXPECT_THAT(run.agent().line(3), HasSubstr("this destroys work"));
  EXPECT_TRUE(run.audience.has_rule("git_blocked"));
  EXPECT_TRUE(run.audience.has_rule("git_checkpoint"));
}

TEST(Run, AnAgentThatReadsNoAnswersIsEnded) {
  FakeRun run("claude");
  run.begin();
  run.agent().reads = false;
  const std::string hook = R"({"type":"control_request","request_id":")" + std::string(1000, 'x') +
                           R"(","request":{"subtype":"hook"}})" + "\n";
  for (int i = 0; i < 20'000 && !run.agent().stopped; ++i) run.say(hook);
  EXPECT_TRUE(run.agent().stopped);
  EXPECT_TRUE(run.audience.has_rule("input_unread"));
  EXPECT_LT(run.agent().input.size(), std::size_t{9} << 20U);
}

// Wherever its program crashes, the run ends once, and what was open is said.
TEST(Run, EndsOnceWhereverItsProgramCrashes) {
  const std::vector<std::string> steps = {
      std::string(kInit), permission("r1", "t1"), tool_result("t1"),
      spoken("<!--QUESTION:{\\\"questions\\\":[{\\\"question\\\":\\\"Which?\\\"}]}-->"),
      std::string(kResult)};
  for (std::size_t crash = 0; crash <= steps.size(); ++crash) {
    FakeRun run("claude");
    run.begin();
    for (std::size_t i = 0; i < crash; ++i) {
      run.say(steps[i]);
      if (i == 1) run.type("t1", "1");
    }
    run.agent().die(SIGSEGV);
    run.loop.settle();
    for (int i = 0; i < 3 && run.ends == 0; ++i) {  // a question is asked before the end
      run.run->end_answers();
      run.loop.settle();
    }
    EXPECT_EQ(run.ends, 1) << crash;
    EXPECT_NE(run.verdict(), "completed") << crash;
    EXPECT_TRUE(run.loop.waits_for_nothing()) << crash;
  }
}

TEST(Run, QuestionsOfAnEarlierRunAreAskedBeforeTheFirstStart) {
  FakeRun run("executor");
  run.plan.request.words = {"x", "t", "it"};
  run.plan.request.resume = "t";
  KeptQuestion asked;
  asked.id = "q";
  asked.text = "Which?";
  asked.free_text = true;
  run.plan.left_open = {asked};
  run.begin();
  EXPECT_TRUE(run.spawner.starts.empty());
  ASSERT_TRUE(run.desk.open.contains("q"));
  run.type("q", "this");
  ASSERT_EQ(run.spawner.starts.size(), 1U);
  EXPECT_THAT(run.agent().command.arguments, ElementsAre("t", "it Answer: this"));
}

TEST(Run, TheSameWordsAskedAgainAreAQuestionOfTheirOwn) {
  FakeRun run("executor");
  run.plan.request.words = {"x", "t", "it"};
  run.begin();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    run.say("[QUESTION] Again?\n");
    run.exit(0);
    ASSERT_EQ(run.desk.open.size(), 1U);
    ids.push_back(run.desk.open.begin()->first);
    run.type(ids.back(), std::to_string(i));
  }
  EXPECT_EQ(run.agent().command.arguments.back(), "it Answer: 0 Answer: 1 Answer: 2");
  EXPECT_EQ(ids[1], ids[0] + ".2");
  EXPECT_EQ(ids[2], ids[0] + ".3");
}

}  // namespace
}  // namespace dragoman::test
