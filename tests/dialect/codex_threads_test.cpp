// SPDX-License-Identifier: Apache-2.0
// A session is one thread. The agents it starts are threads of their own, in the same stream.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

constexpr std::string_view kClaim = "[CODEX_COMPLETE] Task completed in 1 iterations";

Heard codex(const Lines& lines, ReaderOptions options = {}) {
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  return hear(Dialect::codex, input, std::move(options));
}

std::string started(const std::string& thread) {
  return R"({"method":"thread/started","params":{"thread":{"id":")" + thread + "\"}}}";
}
std::string item(const std::string& phase, const std::string& thread, const std::string& fields) {
  return R"({"method":"item/)" + phase + R"(","params":{"threadId":")" + thread + R"(","item":{)" +
         fields + "}}}";
}
std::string says(const std::string& thread, std::string_view words) {
  return item("completed", thread,
              R"("id":"m","type":"agentMessage","text":")" + std::string(words) + "\"");
}
std::string spawns(const std::string& thread, const std::string& call, const std::string& others) {
  return item("started", thread,
              R"("id":")" + call +
                  R"(","type":"collabAgentToolCall","tool":"spawnAgent","receiverThreadIds":[)" +
                  others + "]");
}
std::string runs(const std::string& thread, const std::string& call) {
  return item("started", thread,
              R"("id":")" + call + R"(","type":"commandExecution","command":"ls")");
}
std::string turn(const std::string& what, const std::string& thread, const std::string& fields) {
  return R"({"method":"turn/)" + what + R"(","params":{"threadId":")" + thread + R"(",)" + fields +
         "}}";
}
std::string ends_turn(const std::string& thread) {
  return turn("completed", thread, R"("turn":{"id":"t","status":"completed"})");
}
std::string begins_turn(const std::string& thread) {
  return turn("started", thread, R"("turn":{"id":"t"})");
}

// The call each event belongs to; empty on the main thread.
Lines parents(const Heard& heard) {
  Lines names;
  for (const Event& event : heard.events()) names.emplace_back(event.origin.parent);
  return names;
}

TEST(CodexThreads, WordsOfAnotherThreadAreASubagentsAndItsTurnIsNotTheRuns) {
  const Heard heard = codex(
      {started("T1"), begins_turn("T1"), spawns("T1", "c1", R"("T2")"), says("T2", kClaim),
       ends_turn("T2"),
       item("completed", "T1",
            R"("id":"c1","type":"collabAgentToolCall","tool":"spawnAgent","status":"completed")"),
       ends_turn("T1")});
  EXPECT_EQ(outline(heard),
            (Lines{"session_started T1", "status turn_started", "tool_started Agent",
                   "quoted_marker", "text " + std::string(kClaim), "status turn/completed",
                   "tool_finished Agent ok", "turn_finished ok completed"}));
  EXPECT_EQ(parents(heard), (Lines{"", "", "", "c1", "c1", "c1", "", ""}));
  EXPECT_EQ(heard.all<QuotedMarker>().at(0)->reason, "subagent");
  EXPECT_EQ(heard.events()[4].origin.channel, Channel::subagent_text);
}

TEST(CodexThreads, TheEndOfATurnClosesTheToolsOfItsOwnThread) {
  const Heard heard =
      codex({started("T1"), begins_turn("T1"), spawns("T1", "c1", R"("T2")"), runs("T1", "main"),
             runs("T2", "other"), ends_turn("T2"), ends_turn("T1")});
  Lines ends;
  for (const Event& event : heard.events()) {
    const auto* end = event.as<ToolFinished>();
    if (end == nullptr) continue;
    ends.push_back(std::string(end->id) + " of '" + std::string(event.origin.parent) + "'");
  }
  EXPECT_EQ(ends, (Lines{"other@T2 of 'c1'", "c1 of ''", "main of ''"}));
}

// Each thread names its own items, so an id alone does not say which one is meant.
TEST(CodexThreads, ToolsOfTwoThreadsMayHaveOneId) {
  const auto ends = [](const std::string& thread, int code) {
    return item("completed", thread,
                R"("id":"i","type":"commandExecution","status":"completed","exitCode":)" +
                    std::to_string(code));
  };
  const Heard heard = codex({started("T1"), begins_turn("T1"), spawns("T1", "c1", R"("T2")"),
                             runs("T1", "i"), runs("T2", "i"), ends("T1", 1), ends("T2", 2)});
  Lines tools;
  for (const Event& event : heard.events()) {
    if (const auto* begin = event.as<ToolStarted>()) tools.emplace_back(begin->id);
    const auto* end = event.as<ToolFinished>();
    if (end == nullptr || !end->exit_code) continue;
    tools.push_back(std::string(end->id) + " " + std::to_string(*end->exit_code) + " of '" +
                    std::string(event.origin.parent) + "'");
  }
  EXPECT_EQ(tools, (Lines{"c1", "i", "i@T2", "i 1 of ''", "i@T2 2 of 'c1'"}));
}

// Nobody is shown what another thread wants to change, and the end of its tool answers nobody.
TEST(CodexThreads, PermissionsOfTwoThreadsMayHaveOneId) {
  const auto changes = [](const std::string& thread, const std::string& path) {
    return item("started", thread,
                R"("id":"i","type":"fileChange","changes":[{"path":")" + path +
                    R"(","kind":{"type":"update"}}])");
  };
  const auto asks = [](int id, const std::string& thread) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"item/fileChange/requestApproval","params":{"itemId":"i","threadId":")" +
           thread + "\"}}";
  };
  const Heard heard =
      codex({started("T1"), begins_turn("T1"), spawns("T1", "c1", R"("T2")"), changes("T1", "a"),
             changes("T2", "b"), asks(1, "T1"), asks(2, "T2"),
             item("completed", "T2",
                  R"("id":"i","type":"fileChange","changes":[],"status":"declined")")});
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"i", QuestionState::open},
                                                  {"i@T2", QuestionState::answered}}));
  EXPECT_EQ(heard.all<Question>().at(0)->text, "Allow apply_patch: a?");
  EXPECT_EQ(heard.all<Question>().at(1)->text, "Allow apply_patch: b?");
}

TEST(CodexThreads, ACallThatWaitsForAnAgentStartsNone) {
  const Heard heard =
      codex({started("T1"), begins_turn("T1"),
             item("started", "T1",
                  R"("id":"w","type":"collabAgentToolCall","tool":"wait","receiverThreadIds":[])"),
             started("T2"), says("T2", "inside")});
  EXPECT_EQ(parents(heard), (Lines{"", "", "", "T2", "T2", ""}));  // the last: it is abandoned
}

TEST(CodexThreads, ToolsOfAThreadThatIsNamedLateEndWithItsTurn) {
  const Heard heard = codex(
      {started("T1"), begins_turn("T1"), spawns("T1", "c1", ""), spawns("T1", "c2", ""),
       runs("T2", "i"),
       item("completed", "T1",
            R"("id":"c2","type":"collabAgentToolCall","tool":"spawnAgent","status":"completed",)"
            R"("receiverThreadIds":["T2"])"),
       ends_turn("T2")});
  ASSERT_EQ(heard.count<ToolFinished>(), 3u);
  EXPECT_EQ(heard.all<ToolFinished>().at(1)->id, "i@T2");
  EXPECT_EQ(heard.all<ToolFinished>().at(1)->outcome, Outcome::abandoned);
}

// The server names the new thread only when the call that started it is over.
TEST(CodexThreads, AThreadThatBeginsWhileAnAgentIsStartedBelongsToThatCall) {
  const Heard heard =
      codex({started("T1"), begins_turn("T1"), spawns("T1", "c1", ""), started("T2"),
             begins_turn("T2"), says("T2", kClaim), says("T1", "mine"), ends_turn("T1")});
  EXPECT_EQ(outline(heard),
            (Lines{"session_started T1", "status turn_started", "tool_started Agent",
                   "status thread/started", "status turn_started", "quoted_marker",
                   "text " + std::string(kClaim), "text mine", "tool_finished Agent abandoned",
                   "turn_finished ok completed"}));
  EXPECT_EQ(parents(heard), (Lines{"", "", "", "c1", "c1", "c1", "c1", "", "", ""}));
  EXPECT_EQ(heard.all<TurnFinished>().at(0)->text.str(), "mine");
}

TEST(CodexThreads, AThreadThatSaysItIsASubagentsIsNoSession) {
  for (const std::string& mark :
       Lines{R"("source":{"subAgent":{"thread_spawn":{"parent_thread_id":"T1"}}})",
             R"("parentThreadId":"T1")"}) {
    const Heard heard =
        codex({started("T1"),
               R"({"method":"thread/started","params":{"thread":{"id":"T2",)" + mark + "}}}",
               says("T2", kClaim), says("T1", "mine")});
    EXPECT_EQ(outline(heard), (Lines{"session_started T1", "status thread/started", "quoted_marker",
                                     "text " + std::string(kClaim), "text mine"}));
    EXPECT_EQ(parents(heard), (Lines{"", "T2", "T2", "T2", ""}));
  }
}

TEST(CodexThreads, AnAnswerAboutAnotherThreadLeavesTheSessionAsItIsDuringATurn) {
  const Heard heard = codex({started("T1"), begins_turn("T1"),
                             R"({"id":5,"result":{"thread":{"id":"T2"}}})", says("T1", kClaim)});
  EXPECT_EQ(heard.count<SessionStarted>(), 1u);
  EXPECT_EQ(heard.count<CompletionClaimed>(), 1u);
}

TEST(CodexThreads, AThreadThatBeginsBetweenTurnsIsTheNextSession) {
  const Heard heard = codex({started("T1"), begins_turn("T1"), says("T1", "one"), ends_turn("T1"),
                             started("T2"), begins_turn("T2"), says("T2", kClaim)});
  EXPECT_EQ(heard.count<SessionStarted>(), 2u);
  EXPECT_EQ(heard.count<CompletionClaimed>(), 1u);
}

TEST(CodexThreads, WithoutABeginningTheFirstThreadIsTheMainOne) {
  const Heard heard = codex({says("T1", kClaim), says("T2", kClaim)});
  EXPECT_EQ(heard.count<CompletionClaimed>(), 1u);
  EXPECT_EQ(heard.count<QuotedMarker>(), 1u);
}

TEST(CodexThreads, WhatASubagentWasAboutToSayIsNotTakenForTheAgentsWords) {
  const Heard heard = codex(
      {started("T1"),
       R"({"method":"item/agentMessage/delta","params":{"threadId":"T1","itemId":"m","delta":"half"}})",
       R"({"method":"item/agentMessage/delta","params":{"threadId":"T2","itemId":"n","delta":")" +
           std::string(kClaim) + "\"}}",
       says("T2", "done")});
  EXPECT_EQ(outline(heard), (Lines{"session_started T1", "text done", "text half (partial)"}));
}

TEST(CodexThreads, TokensOfASubagentAreNotTheThreadsTotal) {
  const Heard heard = codex(
      {started("T1"),
       R"({"method":"thread/tokenUsage/updated","params":{"threadId":"T2","tokenUsage":{"total":{"inputTokens":7}}}})"});
  EXPECT_EQ(heard.data(Kind::status),
            Lines{R"({"activity":"subagent_usage","usage":{"inputTokens":7}})"});
  EXPECT_EQ(heard.count<Usage>(), 0u);
}

TEST(CodexThreads, AFailedTurnOfASubagentSaysWhyAndFailsNothing) {
  const Heard heard =
      codex({started("T1"),
             turn("completed", "T2", R"("turn":{"status":"failed","error":{"message":"no"}})")});
  EXPECT_EQ(heard.data(Kind::status),
            Lines{R"({"message":"no","activity":"turn/completed","turn_status":"failed"})"});
  EXPECT_EQ(heard.count<Failure>() + heard.count<TurnFinished>(), 0u);
}

TEST(CodexThreads, MessagesOfTheOldestShapeNameTheirThreadToo) {
  const auto message = [](const std::string& thread, const std::string& msg) {
    return R"({"method":"codex/event/x","params":{"conversationId":")" + thread + R"(","msg":{)" +
           msg + "}}}";
  };
  const std::string claim = R"("type":"agent_message","message":")" + std::string(kClaim) + "\"";
  const Heard heard = codex({message("T1", R"("type":"session_configured","session_id":"T1")"),
                             message("T1", R"("type":"task_started")"),
                             message("T2", R"("type":"session_configured","session_id":"T2")"),
                             message("T2", claim), message("T2", R"("type":"task_complete")"),
                             message("T1", claim), message("T1", R"("type":"task_complete")")});
  EXPECT_EQ(outline(heard),
            (Lines{"session_started T1", "status turn_started", "status session_configured",
                   "quoted_marker", "text " + std::string(kClaim), "status task_complete",
                   "completion_claimed", "turn_finished ok completed"}));
}

// What began and what ended, in order.
Lines tools(const Heard& heard) {
  Lines lines;
  for (const Event& event : heard.events()) {
    if (const auto* p = event.as<ToolStarted>()) lines.push_back("starts " + std::string(p->id));
    const auto* p = event.as<ToolFinished>();
    if (p == nullptr) continue;
    const bool lost = p->outcome == Outcome::abandoned;
    lines.push_back((lost ? "abandons " : "ends ") + std::string(p->id));
  }
  return lines;
}
const std::string kStarts =
    R"({"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls"}})";
const std::string kEnds =
    R"({"type":"item.completed","item":{"id":"item_0","type":"command_execution","status":"completed","exit_code":0}})";

TEST(CodexRuns, ANewRunAbandonsWhatTheLastOneLeftOpen) {
  for (const std::string& second : Lines{"t2", "t1"}) {  // another thread, or the same resumed
    const Heard heard =
        codex({R"({"type":"thread.started","thread_id":"t1"})", kStarts,
               R"({"type":"thread.started","thread_id":")" + second + "\"}", kStarts, kEnds});
    EXPECT_EQ(tools(heard),
              (Lines{"starts item_0", "abandons item_0", "starts item_0", "ends item_0"}));
  }
}

TEST(CodexRuns, ANewSessionOfTheAppServerAbandonsToo) {
  EXPECT_EQ(tools(codex({started("T1"), runs("T1", "a"), started("T2"), runs("T2", "b")})),
            (Lines{"starts a", "abandons a", "starts b", "abandons b"}));
}

TEST(CodexRuns, AServerThatStartsAgainKnowsNothingOfTheTurnThatWasCut) {
  const Heard heard = codex({started("T1"), begins_turn("T1"), runs("T1", "a"),
                             R"({"id":0,"result":{"userAgent":"codex"}})",
                             R"({"id":1,"result":{"thread":{"id":"T2"}}})", says("T2", kClaim)});
  EXPECT_EQ(tools(heard), (Lines{"starts a", "abandons a"}));
  EXPECT_EQ(heard.count<SessionStarted>(), 2u);
  EXPECT_EQ(heard.count<CompletionClaimed>(), 1u);
}

TEST(CodexRuns, WhatWasBeingSaidWhenARunWasCutIsReadBeforeTheNext) {
  const Heard heard = codex(
      {started("T1"),
       R"({"method":"item/agentMessage/delta","params":{"threadId":"T1","itemId":"m","delta":"half"}})",
       started("T2"), says("T2", "whole")});
  EXPECT_EQ(outline(heard), (Lines{"session_started T1", "text half (partial)",
                                   "session_started T2", "text whole"}));
}

TEST(CodexRuns, AnIdThatIsOpenedAgainEndsTheOlderTool) {
  EXPECT_EQ(tools(codex({kStarts, kStarts, kEnds})),
            (Lines{"starts item_0", "abandons item_0", "starts item_0", "ends item_0"}));
}

TEST(CodexRuns, TheOldestOfTooManyOpenToolsIsAbandonedWhenItMakesRoom) {
  Lines lines = {started("T1")};
  for (int i = 0; i < 1026; ++i) lines.push_back(runs("T1", std::to_string(i)));
  const Heard heard = codex(lines);
  EXPECT_EQ(heard.count<ToolStarted>(), 1026u);
  EXPECT_EQ(heard.count<ToolFinished>(), 1026u);
  EXPECT_EQ(heard.all<ToolFinished>().at(0)->id, "0");
  EXPECT_EQ(heard.all<ToolFinished>().at(1)->id, "1");
}

}  // namespace
}  // namespace dragoman::test
