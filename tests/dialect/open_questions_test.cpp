// SPDX-License-Identifier: Apache-2.0
// Questions that JSON lines ask: which of them are the same, and what is told of them later.
#include <gtest/gtest.h>

#include "structured.hpp"

namespace dragoman::test {
namespace {

std::string asked_by_claude(const std::string& id, const std::string& input) {
  return R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":")" + id +
         R"(","name":"AskUserQuestion","input":)" + input + "}]}}\n";
}
std::string requested_by_claude(const std::string& id, const std::string& input) {
  return R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool",)"
         R"("tool_name":"AskUserQuestion","tool_use_id":")" +
         id + R"(","input":)" + input + "}}\n";
}
std::string answered_by_claude(const std::string& id, const std::string& answers) {
  return R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":")" + id +
         R"(","content":"ok"}]},"tool_use_result":{"answers":)" + answers + "}}\n";
}
std::string asked_by_codex(const std::string& call, const std::string& question) {
  return R"({"type":"request_user_input",)" + call + R"("questions":[)" + question + "]}\n";
}

TEST(OpenQuestions, ALargeOneIsToldWholeEveryTime) {
  const std::string input =
      R"({"questions":[{"question":"Q?","options":[{"label":"a","description":")" +
      std::string(200'000, 'x') + R"("},{"label":"b"}]}]})";
  const Heard heard =
      hear(Dialect::claude, asked_by_claude("t", input) + requested_by_claude("t", input) +
                                answered_by_claude("t", R"({"Q?":"a"})"));
  const auto all = heard.all<Question>();
  ASSERT_EQ(all.size(), 3u);
  for (const Question* question : all) {
    EXPECT_EQ(question->id, "t#0");
    EXPECT_EQ(question->text, "Q?");
    EXPECT_EQ(question->options.size(), 2u);
  }
  EXPECT_EQ(all[2]->state, QuestionState::answered);
  EXPECT_EQ(all[2]->answer, "a");
}

TEST(OpenQuestions, AreForgottenWhenTheyAreTooLargeTogether) {
  std::string input;
  for (int i = 0; i < 8; ++i) {
    input += asked_by_claude("t" + std::to_string(i), R"({"questions":[{"question":"Q?","note":")" +
                                                          std::string(1 << 20, 'x') + R"("}]})");
  }
  const auto answers = [&](const std::string& id) {
    const Heard heard = hear(Dialect::claude, input + answered_by_claude(id, R"({"Q?":"a"})"));
    return heard.count<Question>() - 8;
  };
  EXPECT_EQ(answers("t0"), 0u);
  EXPECT_EQ(answers("t7"), 1u);
}

TEST(OpenQuestions, AnotherQuestionUnderTheSameKeyIsAnotherQuestion) {
  for (const std::string call : {R"("call_id":"c",)", ""}) {
    const Heard heard =
        hear(Dialect::codex, asked_by_codex(call, R"({"id":"a","question":"A?"})") +
                                 asked_by_codex(call, R"({"id":"b","question":"B?"})"));
    EXPECT_EQ(questions_of(heard), (std::map<std::string, QuestionState>{
                                       {"a", QuestionState::open}, {"b", QuestionState::open}}));
  }
}

TEST(OpenQuestions, WithoutAnyKeyEachHasItsOwnId) {
  const Heard heard = hear(Dialect::codex, asked_by_codex("", R"({"question":"A?"})") +
                                               asked_by_codex("", R"({"question":"A?"})"));
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"ask-1#0", QuestionState::open},
                                                  {"ask-2#0", QuestionState::open}}));
}

TEST(OpenQuestions, TheRequestOfAnotherQuestionIsNotThatOfTheFirst) {
  const auto request = [](int id, const std::string& question) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"item/tool/requestUserInput","params":{"itemId":"x","questions":[)" +
           question + "]}}\n";
  };
  const Heard heard = hear(Dialect::codex, request(1, R"({"id":"a","question":"A?"})") +
                                               request(2, R"({"id":"b","question":"B?"})"));
  const Lines lines = heard.data(Kind::question);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find(R"("text":"B?")"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(R"("request_id":2)"), std::string::npos) << lines[1];
}

TEST(OpenQuestions, OfTwoThatWaitUnderOneIdTheSecondIsNamedAfterItsCall) {
  const auto request = [](int id, const std::string& item) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"item/tool/requestUserInput","params":{"itemId":")" + item +
           R"(","questions":[{"id":"choice","question":"Which?"}]}})" + "\n";
  };
  const std::string answered = R"({"method":"serverRequest/resolved","params":{"requestId":2}})"
                               "\n";
  const Heard heard =
      hear(Dialect::codex, request(1, "x") + request(2, "y") + answered + request(3, "z"));
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"choice", QuestionState::open},
                                                  {"y#0", QuestionState::withdrawn},
                                                  {"z#0", QuestionState::open}}));
  const Lines lines = heard.data(Kind::question);
  EXPECT_EQ(lines[0].find(R"("_id")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("request_id":2,"_id":"choice")"), std::string::npos) << lines[1];
}

TEST(OpenQuestions, AnIdIsFreeAgainWhenItsQuestionIsSettled) {
  const auto request = [](int id) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"item/tool/requestUserInput","params":{"questions":[)"
           R"({"id":"a","question":"A?"},{"id":"a","question":"B?"},{"id":"","question":"C?"}]}})"
           "\n";
  };
  const std::string answered = R"({"method":"serverRequest/resolved","params":{"requestId":1}})"
                               "\n";
  Lines ids;
  const Heard heard = hear(Dialect::codex, request(1) + answered + request(2));
  for (const Question* question : heard.all<Question>()) ids.emplace_back(question->id);
  EXPECT_EQ(ids, (Lines{"a", "1#1", "1#2", "a", "1#1", "1#2", "a", "2#1", "2#2"}));
}

// Whoever answers sends the answer there.
TEST(OpenQuestions, AnAgentCannotNameTheRequest) {
  const std::string question =
      R"({"questions":[{"question":"Q?","request_id":"evil","options":["a","b"]}]})";
  const Heard requested = hear(Dialect::claude, requested_by_claude("t", question));
  EXPECT_NE(requested.data(Kind::question)[0].find(R"("request_id":"r1")"), std::string::npos);
  EXPECT_EQ(requested.data(Kind::question)[0].find("evil"), std::string::npos);
  const Heard comment = hear(Dialect::question, "<!--QUESTION:" + question + "-->\n");
  ASSERT_EQ(comment.count<Question>(), 1u);
  EXPECT_EQ(comment.data(Kind::question)[0].find("request_id"), std::string::npos);
}

TEST(OpenQuestions, KeepEveryFieldNobodyKnows) {
  std::string fields;
  for (int i = 0; i < 20; ++i) fields += R"(,"x)" + std::to_string(i) + R"(":)" + std::to_string(i);
  const Heard heard =
      hear(Dialect::claude,
           requested_by_claude("t", R"({"questions":[{"question":"Q?")" + fields + "}]}"));
  EXPECT_NE(heard.data(Kind::question)[0].find(R"("x19":19)"), std::string::npos);
}

TEST(OpenQuestions, WhatIsReplacedIsWithdrawn) {
  const auto set = [](const std::string& questions) {
    return R"({"questions":[)" + questions + "]}";
  };
  const Heard heard =
      hear(Dialect::claude, asked_by_claude("t", set(R"({"question":"A?"},{"question":"B?"})")) +
                                requested_by_claude("t", set(R"({"question":"C?"})")) +
                                answered_by_claude("t", R"({"C?":"x"})"));
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"t#0", QuestionState::answered},
                                                  {"t#1", QuestionState::withdrawn}}));
}

// The second took the place of the first, which nobody was asked then.
TEST(OpenQuestions, TwoApprovalsOfOneCallAreTwoQuestions) {
  const auto asks = [](int id, const std::string& command, const std::string& approval) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"item/commandExecution/requestApproval","params":{"itemId":"c",)" +
           approval + R"("command":")" + command + "\"}}\n";
  };
  const std::string resolved = R"({"method":"serverRequest/resolved","params":{"requestId":7}})"
                               "\n";
  const std::string ended =
      R"({"method":"item/completed","params":{"item":{"type":"commandExecution","id":"c","status":"completed"}}})"
      "\n";
  const Heard plain =
      hear(Dialect::codex, asks(7, "ls", "") + asks(8, "rm x", "") + resolved + ended);
  const Heard named =
      hear(Dialect::codex, asks(7, "ls", R"("approvalId":"a1",)") +
                               asks(8, "rm x", R"("approvalId":"a2",)") + resolved + ended);
  for (const Heard* heard : {&plain, &named}) {
    EXPECT_EQ(questions_of(*heard),
              (std::map<std::string, QuestionState>{{"c", QuestionState::withdrawn},
                                                    {"c#2", QuestionState::answered}}));
    const auto all = heard->all<Question>();
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0]->text, "Allow Bash: ls?");
    EXPECT_EQ(all[1]->text, "Allow Bash: rm x?");
    EXPECT_NE(heard->data(Kind::question)[0].find(R"("request_id":7)"), std::string::npos);
    EXPECT_NE(heard->data(Kind::question)[1].find(R"("request_id":8)"), std::string::npos);
  }
}

TEST(OpenQuestions, TheEndOfACallSettlesAllItsApprovals) {
  const auto asks = [](const std::string& request) {
    return R"({"type":"control_request","request_id":")" + request +
           R"(","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t",)"
           R"("input":{"command":"ls"}}})"
           "\n";
  };
  const Heard heard =
      hear(Dialect::claude, asks("r1") + asks("r2") + answered_by_claude("t", "{}"));
  EXPECT_EQ(questions_of(heard),
            (std::map<std::string, QuestionState>{{"t", QuestionState::answered},
                                                  {"t#2", QuestionState::answered}}));
}

// The servers of old tell of it in an event and ask for the answer in a request.
TEST(OpenQuestions, AnApprovalThatIsToldAndRequestedIsOne) {
  const auto told = [](const std::string& approval) {
    return R"({"method":"codex/event/exec_approval_request","params":{"msg":{"type":)"
           R"("exec_approval_request","call_id":"c","approval_id":")" +
           approval + "\",\"command\":[\"ls\"]}}}\n";
  };
  const auto requested = [](int id, const std::string& approval) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"method":"execCommandApproval","params":{"callId":"c","approvalId":")" + approval +
           "\",\"command\":[\"ls\"]}}\n";
  };
  const std::string two = told("a") + told("b") + requested(1, "a") + requested(2, "b");
  Lines ids;
  const Heard heard = hear(Dialect::codex, two + told("b"));
  for (const Question* question : heard.all<Question>()) ids.emplace_back(question->id);
  EXPECT_EQ(ids, (Lines{"c", "c#2", "c", "c#2", "c#2"}));
  EXPECT_NE(heard.data(Kind::question)[4].find(R"("request_id":2)"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::test
