// SPDX-License-Identifier: Apache-2.0
// Git and the agent: what changed, what is refused, what is asked, what is kept first.
#include <gmock/gmock.h>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Asks to run each command of the file `commands`, and notes the responses.
constexpr char kClaudeWithGit[] = R"(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
sid = "11111111-2222-4333-8444-555555555555"
sys.stdin.readline()
say({"type":"system","subtype":"init","session_id":sid,"cwd":".","model":"m"})
for i, command in enumerate(open("commands").read().splitlines()):
    use = {"type":"tool_use","id":"u%d"%i,"name":"Bash","input":{"command":command}}
    say({"type":"assistant","message":{"id":str(i),"role":"assistant","content":[use]},"session_id":sid})
    if not command.startswith("unasked:"):
        say({"type":"control_request","request_id":"r%d"%i,"request":{"subtype":"can_use_tool","tool_name":"Bash","input":use["input"],"tool_use_id":"u%d"%i,"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git *"}],"behavior":"allow","destination":"session"}]}})
        answer = json.loads(sys.stdin.readline())["response"]["response"]
        open("answers","a").write(answer["behavior"] + " " + (answer.get("message","") or " ".join(u["type"] for u in answer.get("updatedPermissions",[]))) + "\n")
    say({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u%d"%i,"content":"ok"}]},"session_id":sid})
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":sid})
sys.stdin.read()
)";

class GitAndTheAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (git("version").exit_code != 0) GTEST_SKIP() << "git is not installed";
    git("init -q -b main");
    write_file(place_.work() / "a.txt", "one\n");
    git("add -A");
    git("-c user.name=a -c user.email=a@b commit -q -m first");
    place_.script("claude", kClaudeWithGit);
  }
  Ended git(const std::string& words) const {
    Running run("/bin/sh", {.arguments = {"-c", "git " + words},
                            .directory = place_.work(),
                            .environment = {"HOME=" + place_.root().string()}});
    return run.wait();
  }
  Ended tool(std::vector<std::string> arguments) const {
    Start start = place_.start({});
    start.arguments = std::move(arguments);
    return dragoman(start);
  }
  json finished(const std::string& out) const { return events_in(out).back()["data"]; }

  RunPlace place_;
};

TEST_F(GitAndTheAgent, WhatDestroysWorkIsRefusedWithoutAskingAnybody) {
  write_file(place_.work() / "commands", "git reset --hard HEAD~1\n");
  const Ended run = place_.run({"--as", "json", "--no-input", "go"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(read_file(place_.work() / "answers"), HasSubstr("deny Denied: this destroys work"));
  EXPECT_THAT(run.out, HasSubstr("git_blocked"));
}

// It did not look at git at all: nothing was denied, and nobody said what had changed.
TEST_F(GitAndTheAgent, ARunThatIsNotRecordedIsGuardedAllTheSame) {
  write_file(place_.work() / "commands", "git reset --hard HEAD~1\n");
  const Ended run = place_.run({"--as", "json", "--no-input", "--no-record", "go"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("git_blocked"));
  EXPECT_EQ(finished(run.out)["git"]["files"][0]["path"], "answers");
}

TEST_F(GitAndTheAgent, ARiskyCommandIsAskedAndWhatItCouldLoseIsKeptFirst) {
  write_file(place_.work() / "commands", "git rebase -i HEAD~3\n");
  write_file(place_.work() / "a.txt", "not committed\n");
  const Ended unasked = place_.run({"--as", "json", "--no-input", "go"});
  EXPECT_EQ(unasked.exit_code, 4);
  const auto asked = of_kind(unasked.out, "question");
  ASSERT_FALSE(asked.empty());
  const std::string id = asked[0]["id"];
  EXPECT_THAT(git("branch").out, Not(HasSubstr("safety/")));
  const Ended run = place_.run({"--io", "jsonl", "go"},
                               R"({"type":"answer","id":")" + id + R"(","options":[1]})" + "\n");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place_.work() / "answers"), "allow \n");
  EXPECT_THAT(git("branch").out, HasSubstr("safety/rebase-"));
  const std::string refs = git("for-each-ref --format='%(refname)' refs/dragoman").out;
  ASSERT_THAT(refs, HasSubstr("refs/dragoman/checkpoints/"));
  EXPECT_EQ(git("show " + refs.substr(0, refs.find('\n')) + ":a.txt").out, "not committed\n");
  EXPECT_EQ(read_file(place_.work() / "a.txt"), "not committed\n");
}

// Allowed for the session, the next one would not be asked about.
TEST_F(GitAndTheAgent, ARiskyCommandIsAllowedForTheOneCallWhateverWasAnswered) {
  write_file(place_.work() / "commands", "git rebase -i HEAD~3\ngit fetch\n");
  const Ended run = place_.run({"--io", "jsonl", "go"},
                               "{\"type\":\"input\",\"answer\":\"session\"}\n"
                               "{\"type\":\"input\",\"answer\":\"session\"}\n");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(read_file(place_.work() / "answers"), "allow \nallow addRules\n");
  EXPECT_THAT(run.out, HasSubstr("git_allowed_once"));
  std::vector<std::string> decisions;
  for (const json& question : of_kind(run.out, "question")) {
    if (question.contains("decision")) decisions.push_back(question["decision"]);
  }
  EXPECT_THAT(decisions, testing::ElementsAre("allow_once", "allow_session"));
}

TEST_F(GitAndTheAgent, ARiskyCommandThatRanWithoutAskingIsReported) {
  write_file(place_.work() / "commands",
             "unasked: git push --force origin feature\necho harmless\n");
  place_.script("claude", kClaudeWithGit);
  const Ended run =
      place_.run({"--io", "jsonl", "go"}, R"({"type":"answer","id":"x","answer":"1"})");
  EXPECT_THAT(run.out, HasSubstr("git_unasked"));
  EXPECT_THAT(run.out, HasSubstr("force push"));
}

TEST_F(GitAndTheAgent, TheEndSaysWhatChanged) {
  write_file(place_.work() / "commands", "");
  const Ended run = place_.run({"--as", "json", "--git-changes", "--", "sh", "-c",
                                "echo two >> a.txt; echo new > b.txt; echo bye > c; rm c"});
  EXPECT_EQ(finished(run.out)["git"],
            json::parse(R"({"files":[{"path":"a.txt","action":"modified"},)"
                        R"({"path":"b.txt","action":"created"}],"lines_changed":2})"));
  EXPECT_FALSE(finished(place_.run({"--as", "json", "--", "true"}).out).contains("git"));
}

TEST_F(GitAndTheAgent, ATaskKnowsItsFilesAndArtifacts) {
  const Ended submitted =
      tool({"task", "submit", "--", "sh", "-c", "printf abc > b.txt; rm a.txt"});
  const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
  const json waited = json::parse(tool({"task", "wait", id, "--json"}).out);
  const json files = waited["data"]["metadata"]["file_operations"];
  EXPECT_EQ(files["added_files"], json::parse(R"(["b.txt"])"));
  EXPECT_EQ(files["deleted_files"], json::parse(R"(["a.txt"])"));
  EXPECT_EQ(files["lines_changed"], 2);
  EXPECT_EQ(waited["data"]["artifacts"],
            json::parse(R"([{"type":"file","ref":"b.txt","size":3,"sha256":)"
                        R"("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}])"));
  EXPECT_EQ(waited["data"]["summary"], "Added 1 file, deleted 1 file");
}

TEST_F(GitAndTheAgent, ATaskThatMayRewriteHistoryStartsBehindACheckpoint) {
  write_file(place_.work() / "commands", "");
  const Ended submitted = tool(
      {"task", "submit", "--agent", "claude", "--allow-destructive-git", "run git rebase main"});
  const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 0);
  EXPECT_THAT(git("branch").out, HasSubstr("safety/rebase-"));
  // The file `commands` was not committed.
  EXPECT_EQ(git("rev-parse -q --verify refs/dragoman/checkpoints/" + id).exit_code, 0);
}

TEST_F(GitAndTheAgent, ATimeoutSaysWhatThereWas) {
  for (const std::string clock : {"idle", "hard"}) {
    const Ended submitted =
        tool({"task", "submit", "--" + clock + "-timeout", "700ms", "--grace", "100ms", "--", "sh",
              "-c", "echo working on it; echo x > " + clock + ".txt; exec sleep 60"});
    const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
    const Ended ended = tool({"task", "wait", id, "--json"});
    EXPECT_EQ(ended.exit_code, 124);
    for (const Ended& answer : {ended, tool({"task", "results", id, "--json"})}) {
      const json data = json::parse(answer.out)["data"];
      EXPECT_EQ(data["state"], "timeout");
      const json context = data["metadata"]["error_context"];
      EXPECT_EQ(context["timeout_type"], clock);
      EXPECT_EQ(context["partial_results"]["last_output"], "working on it\n");
      // The agent's own, and not what we remark about it.
      const json events = context["partial_results"]["last_events"];
      ASSERT_EQ(events.size(), 1U) << events;
      EXPECT_EQ(events[0]["kind"], "text");
      EXPECT_EQ(data["metadata"]["file_operations"]["added_files"], json::array({clock + ".txt"}));
    }
  }
}

}  // namespace
}  // namespace dragoman::test
