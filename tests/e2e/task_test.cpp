// SPDX-License-Identifier: Apache-2.0
// Tasks through the real program: submitted, run in the background, found again.
#include <algorithm>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/schema/validator.hpp"
#include "tests/e2e/fake_agents.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TaskCommands : public testing::Test {
 protected:
  void SetUp() override {
    if (tool({"help", "run"}).exit_code != 0) GTEST_SKIP() << "this build has no command run";
  }
  // No runner may outlive the directory of its store.
  void TearDown() override {
    EXPECT_TRUE(eventually([&] {
      return tool({"task", "work"}).exit_code == 0 &&
             tool({"task", "status"}).out.starts_with("0 running, 0 queued");
    }));
  }

  Ended tool(std::vector<std::string> arguments) {
    return dragoman({.arguments = std::move(arguments),
                     .directory = directory_.path(),
                     .environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state").string(),
                                     "HOME=" + directory_.path().string(), "PATH=" + path_}});
  }
  std::string submit(const std::string& script) {
    std::string id = tool({"task", "submit", "--", "/bin/sh", "-c", script}).out;
    if (!id.empty()) id.pop_back();
    return id;
  }
  // The files that have these words.
  std::vector<std::string> files_with(const std::string& words) {
    return test::files_with(directory_.path(), words);
  }

  TempDir directory_;
  std::string path_ = "/usr/bin:/bin";
};

TEST_F(TaskCommands, ATaskIsSubmittedRunsAndIsFoundAgain) {
  const std::string id = submit("echo one; echo two");
  ASSERT_THAT(id, testing::MatchesRegex("r-[a-z2-7]+"));
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s", "--output"});
  EXPECT_EQ(waited.exit_code, 0) << waited.out << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("one\ntwo\n"));
  EXPECT_THAT(tool({"task", "status"}).out, HasSubstr(id));
  EXPECT_THAT(tool({"task", "list", "--grep", "echo"}).out, HasSubstr(id));
  EXPECT_THAT(tool({"task", "list", "--grep", "nothing-like-it"}).out, Not(HasSubstr(id)));
}

TEST_F(TaskCommands, ARunHasOneIdAndEveryCommandTakesItAndItsBeginningAndLast) {
  const std::string id = submit("echo one");
  const std::string task_id = "T-local-" + id.substr(2);
  const std::string beginning = id.substr(0, 9);
  EXPECT_EQ(tool({"task", "wait", "last", "--timeout", "60s"}).out, "completed: one\n");
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "state/runs" / id / "command.json"));
  for (const std::string& word : {id, task_id, beginning, id.substr(2), std::string("last")}) {
    EXPECT_THAT(tool({"task", "status", word}).out, HasSubstr("\n" + id + "  completed")) << word;
    EXPECT_EQ(tool({"task", "results", word}).out, "completed: one\n") << word;
    EXPECT_THAT(tool({"show", word}).out, testing::StartsWith("one\n")) << word;
    EXPECT_THAT(tool({"verdict", word}).out, testing::StartsWith("completed: ")) << word;
    EXPECT_THAT(tool({"replay", word, "--speed", "0"}).out, testing::StartsWith("one\n")) << word;
  }
  const auto listed = nlohmann::json::parse(tool({"task", "list", "--json"}).out);
  EXPECT_EQ(listed[0]["id"], id);
  EXPECT_EQ(listed[0]["task_id"], task_id);
  const auto recording = (directory_.path() / "state/runs" / id).string();
  EXPECT_THAT(tool({"show", recording}).out, testing::StartsWith("one\n"));
  EXPECT_THAT(read_file(recording + "/command.json"), HasSubstr("\"run\":\"" + id + "\""));
}

TEST_F(TaskCommands, WhatIsChangedByAnotherWordThanItsIdIsNamed) {
  const std::string id = submit("exec sleep 600");
  const Ended cancelled = tool({"task", "cancel", "last"});
  EXPECT_EQ(cancelled.exit_code, 0);
  EXPECT_EQ(cancelled.err, "dragoman: " + id + ": /bin/sh -c exec sleep 600\n");
  const Ended again = tool({"task", "cancel", "T-local-" + id.substr(2)});
  EXPECT_EQ(again.err, "");  // that is its id as well
}

TEST_F(TaskCommands, ABeginningOfSeveralIdsIsExitTwoWithAllOfThem) {
  // Of 33 ids two begin alike.
  std::map<char, std::string> first;
  std::string one;
  std::string other;
  while (other.empty()) {
    const std::string id = submit("true");
    const auto [known, fresh] = first.try_emplace(id[2], id);
    if (!fresh) one = known->second, other = id;
  }
  const Ended several = tool({"task", "results", one.substr(0, 3)});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, testing::StartsWith("dragoman: task: " + one.substr(0, 3) +
                                               " is the beginning of 2 ids:\n  "));
  EXPECT_THAT(several.err, HasSubstr("\n  " + one + " "));
  EXPECT_THAT(several.err, HasSubstr("\n  " + other + " "));
  EXPECT_EQ(tool({"show", one.substr(0, 3)}).exit_code, 2);
  EXPECT_EQ(tool({"task", "cancel", one.substr(0, 3)}).exit_code, 2);
  const Ended sent = tool({"send", one.substr(0, 3), "hello"});
  EXPECT_EQ(sent.exit_code, 2);
  EXPECT_THAT(sent.err,
              testing::AllOf(HasSubstr("\n  " + one + " "), HasSubstr("\n  " + other + " ")));
  EXPECT_EQ(tool({"interrupt", one.substr(0, 3)}).exit_code, 2);
}

// It was an error although the task was stored: who tried again had it done twice.
TEST_F(TaskCommands, ATaskThatNobodyCanStartOnIsStillHandedOver) {
  const auto lock = directory_.path() / "state" / "dragoman.db.runner";
  std::filesystem::create_directories(lock);
  const Ended submitted = tool({"task", "submit", "--", "/bin/sh", "-c", "echo done"});
  EXPECT_EQ(submitted.exit_code, 0);
  ASSERT_THAT(submitted.out, testing::StartsWith("r-"));
  EXPECT_EQ(submitted.err,
            "dragoman: warning: nobody works on the tasks that wait: lock " + lock.string() +
                ": Is a directory\n"
                "  hint: 'dragoman task work' does them; every 'dragoman task' command tries again "
                "to have them done\n");
  EXPECT_THAT(tool({"task", "list"}).out, HasSubstr("queued"));
  EXPECT_EQ(tool({"task", "work"}).exit_code, 125);
  std::filesystem::remove(lock);
  const std::string id = submitted.out.substr(0, submitted.out.size() - 1);
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 0);
}

TEST_F(TaskCommands, AFailedTaskSaysWhyAndCarriesItsOutput) {
  const std::string id = submit("echo trouble; exit 3");
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s"});
  EXPECT_EQ(waited.exit_code, 1) << waited.out << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("failed"));
  EXPECT_THAT(waited.out, HasSubstr("trouble"));
}

// Lines with markers were left out of it.
TEST_F(TaskCommands, TheOutputIsWhatTheAgentPrintedWhole) {
  write_file(directory_.path() / "words",
             "[PROGRESS] half\nplain words\n"
             "<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\"m\"} -->\n"
             "<!-- WXCODE:STATUS:{oops} -->\n[FILES_MODIFIED]\n- a.txt\n\nlast");
  const std::string id = submit("cat words; echo '[PROGRESS] trouble' >&2");
  tool({"task", "wait", id, "--timeout", "60s"});
  const Ended results = tool({"task", "results", id, "--output"});
  EXPECT_EQ(results.out.substr(results.out.find('\n') + 1),
            read_file(directory_.path() / "words") + "\n");
  EXPECT_EQ(results.err, "[PROGRESS] trouble\n");
}

TEST_F(TaskCommands, AWaitThatIsOverBeforeTheTaskIsNoSuccess) {
  const std::string id = submit("exec sleep 600");
  const Ended waited = tool({"task", "wait", id, "--timeout", "100ms"});
  EXPECT_EQ(waited.exit_code, 124) << waited.out << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("still running"));
  EXPECT_EQ(tool({"task", "cancel", id}).exit_code, 0);
}

TEST_F(TaskCommands, ATaskThatIsNotThereIsNoFailedTask) {
  for (const std::string part : {"status", "wait", "results", "cancel"}) {
    const Ended unknown = tool({"task", part, "T-local-unknown"});
    EXPECT_EQ(unknown.exit_code, 2) << part;
    EXPECT_EQ(unknown.err,
              "dragoman: task: no run T-local-unknown\n"
              "  hint: 'dragoman task list' shows the ids\n");
  }
  EXPECT_EQ(tool({"task", "clean", "--old", "soon"}).exit_code, 2);
}

TEST_F(TaskCommands, TheListSaysWhatWasToBeDoneAndWhatCameOfIt) {
  EXPECT_EQ(tool({"task", "list"}).err, "dragoman: no task\n");
  const std::string id = submit("exit 3");
  tool({"task", "wait", id, "--timeout", "60s"});
  EXPECT_THAT(
      tool({"task", "list"}).out,
      testing::MatchesRegex(id + "  failed      *(now|[0-9]+s)  command   /bin/sh -c exit 3 → Task "
                                 "failed: the agent ended with exit code 3\n"));
}

TEST_F(TaskCommands, CancelKillsAndStays) {
  const std::string pid_file = directory_.path() / "pid";
  const std::string id = submit("echo $$ > " + pid_file + "; exec sleep 600");
  ASSERT_TRUE(eventually(
      [&] { return std::filesystem::exists(pid_file) && !read_file(pid_file).empty(); }));
  const std::string pid = read_file(pid_file).substr(0, read_file(pid_file).find('\n'));
  const Ended cancelled = tool({"task", "cancel", id, "--reason", "enough"});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.err;
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists("/proc/" + pid); }));
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "1s"}).out,
            "cancelled: Task cancelled: enough\n");
}

TEST_F(TaskCommands, StatusShowsTheLastLinesOfWhatRunsWhereItIsAskedTo) {
  const std::string id = submit("echo one; echo two; exec sleep 600");
  ASSERT_TRUE(eventually([&] {
    return tool({"task", "status", "--verbose"}).out.find("  one\n  two\n") != std::string::npos;
  })) << tool({"task", "status", "--verbose"}).out;
  EXPECT_THAT(tool({"task", "status"}).out, Not(HasSubstr("  one\n")));
  EXPECT_EQ(tool({"task", "cancel", id}).exit_code, 0);
}

// `run` did, `task submit` took Claude.
TEST_F(TaskCommands, TheAgentOfTheSettingsIsTaken) {
  write_file(directory_.path() / "config.toml", "[run]\nagent = \"executor\"\n");
  const std::string file = directory_.path() / "config.toml";
  EXPECT_THAT(tool({"task", "submit", "--config", file, "mend it"}).err,
              HasSubstr("--agent executor: the executor is called as"));
}

// They were those of `run` alone: a task had twenty minutes, whatever the settings said.
TEST_F(TaskCommands, TheLimitsOfTheSettingsHold) {
  write_file(directory_.path() / "config.toml", "[run]\nhard_timeout = \"100ms\"\n");
  const std::string file = directory_.path() / "config.toml";
  std::string id = tool({"task", "submit", "--config", file, "--", "sleep", "60"}).out;
  id.pop_back();
  EXPECT_EQ(tool({"task", "wait", id}).exit_code, 124);
  id = tool({"task", "submit", "--config", file, "--hard-timeout", "1h", "--", "sleep", "0.3"}).out;
  id.pop_back();
  EXPECT_EQ(tool({"task", "wait", id}).exit_code, 0);
}

TEST_F(TaskCommands, TheListForProgramsSaysWhatWasToBeDone) {
  const std::string id = submit("kill -9 $$");
  tool({"task", "wait", id, "--timeout", "60s"});
  const auto listed = nlohmann::json::parse(tool({"task", "list", "--json"}).out);
  EXPECT_EQ(listed[0]["title"], "/bin/sh -c kill -9 $$");
  EXPECT_EQ(listed[0]["summary"], "Task failed: the agent was ended by signal 9");
}

// It counted in whole hours: half of one was none, and whatever had ended was deleted.
TEST_F(TaskCommands, CleanLeavesWhatEndedLaterThanItsAge) {
  const std::string id = submit("true");
  tool({"task", "wait", id, "--timeout", "60s"});
  EXPECT_EQ(tool({"task", "clean", "--old", "59m"}).out,
            "Cleaned 0 stuck tasks, deleted 0 old tasks\n");
  EXPECT_THAT(tool({"task", "clean", "--old", "59m", "--json"}).out,
              HasSubstr(R"("old_threshold_hours":1)"));
  EXPECT_THAT(tool({"task", "list"}).out, HasSubstr(id));
}

TEST_F(TaskCommands, EnvelopesAreValid) {
  const std::string id = submit("echo hello");
  tool({"task", "wait", id, "--timeout", "60s"});
  const auto validate = [](const std::string& name, const std::string& text) {
    const auto validator = schema::Validator::with_id("codex/v3.6/" + name + "/v1");
    ASSERT_TRUE(validator) << validator.error().message;
    EXPECT_EQ(verdict(*validator, text), "") << text;
  };
  validate("execution_ack", tool({"task", "submit", "--json", "--", "true"}).out);
  validate("wait_result", tool({"task", "wait", id, "--json"}).out);
  validate("result_set", tool({"task", "results", id, "--json", "--events"}).out);
  validate("status_snapshot", tool({"task", "status", "--json"}).out);
  validate("registry_info", tool({"task", "clean", "--dry-run", "--json"}).out);
  validate("registry_info", tool({"task", "cancel", id, "--json"}).out);
  EXPECT_THAT(tool({"task", "results", "T-local-unknown", "--json"}).out,
              HasSubstr(R"("code":"NOT_FOUND")"));
  EXPECT_THAT(tool({"task", "submit", "--json", "git reset --hard"}).out,
              HasSubstr(R"("reason":"git_blocked")"));
}

TEST_F(TaskCommands, NoSecretIsKeptRaw) {
  // Made here, so that no scanner takes them for real ones.
  const std::vector<std::string> canaries = {
      "sk-ant-" + std::string("api03-") + std::string(40, 'C'), "ghp_" + std::string(36, 'D'),
      "AKIA" + std::string(16, 'E')};
  std::string script;
  for (const auto& canary : canaries) {
    const std::string half = canary.substr(0, canary.size() / 2);
    script += "printf %s " + half + "; sleep 0.05; echo " + canary.substr(half.size()) + ";";
  }
  write_file(directory_.path() / "script", script);
  const std::string id = submit(". " + (directory_.path() / "script").string());
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s", "--output", "--json"});
  std::filesystem::remove(directory_.path() / "script");
  EXPECT_THAT(waited.out, HasSubstr("[REDACTED:"));
  for (const auto& canary : canaries) {
    EXPECT_THAT(files_with(canary), IsEmpty()) << canary;
    EXPECT_EQ(waited.out.find(canary), std::string::npos) << canary;
  }
}

TEST_F(TaskCommands, ATaskIsResumedByItsId) {
  const std::string bin = directory_.path() / "bin";
  std::filesystem::create_directories(bin);
  write_file(bin + "/codex", R"(#!/bin/sh
echo "$*" >> calls; cat >> calls; echo >> calls
echo '{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
)");
  std::filesystem::permissions(bin + "/codex", std::filesystem::perms::owner_all);
  const auto codex = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"task", "submit"});
    std::string id =
        dragoman({.arguments = words,
                  .directory = directory_.path(),
                  .environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state").string(),
                                  "HOME=" + directory_.path().string(),
                                  "PATH=" + bin + ":/usr/bin:/bin"}})
            .out;
    return id.substr(0, id.find('\n'));
  };
  const std::string first = codex({"--agent", "codex", "--sandbox", "workspace-write", "one"});
  ASSERT_EQ(tool({"task", "wait", first, "--timeout", "60s"}).exit_code, 0);
  const std::string second = codex({"--resume", first, "two"});
  ASSERT_THAT(second, testing::StartsWith("r-"));
  EXPECT_EQ(tool({"task", "wait", second, "--timeout", "60s"}).exit_code, 0);
  const std::string calls = read_file(directory_.path() / "calls");
  EXPECT_THAT(calls, HasSubstr("resume 01a1e0cc-1d02-7023-8251-bb6257d0d124"));
  EXPECT_THAT(calls.substr(calls.find("resume")), HasSubstr("two"));
  EXPECT_THAT(calls.substr(calls.find("one")), HasSubstr("workspace-write"));
}

TEST_F(TaskCommands, AnExecutorIsCalledAgainWithTheAnswerAsOftenAsItAsks) {
  const std::string executor = directory_.path() / "executor.sh";
  write_file(executor,
             "#!/bin/sh\n"
             "case \"$2\" in\n"
             "  *Answer:*Answer:*) echo \"$2\" > heard; echo '[CODEX_COMPLETE] Task completed';;\n"
             "  *Answer:*) printf '[QUESTION] What name?\\n';;\n"
             "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
             "esac\n");
  std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
  std::string id = tool({"task", "submit", "--agent", "executor", "--", executor, "t-1", "it"}).out;
  id = id.substr(0, id.find('\n'));
  for (const auto& [question, answer] : {std::pair{"Which store?", "2"}, {"What name?", "Anna"}}) {
    std::string listed;
    ASSERT_TRUE(eventually([&] {
      listed = tool({"ask", "list"}).out;
      return listed.find(question) != std::string::npos;
    })) << tool({"task", "results", id, "--json"}).out;
    EXPECT_EQ(tool({"answer", listed.substr(0, listed.find(' ')), answer}).exit_code, 0);
  }
  ASSERT_TRUE(eventually([&] {
    return tool({"task", "status", id}).out.starts_with("0 running, 0 queued");
  }));
  EXPECT_EQ(tool({"task", "wait", id}).exit_code, 0);
  EXPECT_EQ(read_file(directory_.path() / "heard"),
            "it Answer: Use option 2 (Postgres) Answer: Anna\n");
}

// In the same words, and printed with pauses: each asking is a question of its own, and each answer
// is handed over once.
TEST_F(TaskCommands, WhatAnExecutorAsksAgainAfterItsAnswerIsAnotherQuestion) {
  const std::string executor = directory_.path() / "executor.sh";
  write_file(executor, R"(#!/bin/sh
case "$2" in
  *Answer:*Answer:*Answer:*) echo "$2" > heard; echo '[CODEX_COMPLETE] Task completed';;
  *) printf '[QUESTION] Again?\n1. a\n'; sleep 0.5; printf '2. b\n'; sleep 0.5; printf '3. c\n';;
esac
)");
  std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
  std::string id = tool({"task", "submit", "--agent", "executor", "--", executor, "t-1", "it"}).out;
  id = id.substr(0, id.find('\n'));
  std::string first;
  for (const std::string answer : {"one", "two", "three"}) {
    std::string question;
    ASSERT_TRUE(eventually([&] {
      const std::string listed = tool({"ask", "list"}).out;
      question = listed.substr(0, listed.find(' '));
      return !listed.empty();
    })) << tool({"task", "results", id, "--json"}).out;
    if (first.empty()) first = question;
    EXPECT_EQ(question, answer == "one" ? first : first + (answer == "two" ? ".2" : ".3"));
    EXPECT_EQ(tool({"answer", question, answer}).exit_code, 0);
    EXPECT_NE(tool({"answer", question, "late"}).exit_code, 0);
  }
  ASSERT_TRUE(eventually([&] {
    return tool({"task", "status", id}).out.starts_with("0 running, 0 queued");
  }));
  EXPECT_EQ(tool({"task", "wait", id}).exit_code, 0);
  EXPECT_EQ(read_file(directory_.path() / "heard"), "it Answer: one Answer: two Answer: three\n");
}

// An agent may write to the directory of its recording, and its user may read more than others
// are to be shown.
TEST_F(TaskCommands, ALinkInARecordingIsNotFollowed) {
  std::filesystem::create_directory(directory_.path() / "secret");
  write_file(directory_.path() / "secret" / "stdout", "nobody's business");
  const std::string id = submit("echo mine");
  ASSERT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 0);
  const auto recording = directory_.path() / "state" / "runs" / id;
  ASSERT_TRUE(std::filesystem::exists(recording / "stdout")) << recording;
  std::filesystem::create_directory_symlink(directory_.path() / "secret",
                                            recording / (id + "-start-2"));
  EXPECT_THAT(tool({"task", "results", id, "--output"}).out, Not(HasSubstr("business")));
  std::filesystem::remove(recording / "stdout");
  std::filesystem::create_symlink(directory_.path() / "secret" / "stdout", recording / "stdout");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"task", "results", id, "--output"},
        {"task", "results", id, "--output", "--json"},
        {"replay", recording.string()}}) {
    const Ended ended = tool(words);
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("business"))) << words[0];
  }
  std::filesystem::remove_all(recording);
  std::filesystem::create_directory_symlink(directory_.path() / "secret", recording);
  EXPECT_THAT(tool({"task", "results", id, "--output"}).out, Not(HasSubstr("business")));
}

TEST_F(TaskCommands, NothingOfATaskCanHideInWhatIsListed) {
  const std::string arabic = "\xd8\x9c";       // U+061C
  const std::string tag = "\xf3\xa0\x81\x81";  // U+E0041
  const std::string id = submit("echo 'a" + arabic + "b" + tag + "c'");
  (void)tool({"task", "wait", id, "--timeout", "60s"});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"task", "list"},
                                                {"task", "results", id, "--output"},
                                                {"task", "wait", id, "--output"}}) {
    const Ended ended = tool(words);
    EXPECT_THAT(ended.out, HasSubstr("a b c")) << words[1];
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(arabic)));
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(tag)));
  }
}

// A permission that is asked for in a conversation can be given in that conversation alone.
TEST_F(TaskCommands, WhatSomebodyAllowsIsAllowedToTheAgentThatAskedAndStillWaits) {
  const auto bin = directory_.path() / "bin";
  std::filesystem::create_directory(bin);
  write_file(bin / "claude", R"(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
sys.stdin.readline()
say({"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","cwd":".","model":"m"})
say({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1","input":{"command":"make install"}}})
open("heard", "w").write(json.loads(sys.stdin.readline())["response"]["response"]["behavior"])
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"11111111-2222-4333-8444-555555555555"})
sys.stdin.read()
)");
  std::filesystem::permissions(bin / "claude", std::filesystem::perms::owner_all);
  const auto with_claude = [&](std::vector<std::string> words) {
    return dragoman({.arguments = std::move(words),
                     .directory = directory_.path(),
                     .environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state").string(),
                                     "HOME=" + directory_.path().string(),
                                     "PATH=" + bin.string() + ":/usr/bin:/bin"}});
  };
  std::string id = with_claude({"task", "submit", "--agent", "claude", "install it"}).out;
  id = id.substr(0, id.find('\n'));
  std::string listed;
  ASSERT_TRUE(eventually([&] {
    listed = tool({"ask", "list"}).out;
    return !listed.empty();
  })) << tool({"task", "results", id, "--json"}).out;
  EXPECT_THAT(listed, HasSubstr("1 Allow"));
  EXPECT_THAT(listed, HasSubstr("run " + id + ", since now"));
  const std::string question = listed.substr(0, listed.find(' '));
  EXPECT_THAT(tool({"task", "status"}).out, HasSubstr("dragoman answer " + question + " VALUE"));
  EXPECT_THAT(tool({"task", "list"}).out, HasSubstr("dragoman answer " + question + " VALUE"));
  EXPECT_EQ(tool({"answer", question, "1"}).exit_code, 0);
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 0);
  EXPECT_EQ(read_file(directory_.path() / "heard"), "allow");
}

TEST_F(TaskCommands, OptionsThatMeanNothingToTheAgentAreRefusedBeforeTheTaskIsStored) {
  const Ended ended = tool({"task", "submit", "--model", "x", "--", "true"});
  EXPECT_EQ(ended.exit_code, 2) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("--model has no meaning for --agent command"));
  EXPECT_EQ(tool({"task", "list"}).out, "");
}

TEST_F(TaskCommands, AnExecutorIsNotAskedToDestroyWork) {
  const Ended ended = tool(
      {"task", "submit", "--agent", "executor", "--", "/bin/true", "t", "Run git reset --hard"});
  EXPECT_EQ(ended.exit_code, 3) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("reset --hard"));
}

// The runner was started by another call, which had another one.
TEST_F(TaskCommands, AVariableHasTheValueOfWhoSubmitted) {
  const auto submit_with = [&](const std::string& value, const std::string& script) {
    std::string id =
        dragoman({.arguments = {"task", "submit", "--env", "FOO", "--", "/bin/sh", "-c", script},
                  .directory = directory_.path(),
                  .environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state").string(),
                                  "HOME=" + directory_.path().string(), "FOO=" + value}})
            .out;
    if (!id.empty()) id.pop_back();
    return id;
  };
  const std::string first = submit_with("one", "until [ -e go ]; do sleep 0.02; done");
  const std::string second = submit_with("two", "echo foo=$FOO; touch go");
  EXPECT_THAT(tool({"task", "wait", second, "--timeout", "60s", "--output"}).out,
              HasSubstr("foo=two"));
  EXPECT_EQ(tool({"task", "wait", first, "--timeout", "60s"}).exit_code, 0);
}

TEST_F(TaskCommands, TheSummaryHasNoColours) {
  const std::string id = submit("printf '\\033[1;32mAll tests passed\\033[0m\\n'");
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).out.substr(0, 27),
            "completed: All tests passed");
}

TEST_F(TaskCommands, AKeyGivenAsAnAnswerReachesTheAgentAndIsKeptNowhere) {
  const std::string executor = directory_.path() / "executor.sh";
  write_file(executor,
             "#!/bin/sh\n"
             "case \"$2\" in\n"
             "  *Answer:*) echo \"$2\" > heard; echo '[CODEX_COMPLETE] Task completed';;\n"
             "  *) printf '[QUESTION] Which key?\\n';;\n"
             "esac\n");
  std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
  std::string id = tool({"task", "submit", "--agent", "executor", "--", executor, "t-1", "it"}).out;
  id = id.substr(0, id.find('\n'));
  std::string listed;
  ASSERT_TRUE(eventually([&] {
    listed = tool({"ask", "list"}).out;
    return listed.find("Which key?") != std::string::npos;
  }));
  const std::string key = "ghp" + ("_" + std::string(36, 'K'));
  const Ended told = tool({"answer", listed.substr(0, listed.find(' ')), key});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out + told.err, Not(HasSubstr(key)));
  ASSERT_TRUE(eventually([&] { return tool({"task", "wait", id}).exit_code == 0; }));
  EXPECT_EQ(read_file(directory_.path() / "heard"), "it Answer: " + key + "\n");
  std::filesystem::remove(directory_.path() / "heard");
  EXPECT_THAT(files_with(key), IsEmpty());
  EXPECT_THAT(tool({"task", "results", id, "--output", "--json"}).out, Not(HasSubstr(key)));
}

// No rule of the redaction knows these words: the question says what they are.
TEST_F(TaskCommands, AnAnswerToASecretQuestionReachesTheAgentAndIsKeptNowhere) {
  const std::string bin = directory_.path() / "bin";
  std::filesystem::create_directories(bin);
  write_file(bin + "/codex", kCodexAsksForAPassword);
  std::filesystem::permissions(bin + "/codex", std::filesystem::perms::owner_all);
  path_ = bin + ":/usr/bin:/bin";
  std::string id = tool({"task", "submit", "--agent", "codex", "go"}).out;
  id = id.substr(0, id.find('\n'));
  std::string listed;
  ASSERT_TRUE(eventually([&] {
    listed = tool({"ask", "list"}).out;
    return listed.find("Which password?") != std::string::npos;
  }));
  EXPECT_EQ(tool({"answer", listed.substr(0, listed.find(' ')), "open sesame"}).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return tool({"task", "wait", id}).exit_code == 0; }));
  EXPECT_EQ(read_file(directory_.path() / "heard"), "open sesame\n");
  std::filesystem::remove(directory_.path() / "heard");
  EXPECT_THAT(files_with("sesame"), IsEmpty());
}

TEST_F(TaskCommands, TheRunnerInTheBackgroundHasTheConfigurationOfWhoSubmitted) {
  const std::string program = directory_.path() / "surface.sh";
  write_file(program, "#!/bin/sh\necho 2\n");
  const std::string executor = directory_.path() / "executor.sh";
  write_file(executor,
             "#!/bin/sh\n"
             "case \"$2\" in\n"
             "  *Answer:*) echo \"$2\" > heard; echo '[CODEX_COMPLETE] Task completed';;\n"
             "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
             "esac\n");
  for (const auto& file : {program, executor})
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  write_file(directory_.path() / "mine.toml",
             "[surface.script]\nkind = \"command\"\ncommand = [\"" + program + "\"]\n");
  std::string id = tool({"task", "submit", "--config", "mine.toml", "--agent", "executor", "--",
                         executor, "t-1", "it"})
                       .out;
  id = id.substr(0, id.find('\n'));
  ASSERT_TRUE(eventually([&] { return tool({"task", "wait", id}).exit_code == 0; }));
  EXPECT_EQ(read_file(directory_.path() / "heard"), "it Answer: Use option 2 (Postgres)\n");
}

TEST_F(TaskCommands, ASecretVariableReachesTheAgentAndNoListOfProcesses) {
  const std::string secret = "very-secret-" + std::string(20, 'v');
  std::string id = tool({"task", "submit", "--env", "CANARY_TOKEN=" + secret, "--", "/bin/sh", "-c",
                         "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' > processes 2>/dev/null;"
                         "printf %s \"$CANARY_TOKEN\" > told"})
                       .out;
  id = id.substr(0, id.find('\n'));
  EXPECT_EQ(tool({"task", "wait", id, "--timeout", "60s"}).exit_code, 0);
  EXPECT_EQ(read_file(directory_.path() / "told"), secret);
  EXPECT_THAT(read_file(directory_.path() / "processes"), HasSubstr("CANARY_TOKEN"));
  EXPECT_EQ(read_file(directory_.path() / "processes").find(secret), std::string::npos);
  std::filesystem::remove(directory_.path() / "told");
  EXPECT_THAT(files_with(secret), IsEmpty());
}

}  // namespace
}  // namespace dragoman::test
