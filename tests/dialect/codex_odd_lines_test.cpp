// SPDX-License-Identifier: Apache-2.0
// Lines of Codex that lack what their type promises: every event matches its schema all the same.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard line_of_codex(const std::string& line) { return hear(Dialect::codex, line + "\n"); }
Heard item_of_codex(const std::string& fields, const std::string& type = "item.completed") {
  return line_of_codex(R"({"type":")" + type + R"(","item":{)" + fields + "}}");
}

TEST(CodexOddLines, WordsOfAnErrorAreFoundHoweverDeepTheyAre) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"type":"error","message":"m"})", "m"},
      {R"({"type":"error","message":{"message":"m"}})", "m"},
      {R"({"type":"error","message":{"error":{"message":"m"}}})", "m"},
      {R"({"type":"error","message":null,"error":{"error":{"message":"m"}}})", "m"},
      {R"({"type":"error","message":"{\"error\":{\"message\":\"m\"}}"})", "m"},
      {R"({"type":"error","message":5})", "5"},
      {R"({"type":"error","message":{"why":1}})", R"({"why":1})"},
      {R"({"type":"item.completed","item":{"id":"i","type":"error","message":["a"]}})", R"(["a"])"},
      {R"({"id":"1","msg":{"type":"error","message":{"error":{"message":"m"}}}})", "m"},
  };
  for (const auto& [input, words] : rows) {
    const Heard heard = line_of_codex(input);
    ASSERT_EQ(heard.count<Diagnostic>(), 1u) << input;
    EXPECT_EQ(heard.all<Diagnostic>()[0]->rule, "agent_warning") << input;
    EXPECT_EQ(heard.all<Diagnostic>()[0]->message, words) << input;
  }
  EXPECT_EQ(outline(line_of_codex(
                R"({"type":"error","message":{"error":{"message":"You hit your usage limit"}}})")),
            Lines{"rate_limited"});
}

TEST(CodexOddLines, AnErrorWithoutWordsIsUnknown) {
  for (const std::string& input :
       Lines{R"({"type":"error"})", R"({"type":"error","message":null})",
             R"({"id":"1","msg":{"type":"error"}})", R"({"method":"error","params":{}})"}) {
    EXPECT_EQ(outline(line_of_codex(input)), Lines{"unknown error"}) << input;
  }
  EXPECT_EQ(outline(item_of_codex(R"("id":"i","type":"error")")), Lines{"unknown item/error"});
}

TEST(CodexOddLines, ACallWithoutAnIdGetsOne) {
  const std::string command = R"("type":"command_execution","command":"ls")";
  const std::string end = R"(,"status":"completed","exit_code":0)";
  const auto ids = [](const std::string& first, const std::string& last) {
    const Heard heard = hear(Dialect::codex, R"({"type":"item.started","item":{)" + first +
                                                 "}}\n"
                                                 R"({"type":"item.completed","item":{)" +
                                                 last + "}}\n");
    Lines lines;
    for (const ToolStarted* started : heard.all<ToolStarted>()) lines.emplace_back(started->id);
    for (const ToolFinished* finished : heard.all<ToolFinished>()) lines.emplace_back(finished->id);
    return lines;
  };
  EXPECT_EQ(ids(command, command + end), (Lines{"tool-1", "tool-1"}));
  EXPECT_EQ(ids(R"("id":7,)" + command, R"("id":7,)" + command + end), (Lines{"7", "7"}));
  EXPECT_EQ(ids(R"("id":null,)" + command, R"("id":"x",)" + command + end),
            (Lines{"tool-1", "x", "x", "tool-1"}));
  const Heard agent = item_of_codex(R"("type":"collab_tool_call","tool":"wait")", "item.started");
  EXPECT_EQ(agent.data(Kind::tool_finished),
            Lines{R"({"id":"tool-1","tool":"Agent","outcome":"abandoned"})"});
}

TEST(CodexOddLines, FiguresBelowZeroAreLeftOut) {
  const Heard heard = line_of_codex(
      R"({"type":"turn.completed","usage":{"input_tokens":-1,"cached_input_tokens":-2,"output_tokens":3}})");
  EXPECT_EQ(heard.data(Kind::usage), Lines{R"({"output_tokens":3,"scope":"thread","final":true})"});
  const Heard timed = item_of_codex(
      R"("id":"i","type":"commandExecution","status":"completed","exitCode":0,"durationMs":-5)");
  EXPECT_EQ(timed.all<ToolFinished>().at(0)->duration_ms, std::nullopt);
}

TEST(CodexOddLines, WhatDoesNotSayWhatItsTypePromisesIsUnknown) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"("type":"userMessage")", "unknown item/userMessage"},
      {R"("type":"userMessage","content":[{"type":"image","url":"x"}])",
       "unknown item/userMessage"},
      {R"("type":"agent_message","text":["a"])", "unknown item/agent_message"},
      {R"("type":"reasoning","text":{"a":1})", "unknown item/reasoning"},
      {R"("type":"plan","text":[1])", "unknown item/plan"},
  };
  for (const auto& [fields, event] : rows) {
    EXPECT_EQ(outline(item_of_codex(R"("id":"i",)" + fields)), Lines{event}) << fields;
  }
  for (const std::string& type : Lines{"agent_message", "user_message"}) {
    EXPECT_EQ(
        outline(line_of_codex(R"({"id":"1","msg":{"type":")" + type + R"(","message":["a"]}})")),
        Lines{"unknown " + type});
  }
}

TEST(CodexOddLines, AChangeWithoutAPathIsKeptAsItCame) {
  const Heard heard = item_of_codex(
      R"("id":"i","type":"file_change","status":"completed","changes":[{"kind":"add"},{"path":"a","kind":"add"}])");
  EXPECT_EQ(outline(heard), (Lines{"files_changed", "unknown item/file_change"}));
  EXPECT_EQ(heard.all<Unknown>().at(0)->raw.json, R"([{"kind":"add"},{"path":"a","kind":"add"}])");
  EXPECT_EQ(
      outline(item_of_codex(
          R"("id":"i","type":"file_change","status":"completed","changes":[{"kind":"add"}])")),
      Lines{"unknown item/file_change"});
}

TEST(CodexOddLines, APatchThatWasAppliedToNobodyKnowsWhatIsToldAllTheSame) {
  EXPECT_EQ(outline(line_of_codex(
                R"({"id":"1","msg":{"type":"patch_apply_end","call_id":"c","success":true}})")),
            Lines{"tool_finished apply_patch ok"});
}

TEST(CodexOddLines, APatchThatWasAppliedWasAllowed) {
  const Heard heard = hear(
      Dialect::codex,
      R"({"id":"1","msg":{"type":"apply_patch_approval_request","call_id":"c","changes":{"a":{"add":{}}}}})"
      "\n"
      R"({"id":"1","msg":{"type":"patch_apply_end","call_id":"c","success":true}})"
      "\n");
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"c", QuestionState::answered}}));
}

}  // namespace
}  // namespace dragoman::test
