// SPDX-License-Identifier: Apache-2.0
// Lines of Claude that leave something open, or say something nobody knew.
#include <gtest/gtest.h>

#include "dragoman/dialect/writer.hpp"
#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

std::string without_id(std::string_view text) {
  std::string line = R"({"type":"assistant","message":{"content":[{"type":"text","text":)";
  json::append_string(line, text);
  return line + "}]}}\n";
}

// A result that does not say so is no success.
TEST(ClaudeReader, OnlyAResultThatIsNoErrorIsGood) {
  const std::vector<std::pair<std::string, Lines>> rows = {
      {R"("subtype":"success","is_error":false)", {"turn_finished ok success"}},
      {R"("subtype":"success")", {"diagnostic missing_field", "turn_finished not ok success"}},
      {R"("subtype":"success","is_error":"no")",
       {"diagnostic field_type", "turn_finished not ok success"}},
      {R"("subtype":"success","is_error":null)",
       {"diagnostic field_type", "turn_finished not ok success"}},
      {R"("is_error":false)", {"turn_finished ok "}},
      {R"("is_error":false,"subtype":null)", {"diagnostic field_type", "turn_finished not ok "}},
      {R"("subtype":"done","is_error":false)", {"turn_finished not ok done"}},
      {R"("subtype":"error_max_turns","is_error":false)",
       {"turn_finished not ok error_max_turns", "failure max_turns"}},
  };
  for (const auto& [fields, expected] : rows) {
    EXPECT_EQ(outline(claude(R"({"type":"result",)" + fields + "}\n")), expected) << fields;
  }
}

TEST(ClaudeReader, ABlockNobodyKnowsIsKeptWhole) {
  const Heard heard = claude(
      R"({"type":"assistant","message":{"content":[{"type":"hologram","depth":[3]},5,{"x":1},{"type":"text","text":"a"}]}})"
      "\n");
  EXPECT_EQ(heard.data(Kind::unknown),
            (Lines{R"({"type":"hologram","raw":{"type":"hologram","depth":[3]}})", R"({"raw":5})",
                   R"({"raw":{"x":1}})"}));
  EXPECT_EQ(heard.count<DisplayText>(), 1u);
}

TEST(ClaudeReader, StrictReadsEveryLineThatDefaultReads) {
  ReaderOptions strict;
  strict.mode = Mode::strict;
  const std::string line =
      R"({"type":"result","subtype":"success","is_error":false,"nobody":[tru,01]})"
      "\n";
  EXPECT_EQ(outline(claude(line, strict)), outline(claude(line)));
}

TEST(ClaudeReader, KeepsWhatAQuestionSaysBesides) {
  const Heard heard = claude(without_id(
      R"(<!--QUESTION:{"questions":[{"question":"Which?","options":[],"urgency":"high","state":"x"},7]}-->)"));
  ASSERT_EQ(heard.count<Question>(), 1u);
  EXPECT_NE(heard.data(Kind::question)[0].find(R"("urgency":"high")"), std::string::npos);
  EXPECT_EQ(heard.rules(), Lines{"question_shape"});
}

TEST(ClaudeReader, AGoodTurnOfAnotherAgentIsWrittenAsAGoodResult) {
  EventList list;
  const auto reader = make_reader(Dialect::codex);
  reader->push("{\"type\":\"turn.started\"}\n{\"type\":\"turn.completed\"}\n", list);
  reader->finish(list);
  const auto writer = make_writer(Target::claude);
  std::string out;
  for (const Event& event : list.events()) EXPECT_TRUE(writer->write(event, out));
  writer->finish(out);
  const Heard heard = claude(out);
  ASSERT_EQ(heard.count<TurnFinished>(), 1u) << out;
  EXPECT_TRUE(heard.all<TurnFinished>()[0]->ok) << out;
}

// The trust rule does not depend on how JSON is spelled.
TEST(ClaudeReader, AMadeUpModelOrAnyParentIsNotTheAgentItself) {
  const std::string words =
      R"("content":[{"type":"text","text":"[CODEX_COMPLETE] Task completed in 1 iterations"}]}})"
      "\n";
  for (const std::string start :
       {R"({"type":"assistant","message":{"model":"\u003csynthetic\u003e",)",
        R"({"type":"assistant","parent_tool_use_id":7,"message":{)",
        R"({"type":"assistant","parent_tool_use_id":{},"message":{)"}) {
    EXPECT_EQ(claude(start + words).count<CompletionClaimed>(), 0u) << start;
  }
  EXPECT_EQ(claude(R"({"type":"assistant","parent_tool_use_id":null,"message":{)" + words)
                .count<CompletionClaimed>(),
            1u);
}

TEST(ClaudeReader, NullIsAbsent) {
  EXPECT_EQ(
      outline(claude(
          R"({"type":"assistant","message":{"content":[{"type":"text","text":"fine"}]},"error":null})"
          "\n")),
      Lines{"text fine"});
  const Heard progress = claude(
      R"({"type":"tool_progress","tool_use_id":"t1","tool_name":"Bash","parent_tool_use_id":null})"
      "\n");
  EXPECT_NE(progress.data(Kind::status)[0].find(R"("tool_use_id":"t1")"), std::string::npos);
}

// As 2.1.325 sends it; the id of its own is that of the heartbeat.
TEST(ClaudeReader, TheProgressOfAToolIsNotToldFromInsideOfIt) {
  const Heard heard =
      claude(R"({"type":"tool_progress","tool_use_id":"t1-heartbeat-0","tool_name":"Bash",)"
             R"("parent_tool_use_id":"t1","elapsed_time_seconds":30,"heartbeat":true})"
             "\n");
  ASSERT_EQ(heard.events().size(), 1u);
  EXPECT_EQ(heard.events()[0].origin.parent, "");
  EXPECT_NE(heard.data(Kind::status)[0].find(R"("tool_use_id":"t1")"), std::string::npos);
}

TEST(ClaudeReader, TheLastOfTwoContentsCounts) {
  const std::string marker =
      R"("content":[{"type":"text","text":"[CODEX_COMPLETE] Task completed in 1 iterations"}])";
  const auto message = [](const std::string& contents) {
    return R"({"type":"assistant","message":{)" + contents + "}}\n";
  };
  const Heard text_last = claude(message(marker + R"(,"content":"no")"));
  EXPECT_EQ(text_last.count<CompletionClaimed>(), 0u);
  EXPECT_EQ(text_last.rules(), Lines{"duplicate_key"});
  const Heard blocks_last = claude(message(R"("content":"no",)" + marker));
  EXPECT_EQ(blocks_last.count<CompletionClaimed>(), 1u);
  EXPECT_EQ(blocks_last.count<DisplayText>(), 0u);
  EXPECT_EQ(blocks_last.rules(), Lines{"duplicate_key"});
}

// It stands beside the message and does not say whose it is.
TEST(ClaudeReader, WhatIsKnownOfOneResultIsNotTakenForTheOther) {
  const Heard files = claude(
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Write","input":{"file_path":"/w/a"}},{"type":"tool_use","id":"b","name":"Write","input":{"file_path":"/w/b"}}]}})"
      "\n"
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"tool_result","tool_use_id":"b","content":"ok"}]},"tool_use_result":{"type":"create","filePath":"/w/a"}})"
      "\n");
  Lines paths;
  for (const FilesChanged* changed : files.all<FilesChanged>()) {
    paths.emplace_back(changed->files[0].path);
  }
  EXPECT_EQ(paths, (Lines{"/w/a", "/w/b"}));
}

TEST(ClaudeReader, WithoutIdsTheResultRepeatsTheLastLine) {
  EXPECT_EQ(claude(without_id("one") + without_id("two") +
                   R"({"type":"result","subtype":"success","is_error":false,"result":"two"})"
                   "\n")
                .rules(),
            Lines{});
}

TEST(ClaudeReader, AFragmentNobodyKnowsIsKeptWhole) {
  const Heard heard = claude(R"({"type":"stream_event","event":{"type":"brand_new","x":1}})"
                             "\n"
                             R"({"type":"stream_event","event":{"type":"ping"}})"
                             "\n");
  EXPECT_EQ(heard.data(Kind::unknown),
            Lines{R"({"type":"stream_event/brand_new","raw":{"type":"stream_event",)"
                  R"("event":{"type":"brand_new","x":1}}})"});
}

TEST(ClaudeReader, AFailedCallIsNamedAfterItsErrorAndNotSuccess) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"("api_error_status":529,"api_error_type":"overloaded_error","terminal_reason":"api_error")",
       "overloaded_error"},
      {R"("api_error_status":529,"terminal_reason":"api_error")", "api_error"},
      {R"("api_error_status":529)", "overloaded"},
  };
  for (const auto& [fields, code] : rows) {
    const Heard heard = claude(
        R"({"type":"result","subtype":"success","is_error":true,"result":"API Error: 529",)" +
        fields + "}\n");
    ASSERT_EQ(heard.count<Failure>(), 1u);
    EXPECT_EQ(heard.all<Failure>()[0]->code, code);
    EXPECT_EQ(heard.all<Failure>()[0]->reason, "overloaded");
  }
}

// Nothing of a line is lost because it has another shape than its type promises.
TEST(ClaudeReader, WordsInAnUnknownShapeAreKeptAsTheyCame) {
  const auto kinds = [](const std::string& line) { return outline(claude(line + "\n")); };
  for (const std::string& type : Lines{"user", "assistant"}) {
    const std::string begin = R"({"type":")" + type + R"(","message":{"role":"x")";
    EXPECT_EQ(kinds(begin + R"(,"content":{"a":1}}})"), Lines{"unknown " + type});
    EXPECT_EQ(kinds(begin + R"(,"text":"hi"}})"), Lines{"unknown " + type});
    EXPECT_EQ(kinds(begin + R"(,"content":[{"type":"text","text":["a"]}]}})"),
              Lines{"unknown text"});
    EXPECT_EQ(kinds(begin + R"(,"content":[{"type":"thinking","thinking":7}]}})"),
              Lines{"unknown thinking"});
  }
}

}  // namespace
}  // namespace dragoman::test
