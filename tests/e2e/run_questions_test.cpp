// SPDX-License-Identifier: Apache-2.0
// Questions that an agent asks in its conversation: how often they are told, and who is answered.
#include <set>

#include <gmock/gmock.h>

#include "tests/e2e/fake_agents.hpp"
#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

using testing::ElementsAre;

constexpr char kBegin[] = R"(#!/usr/bin/env python3
import json, sys
def say(*lines): print("\n".join(map(json.dumps, lines)), flush=True)
def asked(request, call, tool, input):
    return {"type":"control_request","request_id":request,"request":{"subtype":"can_use_tool","tool_name":tool,"tool_use_id":call,"input":input}}
def ask(*request): say(asked(*request))
def hear(): return json.loads(sys.stdin.readline())["response"]
def settled(call, **more):
    return {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":call,"content":"ok"}]},**more}
def result(call, **more): say(settled(call, **more))
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

// From another terminal, by words; what is none is refused with exit code 3.
TEST(RunQuestions, APermissionIsDecidedInWordsFromElsewhere) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
ask("r1", "t1", "Bash", {"command":"make install"})
open("heard","w").write(json.dumps(hear()["response"], sort_keys=True))
result("t1")
)" + kEnd);
  Start start = place.start({});
  start.arguments = {"-c", "mkfifo in; PATH=" + place.bin().string() + ":/usr/bin:/bin exec " +
                               dragoman_program().string() + " run --io jsonl go <>in"};
  Running running("/bin/sh", start);
  const auto tool = [&](std::vector<std::string> words) {
    Start other = place.start({});
    other.arguments = std::move(words);
    return dragoman(other);
  };
  ASSERT_TRUE(eventually([&] {
    return tool({"ask", "list"}).out.find("t1") != std::string::npos;
  }));
  const std::string listed = tool({"ask", "list"}).out;
  EXPECT_NE(listed.find("Allow Bash?\n  $ make install\n  1 Allow\n  2 Deny\n"), std::string::npos)
      << listed;
  for (const char* none : {"\x1b[B", "sure", "y\x7f", "\xc2\x9bm", "session"}) {
    const Ended refused = tool({"answer", "t1", none});
    EXPECT_EQ(refused.exit_code, 3) << none;
    EXPECT_NE(refused.err.find("answer with y, n, 1 to 2, or \"no: \" and the reason"),
              std::string::npos)
        << refused.err;
  }
  EXPECT_EQ(tool({"answer", "--text", "t1", "y"}).exit_code, 3);
  const Ended denied = tool({"answer", "t1", "no: use npm instead"});
  EXPECT_EQ(denied.exit_code, 0) << denied.err;
  EXPECT_NE(denied.err.find("denied: use npm instead"), std::string::npos) << denied.err;
  const Ended late = tool({"answer", "t1", "y"});
  EXPECT_EQ(late.exit_code, 3);
  EXPECT_NE(late.err.find("the question is denied: use npm instead"), std::string::npos)
      << late.err;
  const Ended run = running.wait();
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"),
            R"({"behavior": "deny", "message": "use npm instead"})");
  EXPECT_EQ(of_kind(run.out, "question").back()["decision"], "deny");
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
  EXPECT_THAT(told(run.out), testing::UnorderedElementsAre("t open", "t#2 open", "t answered Allow",
                                                           "t#2 answered Deny"));
}

// Its program has no such tool: the call fails, the agent goes on, and the question still waits.
TEST(RunQuestions, OneThatTheAgentPassedOverIsOpenAgainWhenItHasEnded) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
input = {"questions":[{"question":"Which?","header":"H","options":[{"label":"a"},{"label":"b"}]}]}
use = {"type":"tool_use","id":"t1","name":"AskUserQuestion","input":input}
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[use]}})
fault = {"type":"tool_result","tool_use_id":"t1","is_error":True,"content":"No such tool available"}
say({"type":"user","message":{"role":"user","content":[fault]}})
)" + kEnd);
  const Ended run = place.run({"--io", "jsonl", "go"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(told(run.out), ElementsAre("t1#0 open", "t1#0 unanswered", "t1#0 open"));
}

// Its lines come with pauses. An answer to half of it would be an answer to another question.
TEST(RunQuestions, OneThatIsPrintedSlowlyIsToldOnceAndWhole) {
  const std::string slowly =
      "printf '[QUESTION] Which?\\n1. a\\n'; sleep 0.6; printf '2. b\\n'; sleep 0.6; "
      "printf '3. c\\n[PROGRESS] x\\n[BLOCKED] no url\\n'; sleep 0.6; printf 'ctx\\n'";
  RunPlace place;
  const Ended run = place.run({"--io=jsonl", "--agent=command", "--", "sh", "-c", slowly});
  Start reading;
  reading.arguments = {"-c", "(" + slowly + ") | " + dragoman_program().string() + " parse"};
  const Ended read = Running("/bin/sh", reading).wait();
  for (const std::string& out : {run.out, read.out}) {
    auto questions = of_kind(out, "question");
    std::erase_if(questions, [](const nlohmann::json& each) { return each["kind"] == "blocked"; });
    ASSERT_EQ(questions.size(), 1U) << out;
    EXPECT_EQ(questions[0]["options"].size(), 3U) << out;
    EXPECT_EQ(questions[0]["state"], "open");
    ASSERT_EQ(of_kind(out, "blocked").size(), 1U) << out;
    EXPECT_EQ(of_kind(out, "blocked")[0]["context"], nlohmann::json({"ctx"}));
  }
}

std::string id_of_the_open_question(const std::string& out) {
  const auto questions = of_kind(out, "question");
  return questions.empty() ? "none" : questions.front()["id"].get<std::string>();
}

TEST(RunQuestions, AnAnswerToASecretOneReachesTheNextStartAndNoRecording) {
  RunPlace place;
  place.script("codex", kCodexAsksForAPassword);
  const std::vector<std::string> words = {"--agent", "codex", "--io", "jsonl", "go"};
  const std::string id = id_of_the_open_question(place.run(words).out);
  const Ended run = place.run(words, answer(id, "open sesame"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "open sesame\n");
  EXPECT_THAT(told(run.out), ElementsAre(id + " open", id + " answered [hidden]"));
  EXPECT_THAT(files_with(place.state(), "sesame"), testing::IsEmpty());
}

const std::vector<std::string> kAskingExecutor = {"--agent",  "executor", "--",
                                                  "executor", "t-1",      "it"};

// A run that is recorded under `name`, to be resumed by it.
Ended go_as(const RunPlace& place, const std::string& name, std::vector<std::string> words,
            const std::string& input = {}) {
  words.insert(words.begin(), {"--io", "jsonl", "--record", (place.state() / name).string()});
  return place.run(std::move(words), input);
}

// It has the answers among its arguments, as long as it asks again.
TEST(RunQuestions, AnAnswerToASecretOneOfAnExecutorIsForgottenWithTheLastQuestion) {
  RunPlace place;
  place.script("executor", R"(#!/bin/sh
case "$2" in
  *sesame*Answer:*) echo "$2" > heard; echo '[CODEX_COMPLETE] Task completed';;
  *Answer:*) printf '[QUESTION] And then?\n';;
  *) echo '<!--QUESTION:{"questions":[{"question":"Which password?","isSecret":true}]}-->';;
esac
)");
  const std::string secret = id_of_the_open_question(go_as(place, "probe", kAskingExecutor).out);
  const Ended asked = go_as(place, "one", kAskingExecutor, answer(secret, "open sesame"));
  EXPECT_EQ(asked.exit_code, 4) << asked.out << asked.err;
  EXPECT_THAT(files_with(place.state(), "sesame"), testing::Each(testing::StartsWith("sessions/")));
  const std::string next = id_of_the_open_question(
      go_as(place, "two", {"--resume", (place.state() / "one").string()}).out);
  const Ended done = go_as(place, "three", {"--resume", (place.state() / "two").string()},
                           answer(next, "nothing"));
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "it Answer: open sesame Answer: nothing\n");
  EXPECT_THAT(files_with(place.state(), "sesame"), testing::IsEmpty());
}

// Whoever is told a password may say it again, on any channel, whole or in pieces.
TEST(RunQuestions, AnAnswerToASecretOneIsKeptNowhereWhenTheProgramRepeatsIt) {
  RunPlace place;
  place.script("executor", R"(#!/bin/sh
echo "working on: $2"
echo "working on: $2" >&2
case "$2" in
  *Answer:*) printf '[PROGRESS] with hunter2-'; sleep 0.1; echo 'Sesame'; echo '[CODEX_COMPLETE] Task completed';;
  *) echo '<!--QUESTION:{"questions":[{"question":"Which password?","isSecret":true}]}-->';;
esac
)");
  const std::vector<std::string> words = {"--agent", "executor", "--io", "jsonl",
                                          "--",      "executor", "t-1",  "it"};
  const std::string id = id_of_the_open_question(place.run(words).out);
  const Ended run = place.run(words, answer(id, "hunter2-Sesame"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("working on: it Answer: [REDACTED:answer]"));
  EXPECT_THAT(run.out + run.err, testing::Not(testing::HasSubstr("Sesame")));
  EXPECT_THAT(files_with(place.state(), "Sesame"), testing::IsEmpty());
}

// The session goes on in another run, which was not there when the answer was given.
TEST(RunQuestions, AnAnswerToASecretOneOfAnEarlierRunIsKeptNowhereEither) {
  RunPlace place;
  place.script("executor", R"(#!/bin/sh
echo "working on: $2"
case "$2" in
  *Answer:*Answer:*) echo '[CODEX_COMPLETE] Task completed';;
  *Answer:*) printf '[QUESTION] And then?\n';;
  *) echo '<!--QUESTION:{"questions":[{"question":"Which password?","isSecret":true}]}-->';;
esac
)");
  const std::string secret = id_of_the_open_question(go_as(place, "probe", kAskingExecutor).out);
  ASSERT_EQ(go_as(place, "one", kAskingExecutor, answer(secret, "hunter2-Sesame")).exit_code, 4);
  const std::string next = id_of_the_open_question(
      go_as(place, "two", {"--resume", (place.state() / "one").string()}).out);
  const Ended done = go_as(place, "three", {"--resume", (place.state() / "two").string()},
                           answer(next, "nothing"));
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, testing::HasSubstr("Answer: [REDACTED:answer] Answer: nothing"));
  EXPECT_THAT(files_with(place.state(), "Sesame"), testing::IsEmpty());
}

TEST(RunQuestions, AnAnswerToASecretOneInAConversationIsKeptNowhereWhenItIsRepeated) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
input = {"questions":[{"question":"Which password?","header":"H","isSecret":True,"options":[]}]}
ask("r1", "t1", "AskUserQuestion", input)
password = hear()["response"]["updatedInput"]["answers"]["Which password?"]
open("heard", "w").write(password)
say({"type":"assistant","message":{"id":"2","role":"assistant","content":[{"type":"text","text":"It is " + password}]}})
print("said " + password, file=sys.stderr, flush=True)
)" + kEnd);
  const Ended run = place.run({"--io", "jsonl", "go"}, answer("t1#0", "open \"se/same\""));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "open \"se/same\"");
  EXPECT_THAT(run.out, testing::HasSubstr("It is [REDACTED:answer]"));
  EXPECT_THAT(files_with(place.state(), "/same"), testing::IsEmpty());
}

struct Repeating {
  std::string name;
  std::vector<std::string> words;
  std::string script;  // asks "Again?" until it was answered three times
};

const std::vector<Repeating>& repeating_agents() {
  static const std::vector<Repeating> kAgents = {
      {"executor",
       {"--agent", "executor", "--io", "jsonl", "--", "executor", "t-1", "it"},
       R"sh(#!/bin/sh
case "$2" in
  *Answer:*Answer:*Answer:*) echo "$2" > heard; echo '[CODEX_COMPLETE] Task completed';;
  *) echo '[QUESTION] Again?';;
esac
)sh"},
      {"executor",
       {"--agent", "executor", "--io", "jsonl", "--", "executor", "t-1", "it"},
       R"sh(#!/bin/sh
case "$2" in
  *Answer:*Answer:*Answer:*) echo "$2" > heard; echo '[CODEX_COMPLETE] Task completed';;
  *Answer:*Answer:*) echo '[QUESTION] Again?';;
  *Answer:*) echo '[BLOCKED] Again?';;
  *) echo '[QUESTION] Again?';;
esac
)sh"},
      {"codex", {"--agent", "codex", "--io", "jsonl", "go"}, R"sh(#!/bin/sh
printf '%s ' "$(tail -1)" >> heard
text='[QUESTION] Again?'
[ $(wc -w < heard) -gt 3 ] && text=done
echo '{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"'"$text"'"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
)sh"},
      {"claude", {"--agent", "claude", "--io", "jsonl", "go"}, R"sh(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
heard = open("heard", "a+")
heard.write(json.loads(sys.stdin.readline())["message"]["content"][-1]["text"].split()[-1] + " ")
heard.flush()
heard.seek(0)
text = "done" if len(heard.read().split()) > 3 else '<!--QUESTION:{"questions":[{"question":"Again?"}]}-->'
say({"type":"system","subtype":"init","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124","cwd":".","model":"m"})
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":text}]}})
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"})
sys.stdin.read()
)sh"},
  };
  return kAgents;
}

// In the same words, three times: each asking has an id of its own, so that its answer may come
// before it, in any order.
TEST(RunQuestions, WhatIsAskedAgainAfterItsAnswerIsAQuestionOfItsOwn) {
  for (const Repeating& agent : repeating_agents()) {
    RunPlace place;
    place.script(agent.name, agent.script);
    const std::string id = id_of_the_open_question(place.run(agent.words).out);
    std::filesystem::remove(place.work() / "heard");
    const Ended run = place.run(agent.words, answer(id + ".3", "three") + answer(id, "one") +
                                                 answer(id, "late") + answer(id + ".2", "two"));
    EXPECT_EQ(run.exit_code, 0) << agent.script << run.out << run.err;
    EXPECT_THAT(read_file(place.work() / "heard"), testing::ContainsRegex("one.*two.*three"));
    std::set<std::string> asked;
    std::vector<std::string> answered;
    for (const std::string& line : told(run.out)) {
      if (line.ends_with(" open")) asked.insert(line.substr(0, line.find(' ')));
      if (line.find(" answered ") != std::string::npos) answered.push_back(line);
    }
    EXPECT_THAT(asked, ElementsAre(id, id + ".2", id + ".3"));
    EXPECT_THAT(answered, ElementsAre(id + " answered one", id + ".2 answered two",
                                      id + ".3 answered three"));
  }
}

// The first start asks and ends well; the second, which has the answer, only says that it is there.
const std::vector<Repeating>& agents_that_die_of_the_answer() {
  static const std::vector<Repeating> kAgents = {
      {"codex", {"--agent", "codex", "--io", "jsonl", "go"}, R"sh(#!/bin/sh
cat > /dev/null
echo '{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}'
case "$*" in *resume*) exit 0;; esac
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"[QUESTION] Which?"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
)sh"},
      {"claude", {"--agent", "claude", "--io", "jsonl", "go"}, R"sh(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
sys.stdin.readline()
say({"type":"system","subtype":"init","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124","cwd":".","model":"m"})
if "--resume" in " ".join(sys.argv): sys.exit(0)
text = '<!--QUESTION:{"questions":[{"question":"Which?"}]}-->'
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":text}]}})
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"})
sys.stdin.read()
)sh"},
  };
  return kAgents;
}

TEST(RunQuestions, AnAgentThatEndsWithoutAWordAfterTheAnswerIsNotCompletedByItsEarlierTurn) {
  for (const Repeating& agent : agents_that_die_of_the_answer()) {
    RunPlace place;
    place.script(agent.name, agent.script);
    const std::string id = id_of_the_open_question(place.run(agent.words).out);
    const std::string recording = (place.state() / "answered").string();
    std::vector<std::string> words = {"--record", recording};
    words.insert(words.end(), agent.words.begin(), agent.words.end());
    const Ended run = place.run(words, answer(id, "this"));
    EXPECT_EQ(run.exit_code, 1) << agent.script << run.out << run.err;
    EXPECT_THAT(told(run.out), ElementsAre(id + " open", id + " answered this"));
    EXPECT_THAT(run.out, testing::HasSubstr("turn_unfinished"));
    Start verdict;
    verdict.arguments = {"verdict", recording};
    EXPECT_EQ(Running(dragoman_program().string(), verdict).wait().exit_code, 1);
  }
}

TEST(RunQuestions, OneThatAnEarlierRunLeftOpenIsNotTheOneThatIsAskedAfterwards) {
  RunPlace place;
  const Repeating& agent = repeating_agents().front();
  place.script(agent.name, agent.script);
  const std::string id = id_of_the_open_question(go_as(place, "one", kAskingExecutor).out);
  const Ended run =
      go_as(place, "two", {"--resume", (place.state() / "one").string()},
            answer(id, "one") + answer(id + ".2", "two") + answer(id + ".3", "three"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "it Answer: one Answer: two Answer: three\n");
}

// The same request for the same call, and its answer has come in between.
TEST(RunQuestions, ARequestThatComesOnceMoreIsAnsweredOnceMore) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
heard = []
for n in range(3):
    ask("r", "t", "Bash", {"command":"ls"})
    heard.append(hear()["response"]["behavior"])
open("heard", "w").write(" ".join(heard))
result("t")
)" + kEnd);
  const Ended run = place.run({"--io", "jsonl", "go"},
                              answer("t", "1") + answer("t.2", "no") + answer("t.3", "1"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "allow deny allow");
}

// A hook may have denied the call. Who reads the events sees that its answer is not wanted.
TEST(RunQuestions, OneThatTheAgentSettlesItselfKeepsNoOtherWaiting) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
say(asked("r1", "t1", "Bash", {"command":"ls"}), settled("t1"))
ask("r2", "t2", "Bash", {"command":"make"})
open("heard", "w").write(hear()["request_id"])
result("t2")
)" + kEnd);
  const Ended run = place.run({"--io", "jsonl", "go"}, answer("t2", "1"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), "r2");
}

// What it is asked it answers, what is not read it keeps: neither without end.
TEST(RunQuestions, AnAgentThatReadsNoResponsesIsEnded) {
  RunPlace place;
  place.script("claude", std::string(kBegin) + R"(
for n in range(100000):
    say({"type":"control_request","request_id":"r%d-%s" % (n, "x" * 1000),"request":{"subtype":"hook"}})
)" + kEnd);
  const Ended run = place.run({"--as", "json", "--no-record", "--no-store", "go"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, testing::HasSubstr("\"input_unread\"")) << run.err;
  EXPECT_EQ(verdict_in(run.out), "failed");
}

TEST(RunQuestions, TooManyAtOnceAreRefusedAndTheOthersAnswered) {
  RunPlace place;
  // In one write, so that none is answered before the last is asked.
  place.script("claude", std::string(kBegin) + R"(
import io
out, sys.stdout = sys.stdout, io.StringIO()
for n in range(300): ask("r%d" % n, "t%d" % n, "Bash", {"command":"ls"})
text, sys.stdout = sys.stdout.getvalue(), out
sys.stdout.write(text)
sys.stdout.flush()
heard = [hear() for _ in range(300)]
open("heard", "w").write(" ".join(h["request_id"] + ("=error" if h["subtype"] == "error" else "") for h in heard))
for n in range(300): result("t%d" % n)
)" + kEnd);
  std::string answers;
  std::string wanted;
  for (int i = 256; i < 300; ++i) wanted += "r" + std::to_string(i) + "=error ";
  for (int i = 0; i < 256; ++i) {
    answers += answer("t" + std::to_string(i), "1");
    wanted += "r" + std::to_string(i) + (i < 255 ? " " : "");
  }
  const Ended run = place.run({"--io", "jsonl", "go"}, answers);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place.work() / "heard"), wanted);
}

}  // namespace
}  // namespace dragoman::test
