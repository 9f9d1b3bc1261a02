// SPDX-License-Identifier: Apache-2.0
// What the incumbent server gets wrong, one test for each fact, by its number. Those that need an
// agent's process are in tests/e2e/delegation_test.cpp.
#include <map>
#include <set>
#include <thread>

#include "dragoman/mcp/arguments.hpp"
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

class UpstreamBugs : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(place_.home() / ".config/mcp-delegator");
    write_file(
        place_.home() / ".config/mcp-delegator/environments.json",
        R"([{"id":"env_a","name":"A","repository":"https://github.com/u/a","tech_stack":"go"}])");
    write_file(place_.home() / "cloud/environments", "env_a");
    write_file(place_.home() / "signed-in", "");
  }
  std::string cloud_task() {
    const Answer ack = place_.call("_codex_cloud_submit", {{"task", "x"}, {"env_id", "env_a"}});
    url_ = ack.envelope["data"]["web_ui_url"];
    return ack.envelope["data"]["task_id"];
  }
  void set_cloud_status(const std::string& status) {
    const auto file = place_.home() / "cloud" / (url_.substr(url_.rfind('/') + 1) + ".json");
    json task = json::parse(read_file(file));
    task["status"] = status;
    write_file(file, task.dump());
  }
  void add_output(const std::string& id, const std::string& text) { place_.add_output(id, text); }

  ToolPlace place_;
  std::string url_;
};

TEST_F(UpstreamBugs, N01_BothWaitToolsAndCloudResultsTakeBothSpellings) {
  const std::string local = place_.submitted();
  place_.end(local, "completed");
  const std::string cloud = cloud_task();
  set_cloud_status("ready");
  for (const char* name : {"task_id", "taskId"}) {
    EXPECT_FALSE(place_.call("_codex_local_wait", {{name, local}}).is_error);
    EXPECT_FALSE(place_.call("_codex_cloud_wait", {{name, cloud}}).is_error);
    EXPECT_FALSE(place_.call("_codex_cloud_results", {{name, cloud}}).is_error);
  }
}

TEST_F(UpstreamBugs, N02_ListEnvironmentsHonoursJson) {
  const Answer answer = place_.call("_codex_cloud_list_environments", {{"format", "json"}});
  EXPECT_EQ(json::parse(answer.text), answer.envelope);
}

TEST_F(UpstreamBugs, N03_CloudCancelFindsCloudTasks) {
  const std::string id = cloud_task();
  EXPECT_EQ(place_.call("_codex_cloud_cancel", {{"task_id", id}}).code(),
            "UNSUPPORTED");  // not NOT_FOUND
}

TEST_F(UpstreamBugs, N06_CompletedAtIsSetForEveryTerminalState) {
  for (const auto& state : task::terminal_states()) {
    const std::string id = place_.submitted();
    place_.begin(id);
    place_.end(id, state);
    const json data = place_.call("_codex_local_results", {{"task_id", id}}).envelope["data"];
    EXPECT_TRUE(data.contains("completed_ts")) << state;
    EXPECT_GE(data["duration_seconds"], 5) << state;
  }
  const json status = place_.call("_codex_local_status").envelope["data"];
  EXPECT_EQ(status["recently_completed"].size(), 4U);
  EXPECT_EQ(status["recently_completed"][0]["state"],
            task::terminal_states().back());  // newest first
}

TEST_F(UpstreamBugs, N07_CleanUpDeletesEveryTerminalStateAndCountsWhatItDeletes) {
  for (const auto& state : task::terminal_states()) {
    const std::string id = place_.submitted();
    auto old = value_of(place_.service().get(id));
    old.state = state;
    old.completed_at = task::now_ms() - 49LL * 3600 * 1000;
    value_of(write_one(place_.log(),
                       Put{std::string(task::kTasks), task::record_of(old), old.revision}));
  }
  const json dry = place_.call("_codex_cleanup_registry", {{"dryRun", true}}).envelope["data"];
  EXPECT_EQ(dry["old_tasks"], (json{{"found", 4}, {"deleted", 0}, {"oldest_age_hours", 49}}));
  EXPECT_EQ(dry["summary"], "Would clean 0 stuck tasks, delete 4 old tasks");
  const json done = place_.call("_codex_cleanup_registry").envelope["data"];
  EXPECT_EQ(done["old_tasks"], (json{{"found", 4}, {"deleted", 4}, {"oldest_age_hours", 49}}));
  EXPECT_TRUE(value_of(place_.service().list({})).empty());
}

TEST_F(UpstreamBugs, N09_ALateCompletionDoesNotOverwriteCancelled) {
  const std::string id = place_.submitted();
  EXPECT_FALSE(
      place_.call("_codex_local_cancel", {{"task_id", id}, {"reason", "enough"}}).is_error);
  EXPECT_FALSE(place_.end(id, "completed"));
  const json data = place_.call("_codex_local_results", {{"task_id", id}}).envelope["data"];
  EXPECT_EQ(data["state"], "cancelled");
  EXPECT_EQ(data["summary"], "Task cancelled: enough");
  EXPECT_FALSE(place_.call("_codex_local_cancel", {{"task_id", id}}).is_error);  // ok again
}

TEST_F(UpstreamBugs, N10_ATimeoutStaysATimeout) {
  const std::string id = place_.submitted();
  place_.begin(id);
  place_.end(id, "timeout", "idle");
  add_output(id, "late words");
  EXPECT_FALSE(place_.end(id, "completed"));
  EXPECT_EQ(place_.call("_codex_local_wait", {{"task_id", id}}).envelope["data"]["state"],
            "timeout");
}

TEST_F(UpstreamBugs, N12_RefusalsAreEnvelopesWithTheCategorysSchema) {
  for (const json& arguments : {json{{"task", "run git reset --hard"}, {"format", "json"}},
                                json{{"task", "x"}, {"mode", 7}, {"format", "json"}}}) {
    const Answer answer = place_.call("_codex_local_exec", arguments);
    ASSERT_TRUE(answer.is_error);
    EXPECT_EQ(json::parse(answer.text), answer.envelope);
    EXPECT_EQ(answer.envelope["tool_category"], "execution_ack");
    EXPECT_EQ(answer.envelope["schema_id"], "codex/v3.6/execution_ack/v1");
    EXPECT_EQ(answer.envelope["meta"], json::object());
  }
}

TEST_F(UpstreamBugs, N13_AnyModelNameOfTheRightFormIsTaken) {
  for (const char* model : {"gpt-5.1-codex-max", "o9", "vendor/model:tag", "my_model-2030.1"}) {
    const Answer ack = place_.call("_codex_local_exec", {{"task", "x"}, {"model", model}});
    ASSERT_FALSE(ack.is_error) << model;
    EXPECT_EQ(
        value_of(place_.service().get(ack.envelope["data"]["task_id"].get<std::string>())).model,
        model);
  }
}

TEST_F(UpstreamBugs, N14_TheQueuePositionIsThePosition) {
  for (int i = 0; i < 4; ++i) {
    const std::string id = place_.submitted();
    place_.begin(id);
    place_.end(id, "completed");
    value_of(write_one(place_.log(), Dequeue{std::string(task::kQueue), id}));
  }
  std::vector<json> meta;
  for (int i = 0; i < 4; ++i)
    meta.push_back(place_.call("_codex_local_exec", {{"task", "x"}}).envelope["meta"]);
  EXPECT_EQ(meta[0]["queue_position"], 0);
  EXPECT_EQ(meta[1]["queue_position"], 0);
  EXPECT_EQ(meta[2]["queue_position"], 1);
  EXPECT_EQ(meta[3]["queue_position"], 2);
  EXPECT_FALSE(meta[0].contains("estimated_start_ms"));
  EXPECT_GT(meta[3]["estimated_start_ms"], 0);
}

TEST_F(UpstreamBugs, N17_ResultsOfARunningOrQueuedTaskAreOkInTheAskedFormat) {
  const std::string id = place_.submitted();
  for (const char* state : {"queued", "working"}) {
    if (std::string_view(state) == "working") place_.begin(id);
    const Answer answer =
        place_.call("_codex_local_results", {{"task_id", id}, {"format", "json"}});
    EXPECT_FALSE(answer.is_error);
    EXPECT_EQ(json::parse(answer.text)["data"]["state"], state);
    EXPECT_EQ(answer.envelope["data"]["output"]["reason"], "Task is still running");
  }
  EXPECT_THAT(place_.call("_codex_local_results", {{"task_id", id}}).text,
              StartsWith("**Working** - Task is still running ("));
}

TEST_F(UpstreamBugs, N18_FailedTasksAreRecentAndACloudTaskIsCountedOnce) {
  for (const char* state : {"failed", "timeout"}) {
    const std::string id = place_.submitted();
    place_.end(id, state);
  }
  EXPECT_EQ(place_.call("_codex_local_status").envelope["data"]["recently_completed"].size(), 2U);
  cloud_task();
  const json cloud = place_.call("_codex_cloud_status", {{"list", true}}).envelope["data"];
  EXPECT_EQ(cloud["summary"], (json{{"running", 1}, {"queued", 0}, {"recently_completed", 0}}));
  EXPECT_EQ(place_.call("_codex_local_status").envelope["data"]["summary"]["running"], 0);
}

TEST_F(UpstreamBugs, N19_OutputOfATimedOutTaskIsIncluded) {
  const std::string id = place_.submitted();
  place_.begin(id);
  add_output(id, "as far as it came");
  place_.end(id, "timeout", "hard");
  for (const char* tool : {"_codex_local_wait", "_codex_local_results"}) {
    const json output = place_.call(tool, {{"task_id", id}}).envelope["data"]["output"];
    EXPECT_EQ(output["included"], true);
    EXPECT_EQ(output["stdout"], "as far as it came\n");
  }
}

TEST_F(UpstreamBugs, N20_TruncatedOutputIsValidAndKeepsThePromisedBytes) {
  const std::string id = place_.submitted();
  place_.begin(id);
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "\xC3\xA9";
  add_output(id, text);
  place_.end(id, "completed");
  const json output =
      place_
          .call("_codex_local_results",
                {{"task_id", id}, {"include_output", true}, {"max_output_bytes", 1025}})
          .envelope["data"]["output"];
  const std::string kept = output["stdout"];
  EXPECT_EQ(output["truncated"], true);
  EXPECT_EQ(output["original_size"], 80001);
  const std::string mark = "\n... [truncated] ...\n";
  EXPECT_EQ(kept.find(mark), 502U);
  EXPECT_GE(kept.size(), 502 + mark.size() + 501);
  EXPECT_LE(kept.size(), 1025U);
}

TEST_F(UpstreamBugs, N23_CodesAreOnlyTheSix) {
  const std::set<std::string> six = {"TIMEOUT",   "VALIDATION",  "TOOL_ERROR",
                                     "NOT_FOUND", "UNSUPPORTED", "INTERNAL"};
  for (const char* reason :
       {"spawn_failed", "signal", "incomplete", "turn_failed", "exit_nonzero", "orphaned"}) {
    const std::string id = place_.submitted();
    place_.begin(id);
    place_.end(id, "failed", reason);
    const auto view = value_of(place_.tools().task(id));
    const json envelope = json::parse(view.result->structured);
    EXPECT_TRUE(six.contains(envelope["error"]["code"].get<std::string>()));
    EXPECT_EQ(envelope["error"]["code"], "TOOL_ERROR");
    EXPECT_EQ(envelope["error"]["details"]["reason"], reason);
    EXPECT_EQ(envelope["error"]["retryable"], std::string_view(reason) == "signal");
  }
}

TEST_F(UpstreamBugs, N24_CloudStatusAsksTheBackend) {
  const std::string id = cloud_task();
  set_cloud_status("error");
  const json data = place_.call("_codex_cloud_status", {{"task_id", id}}).envelope["data"];
  EXPECT_EQ(data["recently_completed"][0]["state"], "failed");
}

TEST_F(UpstreamBugs, N25_ProgressIsToldOnlyToWhoAskedAndStopsWithTheAnswer) {
  const std::string id = place_.submitted();
  place_.begin(id);
  (void)place_.call("_codex_local_wait", {{"task_id", id}, {"timeout_sec", 1}});
  EXPECT_TRUE(place_.context.told_.empty());
  place_.context.wants_progress_ = true;
  std::thread runner([&] { place_.end(id, "completed"); });
  (void)place_.call("_codex_local_wait", {{"task_id", id}});
  runner.join();
  const std::size_t told = place_.context.told_.size();
  (void)place_.call("_codex_local_results", {{"task_id", id}});
  EXPECT_EQ(place_.context.told_.size(), told);
}

TEST_F(UpstreamBugs, N29_EveryAcceptedParameterIsAdvertised) {
  // What the specification's tables name, and nothing that is not advertised is accepted.
  const std::map<std::string, std::vector<std::string>> kTable = {
      {"_codex_local_run",
       {"task", "mode", "confirm", "model", "agent", "output_schema", "working_dir", "env_policy",
        "env_allow_list", "skip_git_repo_check", "allow_destructive_git", "async",
        "idle_timeout_sec", "hard_timeout_sec", "kill_grace_sec", "format"}},
      {"_codex_local_exec",
       {"task", "mode", "model", "agent", "output_schema", "working_dir", "env_policy",
        "env_allow_list", "skip_git_repo_check", "allow_destructive_git", "async",
        "idle_timeout_sec", "hard_timeout_sec", "kill_grace_sec", "format"}},
      {"_codex_local_resume",
       {"task", "thread_id", "task_id", "mode", "model", "agent", "output_schema", "working_dir",
        "env_policy", "env_allow_list", "skip_git_repo_check", "allow_destructive_git", "async",
        "idle_timeout_sec", "hard_timeout_sec", "kill_grace_sec", "format"}},
      {"_codex_cloud_submit",
       {"task", "env_id", "model", "working_dir", "allow_destructive_git", "attempts", "branch",
        "hard_timeout_sec", "format"}},
      {"_codex_local_status", {"working_dir", "show_all", "limit", "verbose", "task_id", "format"}},
      {"_codex_local_results",
       {"task_id", "include_output", "max_output_bytes", "include_events", "format"}},
      {"_codex_local_wait",
       {"task_id", "timeout_sec", "include_output", "max_output_bytes", "format"}},
      {"_codex_local_cancel", {"task_id", "reason", "format"}},
      {"_codex_cloud_status",
       {"task_id", "list", "working_dir", "env_id", "status", "limit", "show_stats", "verbose",
        "format"}},
      {"_codex_cloud_results",
       {"task_id", "include_output", "max_output_bytes", "include_events", "attempt", "format"}},
      {"_codex_cloud_wait",
       {"task_id", "timeout_sec", "include_output", "max_output_bytes", "format"}},
      {"_codex_cloud_cancel", {"task_id", "reason", "format"}},
      {"_codex_cloud_list_environments", {"format"}},
      {"_codex_cloud_github_setup",
       {"repo_url", "stack", "git_user_name", "git_user_email", "format"}},
      {"_codex_cleanup_registry",
       {"stuck_task_max_age_seconds", "old_task_max_age_hours", "dry_run", "format"}},
  };
  EXPECT_EQ(kTable.size(), place_.tools().tools().size());
  for (const auto& spec : place_.tools().tools()) {
    std::set<std::string> advertised;
    const json properties = json::parse(spec.input_schema)["properties"];
    for (const auto& [name, schema] : properties.items()) advertised.insert(name);
    const auto& wanted = kTable.at(spec.name);
    EXPECT_EQ(advertised, (std::set<std::string>{wanted.begin(), wanted.end()})) << spec.name;
  }
}

}  // namespace
}  // namespace dragoman::test
