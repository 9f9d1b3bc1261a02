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
            Lines{"tool_finished Agent abandoned"});
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

}  // namespace
}  // namespace dragoman::test
