// SPDX-License-Identifier: Apache-2.0
// What becomes of the questions and permissions that Claude asks for.
#include <array>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/names.hpp"
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

std::string permission_request(const std::string& tool, const std::string& input,
                               const std::string& more = "") {
  return R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":")" +
         tool + R"(","input":)" + input + R"(,"tool_use_id":"t")" + more + "}}\n";
}

std::string wants_told(const Question& question) {
  std::string out;
  if (question.wants) append_wants(out, *question.wants);
  return out;
}

TEST(ClaudeControl, APermissionSaysWhatItIsAskedFor) {
  const std::vector<std::array<std::string, 3>> rows = {
      {"Bash", R"({"command":"cd x\nmake","description":"d"})",
       R"({"tool":"Bash","command":"cd x\nmake"})"},
      {"Edit", R"({"file_path":"/w/a","old_string":"one","new_string":"","replace_all":false})",
       R"({"tool":"Edit","files":[{"path":"/w/a","old_text":"one","new_text":""}]})"},
      {"MultiEdit",
       R"({"file_path":"/w/a","edits":[{"old_string":"1","new_string":"2"},{"old_string":"3","new_string":"4"}]})",
       R"({"tool":"MultiEdit","files":[{"path":"/w/a","old_text":"1","new_text":"2"},{"path":"/w/a","old_text":"3","new_text":"4"}]})"},
      {"Write", R"({"file_path":"/w/a","content":"all\n"})",
       R"({"tool":"Write","files":[{"path":"/w/a","new_text":"all\n"}]})"},
      {"NotebookEdit", R"({"notebook_path":"/w/n.ipynb","new_source":"1+1","cell_id":"c"})",
       R"({"tool":"NotebookEdit","files":[{"path":"/w/n.ipynb","new_text":"1+1"}]})"},
      {"Read", R"({"file_path":"/etc/passwd"})",
       R"({"tool":"Read","files":[{"path":"/etc/passwd"}]})"},
      {"WebFetch", R"({"url":"https://example.org"})", R"({"tool":"WebFetch"})"},
      {"Bash", "7", R"({"tool":"Bash"})"},
      {"Edit", R"({"file_path":7,"edits":[1,{}],"content":[]})", R"({"tool":"Edit"})"},
      {"Edit", R"({"file_path":"a","edits":[1]})", R"({"tool":"Edit","files":[{"path":"a"}]})"},
  };
  for (const auto& [tool, input, wants] : rows) {
    const Heard heard = claude(permission_request(tool, input));
    const auto questions = heard.all<Question>();
    ASSERT_EQ(questions.size(), 1U) << tool;
    EXPECT_EQ(wants_told(*questions[0]), wants);
  }
}

TEST(ClaudeControl, WhatItIsAskedForIsBoundedAndThatIsSaid) {
  const std::string much(200'000, 'x');
  const Heard heard = claude(permission_request(
      "Edit", R"({"file_path":"/w/a","old_string":"one","new_string":")" + much + "\"}"));
  const Question& question = *heard.all<Question>().at(0);
  ASSERT_TRUE(question.wants);
  EXPECT_EQ(question.wants->cut, true);
  EXPECT_EQ(question.wants->files[0].old_text, "one");
  EXPECT_LT(question.wants->files[0].new_text.size(), 64U * 1024);
  std::string edits;
  for (int i = 0; i < 1000; ++i) edits += R"(,{"old_string":"a","new_string":"b"})";
  const Heard many = claude(
      permission_request("MultiEdit", R"({"file_path":"a","edits":[)" + edits.substr(1) + "]}"));
  EXPECT_EQ(many.all<Question>().at(0)->wants->files.size(), 256U);
  EXPECT_EQ(many.all<Question>().at(0)->wants->cut, true);
}

std::string options_offered(const Question& question) {
  std::string out;
  for (const Option& option : question.options) {
    out += std::string(option.label) + "=" +
           std::string(option.grants ? name(*option.grants) : "") +
           (option.description.empty() ? "" : " (" + std::string(option.description) + ")") + "; ";
  }
  return out;
}

TEST(ClaudeControl, WhatClaudeSuggestsIsOffered) {
  const std::string rule =
      R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make *"}],"behavior":"allow","destination":"localSettings"})";
  const std::string mode = R"({"type":"setMode","mode":"acceptEdits","destination":"session"})";
  const auto offered = [&](const std::string& suggestions) {
    const Heard heard = claude(permission_request("Bash", R"({"command":"make"})", suggestions));
    return options_offered(*heard.all<Question>().at(0));
  };
  const std::string bare = "Allow=allow_once; Deny=deny; ";
  EXPECT_EQ(offered(""), bare);
  EXPECT_EQ(offered(R"(,"permission_suggestions":[])"), bare);
  EXPECT_EQ(offered(R"(,"permission_suggestions":{"type":"setMode"})"), bare);
  EXPECT_EQ(offered(R"(,"permission_suggestions":[)" + mode + "]"),
            bare + "Allow for this session=allow_session (all edits); ");
  EXPECT_EQ(offered(R"(,"permission_suggestions":[)" + rule + "," + mode + "]"),
            bare +
                "Allow for this session=allow_session (Bash(make *)); "
                "Always allow=allow_always (Bash(make *)); ");
}

TEST(ClaudeControl, TheDecisionIsTyped) {
  const auto decision = [&](const std::string& result) {
    const Heard heard =
        claude(permission_request("Bash", R"({"command":"ls"})") +
               R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",)" +
               result + "]}}\n");
    return heard.all<Question>().back()->decision;
  };
  EXPECT_EQ(decision(R"("content":"ok"})"), Grant::allow_once);
  EXPECT_EQ(decision(R"("is_error":true,"content":"no"})"), std::nullopt);
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
