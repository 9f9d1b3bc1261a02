// SPDX-License-Identifier: Apache-2.0
// The delegation tools with the program's own runner and a stand-in for codex that has the real
// command line's rules. Tests with a number are what the incumbent server gets wrong.
#include <signal.h>

#include <algorithm>
#include <set>

#include "dragoman/task/runner.hpp"
#include "tests/mcp/tools_support.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Delegation : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(place_.work() / ".git"); }
  // No runner may outlive the directory of its store.
  void TearDown() override {
    for (const auto& task : value_of(place_.service().list({.states = {"queued", "working"}})))
      (void)place_.service().cancel(task.id, "the test is over");
    EXPECT_TRUE(eventually([&] { return !task::runner_lives(place_.store() + ".runner"); }));
  }

  Result<void> wake() { return start_runner(); }
  Result<void> start_runner() {
    std::vector<std::string> words = {"/usr/bin/env", "-i"};
    for (const auto& each : place_.environment()) words.push_back(each);
    for (const auto& each : more_environment_) words.push_back(each);
    words.insert(words.end(), {dragoman_program().string(), "task", "work", "--store",
                               "sqlite:" + place_.store()});
    words.insert(words.begin() + 2, "CODEX_MAX_CONCURRENCY=2");
    words.insert(words.begin() + 2, "DRAGOMAN_STATE_DIR=" + (place_.home() / "state").string());
    return task::start_detached(words);
  }

  std::string start(const std::string& tool, const std::string& task, json more = json::object()) {
    more["task"] = task;
    const Answer ack = place_.call(tool, more);
    EXPECT_FALSE(ack.is_error) << ack.text;
    return ack.is_error ? "" : ack.envelope["data"]["task_id"].get<std::string>();
  }
  json wait(const std::string& id) {
    return place_.call("_codex_local_wait", {{"task_id", id}, {"timeout_sec", 120}})
        .envelope["data"];
  }
  std::vector<json> calls() {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::exists(place_.home() / "calls")) return {};
    for (const auto& entry : std::filesystem::directory_iterator(place_.home() / "calls")) {
      if (!entry.path().filename().string().starts_with(".")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<json> all;
    for (const auto& file : files) all.push_back(json::parse(read_file(file)));
    return all;
  }

  std::vector<std::string> more_environment_;
  ToolPlace place_{[this] { return wake(); }};
};

TEST_F(Delegation, N04_AResumedTaskIsRegistered) {
  const std::string first = start("_codex_local_exec", "COMMAND");
  const std::string thread = wait(first)["metadata"]["thread_info"]["thread_id"];
  const std::string second = start("_codex_local_resume", "SLEEP 60", {{"threadId", thread}});
  EXPECT_NE(first, second);
  EXPECT_FALSE(place_.call("_codex_local_status", {{"task_id", second}}).is_error);
  EXPECT_FALSE(place_.call("_codex_local_results", {{"task_id", second}}).is_error);
  EXPECT_FALSE(place_.call("_codex_local_cancel", {{"task_id", second}}).is_error);
  EXPECT_EQ(wait(second)["state"], "cancelled");
}

TEST_F(Delegation, N05_AnAsyncTaskWhoseAgentFailedIsFailed) {
  const std::string id = start("_codex_local_run", "TURN_FAILED");
  const json data = wait(id);
  EXPECT_EQ(data["state"], "failed");
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("the model is not available"));
  EXPECT_EQ(data["output"]["included"], true);
}

TEST_F(Delegation, N08_ATimedOutAgentIsDeadWithItsChildrenBeforeItsSlotIsFree) {
  const std::string id =
      start("_codex_local_exec", "HANG", {{"hard_timeout_sec", 2}, {"kill_grace_sec", 0}});
  const json data = wait(id);
  EXPECT_EQ(data["state"], "timeout");
  EXPECT_EQ(data["summary"], "Task exceeded hard timeout (2 seconds total)");
  const pid_t child = std::stoi(read_file(place_.home() / "child"));
  EXPECT_NE(::kill(child, 0), 0) << "the child that left the group still lives";
  for (const json& call : calls()) EXPECT_NE(::kill(call["pid"].get<pid_t>(), 0), 0);
}

TEST_F(Delegation, N09_CancelKills) {
  const std::string id = start("_codex_local_exec", "HANG", {{"kill_grace_sec", 0}});
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(place_.home() / "child") &&
           !read_file(place_.home() / "child").empty();
  }));
  EXPECT_FALSE(
      place_.call("_codex_local_cancel", {{"task_id", id}, {"reason", "enough"}}).is_error);
  const pid_t child = std::stoi(read_file(place_.home() / "child"));
  EXPECT_TRUE(eventually([&] { return ::kill(child, 0) != 0; }));
  EXPECT_EQ(wait(id)["state"], "cancelled");
}

TEST_F(Delegation, N11_AResumedTaskKeepsTheSandboxThatWasAskedFor) {
  const std::string first = start("_codex_local_exec", "x");
  EXPECT_EQ(wait(first)["state"], "completed");
  const std::string refused = start("_codex_local_resume", "WRITE", {{"task_id", first}});
  EXPECT_EQ(wait(refused)["state"], "failed");  // read-only
  const std::string second =
      start("_codex_local_resume", "WRITE", {{"task_id", first}, {"mode", "workspace-write"}});
  const json data = wait(second);
  EXPECT_EQ(data["state"], "completed") << data.dump(1);
  EXPECT_TRUE(std::filesystem::exists(place_.work() / "made.txt"));
  const json argv = calls().back()["argv"];
  EXPECT_LT(std::find(argv.begin(), argv.end(), "--sandbox"),
            std::find(argv.begin(), argv.end(), "resume"));
}

TEST_F(Delegation, N15_FilesCommandsAndTestsComeFromRealEvents) {
  const std::string id = start("_codex_local_exec", "WRITE COMMAND", {{"mode", "workspace-write"}});
  const json data = wait(id);
  EXPECT_EQ(data["metadata"]["file_operations"]["added_files"], json::array({"made.txt"}));
  EXPECT_EQ(data["metadata"]["test_results"]["passed"], 47);
  EXPECT_EQ(data["metadata"]["thread_info"]["cache_hit_rate"], 0.93);
  EXPECT_THAT(data["summary"].get<std::string>(), HasSubstr("47 tests passed"));
  const Answer results = place_.call("_codex_local_results", {{"task_id", id}});
  EXPECT_THAT(results.text, HasSubstr("Files: made.txt (new)\n"));
  EXPECT_THAT(results.text, HasSubstr("Tests: 47 passed, 0 failed, 0 skipped\n"));
  EXPECT_THAT(results.text, HasSubstr("Tokens: 12000 in (93 % cached), 3500 out\n"));
}

TEST_F(Delegation, N16_TheOutputSchemaReachesTheAgentAsAFile) {
  const json schema = {{"type", "object"}, {"properties", {{"answer", {{"type", "integer"}}}}}};
  const std::string id = start("_codex_local_exec", "x", {{"output_schema", schema}});
  EXPECT_EQ(wait(id)["state"], "completed");
  const std::vector<std::string> argv = calls().back()["argv"];
  const auto option = std::find(argv.begin(), argv.end(), "--output-schema");
  ASSERT_NE(option, argv.end());
  EXPECT_EQ(json::parse(read_file(*(option + 1))), schema);
}

TEST_F(Delegation, N21_SecretsOfFailedTasksAreRedactedEverywhere) {
  const std::string canary = "sk-proj-" + std::string("A1b2A1b2");
  const Answer answer = place_.call("_codex_local_exec", {{"task", "LEAK"}, {"async", false}});
  EXPECT_TRUE(answer.is_error);
  EXPECT_EQ(answer.envelope.dump().find(canary), std::string::npos);
  EXPECT_EQ(answer.text.find(canary), std::string::npos);
  const std::string id = answer.envelope["error"]["details"]["task_id"];
  const Answer results =
      place_.call("_codex_local_results", {{"task_id", id}, {"include_events", true}});
  EXPECT_EQ(results.envelope.dump().find(canary), std::string::npos);
  EXPECT_EQ(results.text.find(canary), std::string::npos);
  EXPECT_THAT(results.envelope.dump(), HasSubstr("[REDACTED:"));
}

TEST_F(Delegation, N22_ExecAndResumeObeyTheConcurrencyLimit) {
  const std::string first = start("_codex_local_exec", "x");
  wait(first);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(start("_codex_local_exec", "SLEEP 1"));
    ids.push_back(start("_codex_local_resume", "SLEEP 1", {{"task_id", first}}));
  }
  std::size_t most = 0;
  EXPECT_TRUE(eventually(
      [&] {
        const json summary = place_.call("_codex_local_status").envelope["data"]["summary"];
        most = std::max(most, summary["running"].get<std::size_t>());
        return summary["recently_completed"] == 7;
      },
      std::chrono::seconds(120)));
  EXPECT_LE(most, 2U);
  for (const auto& id : ids) EXPECT_EQ(wait(id)["state"], "completed");
}

TEST_F(Delegation, N26_PromptsArriveByteForByteAndNotInTheArguments) {
  std::string large;
  for (int i = 0; large.size() < 1024 * 1024 - 8; ++i) large += "line " + std::to_string(i) + "\n";
  const std::vector<std::string> prompts = {"--dangerously-bypass-approvals-and-sandbox", "-",
                                            "$(touch /tmp/x); `id` && \"'\\ é \xF0\x9F\x98\x80",
                                            large};
  for (const std::string& prompt : prompts) {
    const std::string id = start("_codex_local_exec", prompt);
    EXPECT_EQ(wait(id)["state"], "completed");
    const json call = calls().back();
    EXPECT_TRUE(call["stdin"] == prompt);
    EXPECT_EQ(call["argv"], json::array({"exec", "--json", "--sandbox", "read-only", "-"}));
  }
}

TEST_F(Delegation, N27_AnEndWithoutATerminalEventIsIncomplete) {
  for (const char* prompt : {"NO_EVENT", "NO_END"}) {
    const Answer answer = place_.call("_codex_local_exec", {{"task", prompt}, {"async", false}});
    EXPECT_EQ(answer.code(), "TOOL_ERROR") << prompt;
    EXPECT_EQ(answer.reason(), "incomplete") << prompt;
  }
  EXPECT_EQ(wait(start("_codex_local_exec", "NOTHING"))["state"], "completed");
}

TEST_F(Delegation, N28_TwoRunnersNeverRunOneTaskTwice) {
  std::vector<std::string> ids;
  for (int i = 0; i < 8; ++i) {
    ids.push_back(start("_codex_local_exec", "number " + std::to_string(i) + " SLEEP 0.1"));
    EXPECT_TRUE(start_runner());
  }
  for (const auto& id : ids) EXPECT_EQ(wait(id)["state"], "completed");
  std::multiset<std::string> seen;
  for (const json& call : calls()) seen.insert(call["stdin"].get<std::string>());
  EXPECT_EQ(seen.size(), 8U);
  for (const auto& prompt : seen) EXPECT_EQ(seen.count(prompt), 1U) << prompt;
}

TEST_F(Delegation, N30_TheEnvironmentOfATaskIsTheDeclaredOne) {
  more_environment_ = {"VIRTUAL_ENV=/opt/venv",
                       "GITHUB_TOKEN=abcdefghijklm",
                       "CLAUDECODE=1",
                       "CLAUDE_CODE_ENTRYPOINT=cli",
                       "DATABASE_URL=postgres://x",
                       "OPENAI_API_KEY=key-of-the-agent",
                       "MY_VAR=mine"};
  wait(start("_codex_local_exec", "x"));
  json environment = calls().back()["environment"];
  for (const char* name : {"VIRTUAL_ENV", "GITHUB_TOKEN", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT",
                           "DATABASE_URL", "MY_VAR"})
    EXPECT_FALSE(environment.contains(name)) << name;
  EXPECT_EQ(environment["OPENAI_API_KEY"], "key-of-the-agent");
  EXPECT_TRUE(environment.contains("PATH"));
  wait(start("_codex_local_exec", "x",
             {{"env_policy", "allow-list"}, {"env_allow_list", {"MY_VAR"}}}));
  environment = calls().back()["environment"];
  EXPECT_EQ(environment["MY_VAR"], "mine");
  EXPECT_FALSE(environment.contains("DATABASE_URL"));
}

TEST_F(Delegation, AStartThatFailsAtOnceSaysWhy) {
  std::filesystem::remove_all(place_.work() / ".git");
  const Answer answer = place_.call("_codex_local_exec", {{"task", "x"}, {"async", false}});
  EXPECT_EQ(answer.code(), "TOOL_ERROR");
  EXPECT_EQ(answer.reason(), "not_a_git_repo");
  EXPECT_FALSE(place_
                   .call("_codex_local_exec",
                         {{"task", "x"}, {"async", false}, {"skip_git_repo_check", true}})
                   .is_error);
}

TEST_F(Delegation, AnUnknownThreadIsNotFound) {
  const Answer answer = place_.call(
      "_codex_local_resume",
      {{"task", "x"}, {"async", false}, {"thread_id", "0199a213-81c0-7800-8aa1-bbab2a035a53"}});
  EXPECT_EQ(answer.code(), "NOT_FOUND");
  EXPECT_EQ(answer.reason(), "session_expired");
}

TEST_F(Delegation, ATaskThatAsksIsAnsweredAndGoesOn) {
  const std::string id = start("_codex_local_exec", "ASK");
  const json asking = wait(id);
  ASSERT_EQ(asking["state"], "working") << asking.dump(1);
  ASSERT_EQ(asking["pending_questions"].size(), 1U);
  EXPECT_EQ(asking["pending_questions"][0]["text"], "Which color?");
  const std::string key = id + "/" + asking["pending_questions"][0]["id"].get<std::string>();
  const auto question = place_.service().question(key);
  ASSERT_TRUE(question) << key;
  EXPECT_TRUE(place_.service().desk().answer({.id = question->key(), .typed = "2"}, "test"));
  EXPECT_EQ(wait(id)["state"], "completed");
  EXPECT_EQ(calls().back()["stdin"], "blue");
}

TEST_F(Delegation, AForegroundTaskAnswersWithItsSummary) {
  place_.context.wants_progress_ = true;
  const Answer answer = place_.call("_codex_local_run", {{"task", "COMMAND"}, {"async", false}});
  ASSERT_FALSE(answer.is_error) << answer.text;
  EXPECT_EQ(answer.envelope["data"]["capability"], "foreground");
  EXPECT_THAT(answer.text, StartsWith("**Completed** - 47 tests passed\n"));
  ASSERT_FALSE(place_.context.told_.empty());
  for (std::size_t i = 1; i < place_.context.told_.size(); ++i)
    EXPECT_GT(place_.context.told_[i].progress, place_.context.told_[i - 1].progress);
}

}  // namespace
}  // namespace dragoman::test
