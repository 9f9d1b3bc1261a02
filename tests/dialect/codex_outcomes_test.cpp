// SPDX-License-Identifier: Apache-2.0
// How tools and turns of Codex ended: unknown is not success.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard completed(const std::string& fields) {
  return hear(Dialect::codex, R"({"type":"item.completed","item":{"id":"i",)" + fields + "}}\n");
}
Heard message(const std::string& fields) {
  return hear(Dialect::codex, R"({"id":"1","msg":{)" + fields + "}}\n");
}
Heard turn(const std::string& fields) {
  return hear(Dialect::codex,
              R"({"method":"turn/completed","params":{"turn":{"id":"1")" + fields + "}}}\n");
}
Lines files_or_end(const Heard& heard) {
  Lines lines = heard.data(Kind::files_changed);
  for (const std::string& end : heard.data(Kind::tool_finished)) lines.push_back(end);
  return lines;
}

struct Ended {
  std::string fields;
  Outcome outcome;
};

TEST(CodexOutcomes, ACommandEndsAsItsStatusSaysElseAsItsExitCode) {
  const std::vector<Ended> rows = {
      {R"("status":"completed","exit_code":0)", Outcome::ok},
      {R"("exit_code":0)", Outcome::ok},
      {R"("exit_code":1)", Outcome::failed},
      {R"("status":"cancelled","exit_code":137)", Outcome::failed},
      {R"("status":"cancelled","exit_code":0)", Outcome::abandoned},
      {R"("status":"cancelled")", Outcome::abandoned},
      {R"("status":"in_progress","exit_code":null)", Outcome::abandoned},
      {R"("command":"x")", Outcome::abandoned},
  };
  for (const Ended& row : rows) {
    const Heard heard = completed(R"("type":"command_execution",)" + row.fields);
    EXPECT_EQ(heard.all<ToolFinished>().at(0)->outcome, row.outcome) << row.fields;
  }
}

TEST(CodexOutcomes, AChangeThatNobodyConfirmsChangesNothing) {
  const std::string change = R"("type":"file_change","changes":[{"path":"a","kind":"add"}])";
  for (const std::string& status :
       Lines{R"(,"status":"cancelled")", R"(,"status":"in_progress")", R"(,"status":null)", ""}) {
    EXPECT_EQ(
        files_or_end(completed(change + status)),
        Lines{
            R"({"id":"i","tool":"apply_patch","outcome":"abandoned","changes":[{"path":"a","kind":"add"}]})"})
        << status;
  }
}

// A patch that is applied is told by its files; of one that is not heard of again nobody else
// tells.
TEST(CodexOutcomes, AChangeThatNeverEndsIsAbandonedWithItsTurn) {
  const std::string began =
      R"({"type":"item.started","item":{"id":"i","type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"delete"}]}})"
      "\n";
  const std::string served =
      R"({"method":"item/started","params":{"item":{"id":"i","type":"fileChange","changes":[{"path":"a","kind":{"type":"add"}}]}}})"
      "\n";
  const std::string oldest =
      R"({"id":"1","msg":{"type":"patch_apply_begin","call_id":"i","changes":{"a":{"add":{}}}}})"
      "\n";
  const std::string ended = R"({"type":"turn.completed"})"
                            "\n";
  for (const std::string& input : Lines{began, served, oldest, began + ended}) {
    const Heard heard = hear(Dialect::codex, input);
    EXPECT_EQ(heard.data(Kind::tool_finished),
              Lines{R"({"id":"i","tool":"apply_patch","outcome":"abandoned"})"})
        << input;
    EXPECT_EQ(heard.count<ToolStarted>(), 1u) << input;
  }
  EXPECT_EQ(hear(Dialect::codex, began).data(Kind::tool_started),
            Lines{R"({"id":"i","tool":"apply_patch","description":"a, b"})"});
  const Heard applied = hear(
      Dialect::codex,
      began +
          R"({"type":"item.completed","item":{"id":"i","type":"file_change","status":"completed","changes":[{"path":"a","kind":"add"}]}})"
          "\n" +
          ended);
  EXPECT_EQ(applied.count<FilesChanged>(), 1u);
  EXPECT_EQ(applied.count<ToolFinished>(), 0u);
}

TEST(CodexOutcomes, APermissionThatNobodySaysTheAnswerToHasNone) {
  const auto answer = [](const std::string& fields) {
    const Heard heard = hear(
        Dialect::codex,
        R"({"id":1,"method":"item/commandExecution/requestApproval","params":{"itemId":"i","command":"ls"}})"
        "\n"
        R"({"method":"item/completed","params":{"item":{"id":"i","type":"commandExecution","command":"ls",)" +
            fields + "}}}\n");
    EXPECT_EQ(heard.all<Question>().back()->state, QuestionState::answered);
    return std::string(heard.all<Question>().back()->answer);
  };
  EXPECT_EQ(answer(R"("status":"completed","exitCode":0)"), "Allow");
  EXPECT_EQ(answer(R"("status":"failed","exitCode":2)"), "Allow");
  EXPECT_EQ(answer(R"("status":"declined")"), "Deny");
  EXPECT_EQ(answer(R"("status":"failed")"), "");
  EXPECT_EQ(answer(R"("status":"strange")"), "");
}

TEST(CodexOutcomes, AnErrorOfAnMcpToolIsAFailureWhateverTheStatus) {
  const std::string call = R"("type":"mcp_tool_call","server":"s","tool":"t")";
  for (const std::string& status :
       Lines{R"("status":"cancelled")", R"("status":"failed")", R"("status":"completed")"}) {
    EXPECT_EQ(completed(call + R"(,"error":{"message":"no"},)" + status).data(Kind::tool_finished),
              Lines{R"({"id":"i","tool":"mcp__s__t","outcome":"failed","error":"no"})"})
        << status;
  }
  EXPECT_EQ(
      completed(call +
                R"(,"error":null,"result":{"content":[{"type":"text","text":"x"}]},"status":"new")")
          .data(Kind::tool_finished),
      Lines{R"({"id":"i","tool":"mcp__s__t","outcome":"abandoned","output":"x"})"});
}

TEST(CodexOutcomes, AnAgentThatWasCancelledIsAbandoned) {
  EXPECT_EQ(outline(completed(R"("type":"collab_tool_call","tool":"wait","status":"cancelled")")),
            (Lines{"tool_started Agent", "tool_finished Agent abandoned"}));
}

TEST(CodexOutcomes, AnEndOfTheOldestShapeThatSaysNothingIsNoSuccess) {
  EXPECT_EQ(outline(message(R"("type":"exec_command_end","call_id":"c","stdout":"")")),
            Lines{"tool_finished Bash abandoned"});
  const std::string call =
      R"("type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"s","tool":"t"})";
  EXPECT_EQ(outline(message(call)), Lines{"tool_finished mcp__s__t abandoned"});
  EXPECT_EQ(outline(message(call + R"(,"result":{"Ok":{"content":[]}})")),
            Lines{"tool_finished mcp__s__t ok"});
  EXPECT_EQ(outline(message(call + R"(,"result":{"Err":"no"})")),
            Lines{"tool_finished mcp__s__t failed"});
}

// The beginning may lie before the first line that we were given.
TEST(CodexOutcomes, AnEndWhoseBeginningNobodySawTellsWhatWasDone) {
  struct Unseen {
    std::string item;
    std::string started;
  };
  for (
      const Unseen& row : std::initializer_list<Unseen>{
          {R"("type":"command_execution","command":"make","exit_code":0,"status":"completed")",
           R"({"id":"i","tool":"Bash","command":"make"})"},
          {R"("type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":1},"status":"completed")",
           R"({"id":"i","tool":"mcp__s__t","mcp_tool":"mcp__s__t","input":{"a":1}})"},
          {R"("type":"web_search","query":"q")",
           R"({"id":"i","tool":"WebSearch","description":"q"})"},
          {R"("type":"collab_tool_call","tool":"wait","status":"completed")",
           R"({"id":"i","tool":"Agent","description":"wait"})"}}) {
    const Heard heard = completed(row.item);
    EXPECT_EQ(heard.data(Kind::tool_started), Lines{row.started});
    ASSERT_EQ(heard.events().size(), 2u) << row.item;
    EXPECT_EQ(heard.events()[0].origin.length, 0u);
    EXPECT_EQ(heard.events()[0].origin.channel, Channel::tool_input);
    EXPECT_EQ(heard.events()[1].kind(), Kind::tool_finished);
  }
  const Lines oldest = {R"({"id":"c","tool":"Bash","command":"ls -l"})",
                        R"({"id":"c","tool":"mcp__s__t","mcp_tool":"mcp__s__t","input":{"a":1}})",
                        R"({"id":"c","tool":"WebSearch","description":"q"})"};
  EXPECT_EQ(
      message(R"("type":"exec_command_end","call_id":"c","command":["ls","-l"],"exit_code":0)")
          .data(Kind::tool_started),
      Lines{oldest[0]});
  EXPECT_EQ(
      message(
          R"("type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"s","tool":"t","arguments":{"a":1}},"result":{"Ok":{}})")
          .data(Kind::tool_started),
      Lines{oldest[1]});
  EXPECT_EQ(
      message(R"("type":"web_search_end","call_id":"c","query":"q")").data(Kind::tool_started),
      Lines{oldest[2]});
}

TEST(CodexOutcomes, AnEndThatSaysNothingOfItsBeginningMakesNoneUp) {
  EXPECT_EQ(completed(R"("type":"command_execution","status":"declined")").count<ToolStarted>(),
            0u);
}

TEST(CodexOutcomes, OnlyACompletedTurnIsGood) {
  EXPECT_EQ(turn(R"(,"status":"completed")").all<TurnFinished>().at(0)->ok, true);
  for (const std::string& word : Lines{"interrupted", "cancelled", "canceled"}) {
    EXPECT_EQ(outline(turn(R"(,"status":")" + word + "\"")),
              (Lines{"turn_finished not ok interrupted", "failure interrupted"}));
  }
  EXPECT_EQ(
      outline(turn(R"(,"status":"inProgress")")),
      (Lines{"diagnostic unknown_value", "turn_finished not ok failed", "failure agent_error"}));
  EXPECT_EQ(outline(turn("")), (Lines{"diagnostic unknown_value", "turn_finished not ok failed",
                                      "failure agent_error"}));
}

TEST(CodexOldest, WhatACommandWroteAsAnErrorIsKept) {
  const auto end = [](const std::string& fields) {
    return message(R"("type":"exec_command_end","call_id":"c",)" + fields)
        .data(Kind::tool_finished);
  };
  EXPECT_EQ(
      end(R"("stdout":"","stderr":"boom","exit_code":1)"),
      Lines{
          R"({"id":"c","tool":"Bash","outcome":"failed","output":"","error":"boom","exit_code":1})"});
  // Warnings of a command that succeeded are no error.
  EXPECT_EQ(
      end(R"("stdout":"a\n","stderr":"note \"x\"","exit_code":0)"),
      Lines{R"({"id":"c","tool":"Bash","outcome":"ok","output":"a\nnote \"x\"","exit_code":0})"});
  EXPECT_EQ(end(R"("stdout":"","stderr":"note","exit_code":0)"),
            Lines{R"({"id":"c","tool":"Bash","outcome":"ok","output":"note","exit_code":0})"});
  // Both are in here, in the order in which they were written.
  EXPECT_EQ(end(R"("aggregated_output":"ab","stdout":"a","stderr":"b","exit_code":1)"),
            Lines{R"({"id":"c","tool":"Bash","outcome":"failed","output":"ab","exit_code":1})"});
  EXPECT_EQ(
      end(R"("aggregated_output":"","stdout":"a","stderr":"b","exit_code":1)"),
      Lines{
          R"({"id":"c","tool":"Bash","outcome":"failed","output":"a","error":"b","exit_code":1})"});
}

TEST(CodexOldest, AFailedPatchSaysWhy) {
  EXPECT_EQ(
      message(
          R"("type":"patch_apply_end","call_id":"p","stdout":"","stderr":"no such file","success":false)")
          .data(Kind::tool_finished),
      Lines{
          R"({"id":"p","tool":"apply_patch","outcome":"failed","output":"","error":"no such file"})"});
}

TEST(CodexOldest, WhoeverIsAskedSeesTheCommandOrThePath) {
  const auto asks = [](const std::string& line) {
    return std::string(hear(Dialect::codex, line + "\n").all<Question>().at(0)->text);
  };
  EXPECT_EQ(
      asks(
          R"({"id":5,"method":"execCommandApproval","params":{"callId":"k","command":["bash","-lc","rm -rf x"],"reason":"needs it"}})"),
      "Allow Bash: bash -lc rm -rf x?");
  EXPECT_EQ(
      asks(
          R"({"id":5,"method":"applyPatchApproval","params":{"callId":"k","fileChanges":{"a.txt":{"add":{}},"b.txt":{"delete":{}}},"reason":"needs it"}})"),
      "Allow apply_patch: a.txt, b.txt?");
  EXPECT_EQ(
      asks(
          R"({"id":"1","msg":{"type":"apply_patch_approval_request","call_id":"k","changes":{"a.txt":{"add":{}}},"reason":"needs it"}})"),
      "Allow apply_patch: a.txt?");
  EXPECT_EQ(
      asks(
          R"({"id":5,"method":"applyPatchApproval","params":{"callId":"k","reason":"needs it","grantRoot":null}})"),
      "Allow apply_patch: needs it?");
}

TEST(CodexOldest, AChangeOfTheAppServerIsAskedForWithItsPaths) {
  const Heard heard = hear(
      Dialect::codex,
      R"({"method":"item/started","params":{"item":{"type":"fileChange","id":"f","changes":[{"path":"a.txt","kind":{"type":"add"}}],"status":"inProgress"}}})"
      "\n"
      R"({"id":5,"method":"item/fileChange/requestApproval","params":{"itemId":"f","reason":"needs it"}})"
      "\n");
  EXPECT_EQ(heard.all<Question>().at(0)->text, "Allow apply_patch: a.txt?");
}

// What was said before the turn was interrupted was said.
TEST(CodexTurns, AMessageThatItsTurnCutsOffIsRead) {
  const Heard heard = hear(
      Dialect::codex,
      R"({"method":"thread/started","params":{"thread":{"id":"S"}}})"
      "\n"
      R"({"method":"turn/started","params":{"threadId":"S"}})"
      "\n"
      R"({"method":"item/agentMessage/delta","params":{"threadId":"S","delta":"<!-- WXCODE:ERROR:{\"code\":\"X\",\"message\":\"m\",\"recoverable\":false} --> half"}})"
      "\n"
      R"({"method":"turn/completed","params":{"threadId":"S","turn":{"status":"interrupted"}}})"
      "\n");
  ASSERT_EQ(heard.count<Failure>(), 2u);
  EXPECT_EQ(heard.all<Failure>()[0]->code, "X");
}

}  // namespace
}  // namespace dragoman::test
