// SPDX-License-Identifier: Apache-2.0
// Tasks through the real program: submitted, run in the background, found again.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/schema/validator.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/schemas.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;
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
                                     "HOME=" + directory_.path().string()}});
  }
  std::string submit(const std::string& script) {
    std::string id = tool({"task", "submit", "--", "/bin/sh", "-c", script}).out;
    if (!id.empty()) id.pop_back();
    return id;
  }
  std::string everything_kept() {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (entry.is_regular_file()) all += read_file(entry.path());
    }
    return all;
  }

  TempDir directory_;
};

TEST_F(TaskCommands, ATaskIsSubmittedRunsAndIsFoundAgain) {
  const std::string id = submit("echo one; echo two");
  ASSERT_THAT(id, testing::StartsWith("T-local-"));
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s", "--output"});
  EXPECT_EQ(waited.exit_code, 0) << waited.out << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("one\ntwo\n"));
  EXPECT_THAT(tool({"task", "status"}).out, HasSubstr(id));
  EXPECT_THAT(tool({"task", "list", "--grep", "echo"}).out, HasSubstr(id));
  EXPECT_THAT(tool({"task", "list", "--grep", "nothing-like-it"}).out, Not(HasSubstr(id)));
}

TEST_F(TaskCommands, AFailedTaskSaysWhyAndCarriesItsOutput) {
  const std::string id = submit("echo trouble; exit 3");
  const Ended waited = tool({"task", "wait", id, "--timeout", "60s"});
  EXPECT_EQ(waited.exit_code, 1) << waited.out << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("failed"));
  EXPECT_THAT(waited.out, HasSubstr("trouble"));
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

TEST_F(TaskCommands, EnvelopesAreValid) {
  const std::string id = submit("echo hello");
  tool({"task", "wait", id, "--timeout", "60s"});
  const auto validate = [](const std::string& name, const std::string& json) {
    const auto validator = schema::Validator::with_id("codex/v3.6/" + name + "/v1");
    ASSERT_TRUE(validator) << validator.error().message;
    EXPECT_EQ(verdict(*validator, json), "") << json;
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
  const std::string kept = everything_kept();
  EXPECT_THAT(waited.out, HasSubstr("[REDACTED:"));
  for (const auto& canary : canaries) {
    EXPECT_EQ(kept.find(canary), std::string::npos) << canary;
    EXPECT_EQ(waited.out.find(canary), std::string::npos) << canary;
  }
}

}  // namespace
}  // namespace dragoman::test
