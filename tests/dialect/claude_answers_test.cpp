// SPDX-License-Identifier: Apache-2.0
// What becomes of the questions and permissions that Claude asks for.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

// A result that is an error may come of a refusal as well as of the call.
TEST(ClaudeControl, APermissionThatNobodySaysTheAnswerToHasNone) {
  const std::string ask =
      R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}})"
      "\n";
  const auto answer = [&](const std::string& result, const std::string& meta = "") {
    const Heard heard = claude(
        ask + R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",)" +
        result + "}]}" + meta + "}\n");
    const Question* last = heard.all<Question>().back();
    EXPECT_EQ(last->state, QuestionState::answered);
    return std::string(last->answer);
  };
  const std::string error = R"("is_error":true,"content":"no")";
  EXPECT_EQ(answer(R"("content":"ok")"), "Allow");
  EXPECT_EQ(answer(R"("is_error":true,"content":"Exit code 1\nno")"), "Allow");
  EXPECT_EQ(answer(error), "");
  EXPECT_EQ(
      answer(error,
             R"(,"tool_result_meta":[{"id":"t","permission_decision":{"decision":"accept"}}])"),
      "Allow");
  EXPECT_EQ(
      answer(error,
             R"(,"tool_result_meta":[{"id":"t","permission_decision":{"decision":"reject"}}])"),
      "Deny");
}

// The words of a result are its program's; only `answers` are the user's.
TEST(ClaudeControl, AResultWithoutAnswersLeavesItsQuestionUnanswered) {
  const std::string ask =
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"AskUserQuestion","input":{"questions":[{"question":"A?","options":[{"label":"x"},{"label":"y"}]}]}}]}})"
      "\n";
  const std::string one =
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"no answer"}]})";
  const std::string two =
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"},{"type":"tool_result","tool_use_id":"u","content":"ok"}]})";
  const auto state = [&](const std::string& result) {
    return questions_of(claude(ask + result + "}\n"))["t#0"];
  };
  EXPECT_EQ(state(one), QuestionState::unanswered);
  EXPECT_EQ(state(one + R"(,"tool_use_result":{"answers":{}})"), QuestionState::unanswered);
  EXPECT_EQ(state(two), QuestionState::unanswered);
  EXPECT_EQ(state(two + R"(,"tool_use_result":{"answers":{}})"), QuestionState::unanswered);
  EXPECT_EQ(state(two + R"(,"tool_use_result":{"answers":{"A?":"x"}})"), QuestionState::answered);
}

TEST(ClaudeControl, SeveralQuestionsOfOneCallAreAnsweredOneByOne) {
  const Heard heard = claude(
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"AskUserQuestion","input":{"questions":[{"question":"A?","options":[{"label":"x"},{"label":""}]},{"question":"B?"}]}}]}})"
      "\n"
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"tool_use_result":{"answers":{"A?":"x"}}})"
      "\n");
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"t#0", QuestionState::answered},
                                                  {"t#1", QuestionState::unanswered}}));
  EXPECT_EQ(heard.rules(), Lines{"question_shape"});
}

}  // namespace
}  // namespace dragoman::test
