// SPDX-License-Identifier: Apache-2.0
// Lines of Claude that leave something open, or say something nobody knew.
#include <gtest/gtest.h>

#include "dragoman/dialect/writer.hpp"
#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard claude(const std::string& input, ReaderOptions options = {}) {
  return hear(Dialect::claude, input, std::move(options));
}

std::string said(std::string_view text) {
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
  const Heard heard = claude(said(
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

}  // namespace
}  // namespace dragoman::test
