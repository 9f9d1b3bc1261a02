// SPDX-License-Identifier: Apache-2.0
// What answers say of tasks that are over, and of those that nobody looks after.
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;

class DelegationAnswersTest : public testing::Test {
 protected:
  ToolPlace place_;
};

TEST_F(DelegationAnswersTest, EventsAreTheLinesThatTheAgentItselfWrote) {
  const std::string id = place_.submitted();
  place_.add_output(id, "so far");
  const auto events = [&] {
    return place_.call("_codex_local_results", {{"task_id", id}, {"include_events", true}})
        .envelope["data"]["events"];
  };
  EXPECT_EQ(events()["items"][0]["kind"], "text");  // nothing is recorded: what was made of it
  const auto recording = place_.home() / "recordings" / id;
  const auto again = recording / (id + "-start-2");
  std::filesystem::create_directories(again);
  std::string lines = "warming up\n{\"broken\": \n";
  for (int i = 0; i < 60; ++i) lines += json{{"type", "item.completed"}, {"n", i}}.dump() + "\n";
  write_file(recording / "stdout", lines);
  write_file(again / "stdout", "{\"type\":\"turn.completed\"}\n{\"type\":\"half");
  value_of(task::change_task(place_.log(), id, [&](task::Task& task) {
    task.recording = recording;
    return true;
  }));
  const json found = events();
  EXPECT_EQ(found["count"], 62);
  EXPECT_EQ(found["truncated"], true);
  ASSERT_EQ(found["items"].size(), 50U);
  EXPECT_EQ(found["items"][0], (json{{"type", "item.completed"}, {"n", 11}}));
  EXPECT_EQ(found["items"][49], (json{{"type", "turn.completed"}}));
  const Answer without = place_.call("_codex_local_results", {{"task_id", id}});
  EXPECT_EQ(without.envelope["data"]["events"]["count"], 62);
  EXPECT_FALSE(without.envelope["data"]["events"].contains("items"));
}

TEST_F(DelegationAnswersTest, WhatATimeoutLeftIsShortBesideItsOutput) {
  const std::string id = place_.submitted();
  json last_events = json::array();
  for (int i = 0; i < 50; ++i) last_events.push_back({{"n", i}, {"text", std::string(1000, 'e')}});
  const json metadata = {
      {"duration", 301},
      {"file_operations",
       {{"modified_files", json::array()},
        {"added_files", json::array()},
        {"deleted_files", json::array()},
        {"lines_changed", 0}}},
      {"error_context",
       {{"error_message", "Task exceeded idle timeout"},
        {"error_type", "timeout"},
        {"failed_files", json::array()},
        {"error_locations", json::array()},
        {"suggestions", json::array()},
        {"timeout_type", "idle"},
        {"elapsed_seconds", 301},
        {"partial_results",
         {{"last_events", last_events}, {"last_output", std::string(60'000, 'a') + "the end"}}}}},
      {"task_status", "timeout"}};
  value_of(task::change_task(place_.log(), id, [&](task::Task& task) {
    task.state = "timeout";
    task.reason = "idle";
    task.metadata.json = metadata.dump();
    return true;
  }));
  for (const char* tool : {"_codex_local_results", "_codex_local_wait"}) {
    const Answer answer = place_.call(tool, {{"task_id", id}});
    EXPECT_LT(answer.envelope.dump().size(), 20'000U);
    const json context = answer.envelope["data"]["metadata"]["error_context"];
    EXPECT_EQ(context["timeout_type"], "idle");
    EXPECT_EQ(context["partial_results"]["last_events"].back()["n"], 49);
    EXPECT_EQ(context["partial_results"]["last_events"].size(), 8U);
    EXPECT_THAT(context["partial_results"]["last_output"].get<std::string>(),
                testing::EndsWith("the end"));
    EXPECT_EQ(context["partial_results"]["last_output"].get<std::string>().size(), 8192U);
  }
}

TEST_F(DelegationAnswersTest, TheFirstCallEndsWhatIsStuckButNotWhatWaitsForItsTurn) {
  const std::string first = place_.submitted();
  const std::string id = place_.submitted();
  value_of(task::change_task(place_.log(), id, [&](task::Task& task) {
    task.created_at = task::now_ms() - 2 * 3600 * 1000;
    return true;
  }));
  const auto claim = value_of(place_.log().claim(task::kQueue, "runner", 60s, 1));
  place_.begin(first);
  (void)place_.call("_codex_local_status");
  EXPECT_EQ(value_of(place_.service().get(id)).state, "queued");
  place_.end(first, "completed");
  EXPECT_TRUE(value_of(place_.log().finish(*claim)));
  place_.options.upkeep = mcp::Upkeep::elsewhere;
  place_.remake();  // one that has a timer for it
  (void)place_.call("_codex_local_status");
  EXPECT_EQ(value_of(place_.service().get(id)).state, "queued");
  place_.options.upkeep = mcp::Upkeep::with_calls;
  place_.remake();  // another server
  (void)place_.call("_codex_local_status");
  EXPECT_EQ(value_of(place_.service().get(id)).state, "failed");
  EXPECT_EQ(value_of(place_.service().get(id)).reason, "stuck");
}

}  // namespace
}  // namespace dragoman::test
