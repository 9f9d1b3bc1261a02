// SPDX-License-Identifier: Apache-2.0
// Questions that an agent asks in its conversation: how often they are told, and who is answered.
#include <gmock/gmock.h>

#include "tests/e2e/run_support.hpp"

namespace dragoman::test {
namespace {

using testing::ElementsAre;

constexpr char kBegin[] = R"(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
def ask(request, call, tool, input):
    say({"type":"control_request","request_id":request,"request":{"subtype":"can_use_tool","tool_name":tool,"tool_use_id":call,"input":input}})
def hear(): return json.loads(sys.stdin.readline())["response"]
def result(call, **more):
    say({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":call,"content":"ok"}]},**more})
sys.stdin.readline()
say({"type":"system","subtype":"init","session_id":"s","cwd":".","model":"m"})
)";
constexpr char kEnd[] = R"(
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"s"})
sys.stdin.read()
)";

// "id state answer" of every question that was told.
std::vector<std::string> told(const std::string& out) {
  std::vector<std::string> lines;
  for (const nlohmann::json& question : of_kind(out, "question")) {
    lines.push_back(
        question["id"].get<std::string>() + " " + question["state"].get<std::string>() +
        (question.contains("answer") ? " " + question["answer"].get<std::string>() : ""));
  }
  return lines;
}

std::string answer(const std::string& id, const std::string& words) {
  return nlohmann::json{{"type", "answer"}, {"id", id}, {"answer", words}}.dump() + "\n";
}

// It came four times: in the call, in the request for its answer, when it was answered, and when
// the agent said that it knows.
TEST(RunQuestions, EachIsToldOnceWhenItIsAskedAndOnceWhenItIsAnswered) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
input = {"questions":[{"question":"Which?","header":"H","options":[{"label":"a"},{"label":"b"}]}]}
use = {"type":"tool_use","id":"t1","name":"AskUserQuestion","input":input}
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[use]}})
ask("r1", "t1", "AskUserQuestion", input)
result("t1", tool_use_result={"answers":hear()["response"]["updatedInput"]["answers"]})
ask("r2", "t2", "Bash", {"command":"ls"})
hear()
result("t2")
)" + kEnd);
  for (const char* form : {"--io=jsonl", "--as=json"}) {
    const bool answers = form == std::string("--io=jsonl");
    const Ended run =
        place.run({form, "go"}, answers ? answer("t1#0", "2") + answer("t2", "1") : "");
    if (!answers) {
      EXPECT_THAT(told(run.out), ElementsAre("t1#0 open")) << run.out;
      continue;
    }
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_THAT(told(run.out),
                ElementsAre("t1#0 open", "t1#0 answered b", "t2 open", "t2 answered Allow"))
        << run.out;
    std::uint64_t seq = 0;
    for (const nlohmann::json& event : events_in(run.out)) EXPECT_EQ(event["seq"], ++seq);
  }
}

TEST(RunQuestions, TwoApprovalsOfOneCallAreBothAskedAndBothAnswered) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
ask("r1", "t", "Bash", {"command":"ls"})
ask("r2", "t", "Bash", {"command":"make"})
heard = [hear() for _ in range(2)]
open("heard","w").write(" ".join(h["request_id"] + "=" + h["response"]["behavior"] for h in heard))
result("t")
)" + kEnd);
  const Ended run = place.run({"--io", "jsonl", "go"}, answer("t", "1") + answer("t#2", "2"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "r1=allow r2=deny");
  EXPECT_THAT(told(run.out),
              ElementsAre("t open", "t#2 open", "t answered Allow", "t#2 answered Deny"));
}

}  // namespace
}  // namespace dragoman::test
