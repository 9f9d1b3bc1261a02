// SPDX-License-Identifier: Apache-2.0
// The cloud tools against a stand-in for codex that has the real command line's rules.
#include "dragoman/mcp/cloud_tools.hpp"

#include "dragoman/mcp/codex_cloud_text.hpp"
#include "dragoman/mcp/diff_facts.hpp"
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kDiff = R"(diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
 one
-two
+2
+3
diff --git a/new file.txt b/new file.txt
new file mode 100644
--- /dev/null
+++ b/new file.txt
@@ -0,0 +1 @@
+--- not a header
diff --git a/gone.c b/gone.c
deleted file mode 100644
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old.c b/moved.c
similarity index 100%
rename from old.c
rename to moved.c
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
)";

class CloudToolsTest : public testing::Test {
 protected:
  void SetUp() override {
    write_environments(R"([{"id":"env_a","name":"A","repository":"https://github.com/u/a",
      "tech_stack":"node","created_at":"2025-11-01T00:00:00Z"},
      {"id":"env_f","name":"F","repository":"https://github.com/u/f","tech_stack":"go","backend":"fleet"}])");
    write_file(place_.home() / "cloud/environments", "env_a env_b");
    sign_in();
  }
  void write_environments(const std::string& text) {
    std::filesystem::create_directories(place_.home() / ".config/mcp-delegator");
    write_file(place_.home() / ".config/mcp-delegator/environments.json", text);
  }
  void sign_in() { write_file(place_.home() / "signed-in", ""); }

  json submit(const json& more = json::object()) {
    json arguments = {{"task", "add a test"}, {"env_id", "env_a"}};
    arguments.update(more);
    const Answer answer = place_.call("_codex_cloud_submit", arguments);
    EXPECT_FALSE(answer.is_error) << answer.text;
    return answer.envelope["data"];
  }
  [[nodiscard]] static std::string external(const json& ack) {
    const std::string url = ack["web_ui_url"];
    return url.substr(url.rfind('/') + 1);
  }
  void set_status(const std::string& id, const std::string& status) {
    const auto file = place_.home() / "cloud" / (id + ".json");
    json task = json::parse(read_file(file));
    task["status"] = status;
    task["updated_at"] = "2026-11-16T05:00:00Z";
    task["summary"] = {{"files_changed", 2}, {"lines_added", 3}, {"lines_removed", 1}};
    write_file(file, task.dump());
  }
  // What codex was given, in the order of the calls.
  std::vector<json> calls() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(place_.home() / "calls"))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<json> all;
    for (const auto& file : files) all.push_back(json::parse(read_file(file)));
    return all;
  }

  ToolPlace place_;
};

TEST_F(CloudToolsTest, SubmitHandsTheTaskOverOnStdin) {
  const json ack = submit({{"task", "-c evil --help \"$(id)\""},
                           {"attempts", 3},
                           {"branch", "feature/x"},
                           {"model", "gpt-9"}});
  EXPECT_THAT(ack["task_id"].get<std::string>(), StartsWith("T-cloud-"));
  EXPECT_EQ(ack["capability"], "background");
  const json call = calls().at(0);
  EXPECT_EQ(call["argv"], json::array({"cloud", "exec", "--env", "env_a", "--attempts", "3",
                                       "--branch", "feature/x", "-c", "model=\"gpt-9\"", "-"}));
  EXPECT_EQ(call["stdin"], "-c evil --help \"$(id)\"");
}

TEST_F(CloudToolsTest, RefusesBeforeAnythingIsHandedOver) {
  const struct {
    json arguments;
    const char* reason;
  } kRows[] = {
      {{{"task", "x"}, {"env_id", "env_z"}}, "environment"},
      {{{"task", "x"}, {"env_id", "env_f"}}, "backend"},
      {{{"task", "x"}, {"env_id", "env_a"}, {"branch", "--upload-pack=x"}}, "bad_value"},
      {{{"task", "x"}, {"env_id", "env_a"}, {"branch", "a..b"}}, "bad_value"},
      {{{"task", "x"}, {"env_id", "env_a"}, {"attempts", 5}}, "bad_value"},
      {{{"task", "run git reset --hard"}, {"env_id", "env_a"}}, "git_blocked"},
      {{{"task", "x"}}, "missing_parameter"},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(place_.call("_codex_cloud_submit", row.arguments).reason(), row.reason)
        << row.arguments;
  EXPECT_FALSE(std::filesystem::exists(place_.home() / "calls"));
}

TEST_F(CloudToolsTest, WithoutALoginTheErrorSaysWhatToRun) {
  std::filesystem::remove(place_.home() / "signed-in");
  const Answer answer = place_.call("_codex_cloud_submit", {{"task", "x"}, {"env_id", "env_a"}});
  EXPECT_EQ(answer.code(), "TOOL_ERROR");
  EXPECT_EQ(answer.reason(), "auth_required");
  EXPECT_EQ(answer.envelope["error"]["details"]["suggestion"], "run: codex login");
  EXPECT_EQ(answer.envelope["error"]["retryable"], false);
  EXPECT_THAT(answer.envelope["error"]["message"].get<std::string>(), StartsWith("Not signed in."));
  EXPECT_THAT(answer.text, HasSubstr("codex login"));
}

TEST_F(CloudToolsTest, AnEnvironmentThatOnlyWeKnowIsNotFound) {
  write_environments(R"({"env_x":{"name":"X","repoUrl":"https://github.com/u/x","stack":"go"}})");
  const Answer answer = place_.call("_codex_cloud_submit", {{"task", "x"}, {"env_id", "env_x"}});
  EXPECT_EQ(answer.code(), "NOT_FOUND");
  EXPECT_EQ(answer.reason(), "environment");
}

TEST_F(CloudToolsTest, WithoutCodexTheErrorSaysSo) {
  std::filesystem::remove(place_.bin() / "codex");
  const Answer answer = place_.call("_codex_cloud_submit", {{"task", "x"}, {"env_id", "env_a"}});
  // A machine that has the real one says that nobody is signed in.
  EXPECT_THAT(answer.reason(), testing::AnyOf("spawn_failed", "auth_required"));
}

TEST_F(CloudToolsTest, StatusAsksTheBackend) {
  const json ack = submit();
  EXPECT_EQ(place_.call("_codex_cloud_status").envelope["data"]["summary"]["running"], 1);
  set_status(external(ack), "ready");
  const json status = place_.call("_codex_cloud_status", {{"task_id", ack["task_id"]}}).envelope;
  EXPECT_EQ(status["data"]["summary"],
            (json{{"running", 0}, {"queued", 0}, {"recently_completed", 1}}));
  EXPECT_EQ(status["data"]["recently_completed"][0]["state"], "completed");
}

TEST_F(CloudToolsTest, ManyTasksAreReadPageByPageAndCountedOnce) {
  std::vector<json> acks;
  for (int i = 0; i < 3; ++i) acks.push_back(submit());
  for (int i = 0; i < 25; ++i) {
    json task = json::parse(read_file(place_.home() / "cloud" / (external(acks[0]) + ".json")));
    task["id"] = "task_e_other" + std::to_string(i);
    task["status"] = i % 2 == 0 ? "error" : "pending";
    task["environment_id"] = "env_b";
    write_file(place_.home() / "cloud" / (task["id"].get<std::string>() + ".json"), task.dump());
  }
  for (int round = 0; round < 2; ++round) {
    const json all =
        place_.call("_codex_cloud_status", {{"list", true}, {"show_stats", true}}).envelope;
    EXPECT_EQ(all["data"]["stats"], (json{{"failed", 13}, {"working", 15}}));
    EXPECT_EQ(all["data"]["summary"]["running"], 15);
    EXPECT_EQ(all["data"]["recently_completed"].size(), 13U);
  }
  const json filtered =
      place_
          .call("_codex_cloud_status",
                {{"list", true}, {"env_id", "env_b"}, {"status", "failed"}, {"limit", 4}})
          .envelope;
  EXPECT_EQ(filtered["data"]["summary"]["running"], 0);
  EXPECT_EQ(filtered["data"]["recently_completed"].size(), 4U);
}

TEST_F(CloudToolsTest, ResultsReadTheDiff) {
  const json ack = submit();
  const std::string id = external(ack);
  const json working = place_.call("_codex_cloud_results", {{"task_id", ack["task_id"]}}).envelope;
  EXPECT_EQ(working["data"]["state"], "working");
  EXPECT_EQ(working["data"]["output"]["included"], false);
  set_status(id, "ready");
  write_file(place_.home() / "cloud" / (id + ".1.diff"), kDiff);
  write_file(place_.home() / "cloud" / (id + ".2.diff"), "");
  for (const std::string& name :
       {ack["task_id"].get<std::string>(), id, "https://chatgpt.com/codex/tasks/" + id}) {
    const Answer answer = place_.call("_codex_cloud_results", {{"task_id", name}});
    const json& data = answer.envelope["data"];
    EXPECT_EQ(data["state"], "completed");
    EXPECT_EQ(data["summary"], "Modified 1 file, added 3 files, deleted 2 files");
    EXPECT_EQ(data["metadata"]["file_operations"],
              (json{{"modified_files", {"src/a.ts"}},
                    {"added_files", {"empty", "moved.c", "new file.txt"}},
                    {"deleted_files", {"gone.c", "old.c"}},
                    {"lines_changed", 5}}));
    EXPECT_THAT(answer.text, HasSubstr("codex cloud apply " + id));
  }
  const json with =
      place_.call("_codex_cloud_results", {{"task_id", id}, {"include_output", true}}).envelope;
  EXPECT_EQ(with["data"]["output"]["stdout"], kDiff);
  const json second =
      place_.call("_codex_cloud_results", {{"task_id", id}, {"attempt", 2}}).envelope;
  EXPECT_EQ(second["data"]["metadata"]["file_operations"]["lines_changed"], 0);
}

TEST_F(CloudToolsTest, WaitLooksAgainMoreAndMoreSlowly) {
  const json ack = submit();
  write_file(place_.home() / "cloud" / (external(ack) + ".1.diff"), kDiff);
  int rounds = 0;
  place_.context.on_sleep_ = [&] {
    if (++rounds == 5) set_status(external(ack), "ready");
  };
  const json done = place_.call("_codex_cloud_wait", {{"taskId", ack["task_id"]}}).envelope;
  EXPECT_EQ(done["data"]["state"], "completed");
  EXPECT_EQ(done["data"]["artifacts"][0]["type"], "diff");
  EXPECT_EQ(done["data"]["artifacts"][0]["size"], std::string_view(kDiff).size());
  using std::chrono::milliseconds;
  EXPECT_EQ(place_.context.slept_,
            (std::vector<milliseconds>{milliseconds(5000), milliseconds(10000), milliseconds(20000),
                                       milliseconds(30000), milliseconds(30000)}));
}

TEST_F(CloudToolsTest, CancelIsNotAvailableAndLeavesTheTaskAlone) {
  const json ack = submit();
  const Answer answer = place_.call("_codex_cloud_cancel", {{"task_id", ack["task_id"]}});
  EXPECT_EQ(answer.code(), "UNSUPPORTED");
  EXPECT_EQ(answer.reason(), "cancel_not_available");
  EXPECT_EQ(answer.envelope["error"]["details"]["web_ui_url"], ack["web_ui_url"]);
  EXPECT_EQ(place_.call("_codex_cloud_status").envelope["data"]["summary"]["running"], 1);
  set_status(external(ack), "ready");
  EXPECT_EQ(place_.call("_codex_cloud_cancel", {{"task_id", ack["task_id"]}}).reason(),
            "already_terminal");
  EXPECT_EQ(place_.call("_codex_cloud_cancel", {{"task_id", "T-cloud-nobody"}}).code(),
            "NOT_FOUND");
}

TEST_F(CloudToolsTest, EnvironmentsComeInBothForms) {
  const Answer list = place_.call("_codex_cloud_list_environments");
  EXPECT_EQ(list.envelope["meta"],
            (json{{"count", 2}, {"source", "~/.config/mcp-delegator/environments.json"}}));
  EXPECT_EQ(list.envelope["data"]["environments"][0],
            (json{{"id", "env_a"},
                  {"name", "A"},
                  {"repository", "https://github.com/u/a"},
                  {"tech_stack", "node"},
                  {"created_at", "2025-11-01T00:00:00Z"},
                  {"backend", "codex-cloud"}}));
  EXPECT_EQ(list.envelope["data"]["environments"][1]["backend"], "fleet");
  write_environments(
      R"({"z":{"name":"Z","repoUrl":"https://github.com/u/z","stack":"rust","description":"d"},
                         "b":{"name":"B","repoUrl":"https://github.com/u/b","stack":"go"},
                         "bad":{"name":"no repository"}, "worse": 7})");
  const json object = place_.call("_codex_cloud_list_environments").envelope;
  EXPECT_EQ(object["meta"]["count"], 2);
  EXPECT_EQ(object["meta"]["skipped"], 2);
  EXPECT_EQ(object["data"]["environments"][0]["id"], "b");
  EXPECT_EQ(object["data"]["environments"][1]["description"], "d");
  write_environments(
      R"({"environments":[{"id":"e","name":"E","repository":"r","tech_stack":"go"}]})");
  EXPECT_EQ(place_.call("_codex_cloud_list_environments").envelope["meta"]["count"], 1);
}

TEST_F(CloudToolsTest, AMissingOrBrokenFileIsAnErrorThatSaysWhere) {
  write_environments("[{\"id\":\"a\",\n  \"name\": oops}]");
  const Answer broken = place_.call("_codex_cloud_list_environments");
  EXPECT_EQ(broken.reason(), "bad_config");
  EXPECT_EQ(broken.envelope["error"]["details"]["line"], 2);
  EXPECT_EQ(broken.envelope["error"]["details"]["file"],
            "~/.config/mcp-delegator/environments.json");
  std::filesystem::remove_all(place_.home() / ".config");
  const Answer missing = place_.call("_codex_cloud_list_environments");
  EXPECT_EQ(missing.reason(), "environment_config");
  EXPECT_EQ(missing.envelope["error"]["message"], "Environment config not found");
  EXPECT_THAT(missing.text, HasSubstr("\"backend\":\"codex-cloud\""));
}

TEST(CodexCloudText, FirstLinesOfStatus) {
  const auto state = [](std::string_view out) {
    const auto news = mcp::read_cloud_status(out);
    return news ? news->state : "none";
  };
  EXPECT_EQ(state("[PENDING] a title\nmore"), "working");
  EXPECT_EQ(state("[READY] a"), "completed");
  EXPECT_EQ(state("[APPLIED] a"), "completed");
  EXPECT_EQ(state("[ERROR] a"), "failed");
  EXPECT_EQ(state("[WHATEVER] a"), "none");
  EXPECT_EQ(state(""), "none");
  EXPECT_EQ(state("[READY"), "none");
}

TEST(CodexCloudText, WhatEndsWellAndSaysNothingKnownIsQuoted) {
  const process::Exit well{process::Exit::How::exited, 0};
  EXPECT_EQ(mcp::cloud_failure("", well, "Hello there\n").message,
            "codex cloud answered something that is not known here: Hello there");
  EXPECT_EQ(mcp::cloud_failure("", well, "").message, "codex cloud answered nothing");
  EXPECT_EQ(mcp::cloud_failure("boom\n", well, "x").message, "boom");
}

TEST(CodexCloudText, HostileListsGiveErrorsOrNothing) {
  for (const char* text : {"", "[]", "{}", "{\"tasks\":7}", "{\"tasks\":[", "nonsense"})
    EXPECT_FALSE(mcp::read_cloud_list(text)) << text;
  const auto page = mcp::read_cloud_list(
      R"({"tasks":[1,{"id":"../../x y"},{"id":"--help","status":"ready"},{"id":"ok_1","status":"ready",
         "summary":{"files_changed":-5}}],"cursor":null})");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->tasks.size(), 1U);
  EXPECT_EQ(page->tasks[0].external_id, "ok_1");
}

TEST(DiffFacts, HostileDiffsAreReadWithoutHarm) {
  EXPECT_EQ(mcp::files_of_diff(""), FileOperations());
  EXPECT_EQ(mcp::files_of_diff("@@ -1,99999999999999999999 +1 @@\n+x"), FileOperations());
  const auto quoted = mcp::files_of_diff("--- \"a/caf\\303\\251\"\n+++ \"b/caf\\303\\251\"\n");
  EXPECT_EQ(quoted.modified_files, std::vector<std::string>{"caf\xC3\xA9"});
  EXPECT_EQ(mcp::files_of_diff("--- a/x\x01y\n+++ b/x\x01y\n"), FileOperations());
}

}  // namespace
}  // namespace dragoman::test
