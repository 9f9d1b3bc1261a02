// SPDX-License-Identifier: Apache-2.0
// `dragoman run` as others see it: in the list of tasks, answered and cancelled from elsewhere.
#include <csignal>

#include <gmock/gmock.h>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kExecutorOfRuns[] =
    "#!/bin/sh\n"
    "case \"$2\" in\n"
    "  *Answer:*) echo \"[PROGRESS] going on: ${2##*Answer: }\"\n"
    "    echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
    "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
    "esac\n";

class RunInTheRegistry : public testing::Test {
 protected:
  Ended tool(std::vector<std::string> arguments) const {
    Start start = place_.start({});
    start.arguments = std::move(arguments);
    return dragoman(start);
  }
  json tasks(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"task", "list", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended listed = tool(words);
    return json::parse(listed.out.empty() ? "null" : listed.out);
  }
  // `run` whose stdin stays open, as a terminal's would.
  Start waiting(const std::string& words) const {
    Start start = place_.start({});
    start.arguments = {
        "-c", "mkfifo in; exec " + dragoman_program().string() + " run " + words + " <>in"};
    return start;
  }

  RunPlace place_;
};

TEST_F(RunInTheRegistry, ARunIsListedWithItsEndAndItsOutput) {
  EXPECT_EQ(place_.run({"--as", "quiet", "--", "sh", "-c", "echo seen; exit 3"}).exit_code, 1);
  const json all = tasks();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["state"], "failed");
  EXPECT_EQ(all[0]["agent"], "command");
  const std::string id = all[0]["task_id"];
  const json results = json::parse(tool({"task", "results", id, "--json"}).out);
  EXPECT_EQ(results["data"]["state"], "failed");
  EXPECT_EQ(results["data"]["output"]["stdout"], "seen\n");
  EXPECT_EQ(tasks({"--grep", "seen"}).size(), 1U);
  EXPECT_EQ(tasks({"--grep", "unseen"}).size(), 0U);
}

TEST_F(RunInTheRegistry, WhoeverAnswersFirstIsHeard) {
  const std::string executor = place_.script("executor", kExecutorOfRuns);
  Running run("/bin/sh", waiting("--io jsonl --agent executor -- " + executor + " task-1 it"));
  ASSERT_TRUE(eventually([&] {
    return tool({"ask", "list"}).out.find("Which store?") != std::string::npos;
  })) << run.err_so_far();
  const json asked = json::parse(tool({"ask", "list", "--json"}).out);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(tool({"answer", asked[0]["id"], "2"}).exit_code, 0);
  const Ended ended = run.wait();
  EXPECT_EQ(verdict_in(ended.out), "completed");
  EXPECT_THAT(ended.out, HasSubstr("going on: Use option 2 (Postgres)"));
  EXPECT_THAT(ended.err, HasSubstr("answered from elsewhere (command line): Postgres"));
  EXPECT_EQ(tool({"answer", asked[0]["id"], "1"}).exit_code, 3);
}

TEST_F(RunInTheRegistry, CancelEndsItFromElsewhere) {
  Running run(dragoman_program(), place_.start({"--as", "quiet", "--", "sleep", "600"}));
  ASSERT_TRUE(eventually([&] { return tasks({"--state", "working"}).size() == 1; }));
  const std::string id = tasks()[0]["task_id"];
  EXPECT_EQ(tool({"task", "cancel", id, "--reason", "enough"}).exit_code, 0);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGTERM);
  EXPECT_THAT(ended.err, HasSubstr("cancelled from elsewhere: enough"));
  EXPECT_EQ(tasks()[0]["state"], "cancelled");
}

TEST_F(RunInTheRegistry, AKilledRunIsFoundByTheNextCommand) {
  Running run(dragoman_program(), place_.start({"--as", "quiet", "--", "sleep", "600"}));
  ASSERT_TRUE(eventually([&] { return tasks({"--state", "working"}).size() == 1; }));
  run.send(SIGKILL);
  (void)run.wait();
  const json all = tasks();
  EXPECT_EQ(all[0]["state"], "failed");
  EXPECT_THAT(std::string(all[0]["summary"]), HasSubstr("the process that ran it is gone"));
}

TEST_F(RunInTheRegistry, AStoreThatCannotBeOpenedIsAWarningAndNoMore) {
  write_file(place_.root() / "broken.db", "this is no database, and stays as it is\n");
  const Ended ended = place_.run(
      {"--store", "sqlite:" + (place_.root() / "broken.db").string(), "--", "echo", "x"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("this run is not in the list of tasks"));
  EXPECT_EQ(read_file(place_.root() / "broken.db"), "this is no database, and stays as it is\n");
}

TEST_F(RunInTheRegistry, WhoWantsNoEntryHasNone) {
  write_file(place_.root() / "off.toml", "[run]\nregister = false\n");
  const std::vector<std::vector<std::string>> ways = {
      {"--no-store"}, {"--no-record"}, {"--config", (place_.root() / "off.toml").string()}};
  for (std::vector<std::string> words : ways) {
    words.insert(words.end(), {"--", "true"});
    EXPECT_EQ(place_.run(words).exit_code, 0);
  }
  EXPECT_EQ(tasks().size(), 0U);
}

}  // namespace
}  // namespace dragoman::test
