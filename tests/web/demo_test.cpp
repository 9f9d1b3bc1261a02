// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/demo.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "dragoman/event/json.hpp"
#include "tests/support/eventually.hpp"
#include "tests/web/served.hpp"

namespace dragoman::web::test {
namespace {

class DemoOf : public Served {};

TEST_F(DemoOf, PlaysRunsAndWaitsForTheAnswer) {
  Demo demo(*log_, {.speed = 200, .pause = std::chrono::milliseconds(0), .rounds = 1});
  ASSERT_TRUE(dragoman::test::eventually(
      [&] { return get("/api/v1/questions")["questions"].size() == 1; }));
  ASSERT_TRUE(dragoman::test::eventually([&] {
    const auto counts = get("/api/v1/runs")["counts"];
    return counts["completed"] == 3 && counts["waiting"] == 1;
  }));
  const auto question = get("/api/v1/questions")["questions"][0];
  EXPECT_TRUE(
      service_->desk().answer({.id = question["id"].get<std::string>(), .typed = "1"}, "test"));
  demo.wait();
  const auto runs = get("/api/v1/runs")["runs"];
  ASSERT_EQ(runs.size(), 4U);
  std::set<std::string> agents;
  for (const auto& run : runs) {
    EXPECT_EQ(run["state"], "completed") << run;
    EXPECT_FALSE(run["summary"].is_null()) << run;
    agents.insert(run["agent"].get<std::string>());
  }
  EXPECT_EQ(agents, (std::set<std::string>{"claude", "codex", "executor"}));
}

TEST_F(DemoOf, AnExecutorSpeaksFromItsBeginning) {
  Demo demo(*log_, {.speed = 50, .pause = std::chrono::milliseconds(0), .rounds = 1});
  ASSERT_TRUE(
      dragoman::test::eventually([&] { return get("/api/v1/runs")["counts"]["completed"] == 3; }));
  const auto runs = get("/api/v1/runs")["runs"];
  for (const auto& run : runs) {
    if (run["agent"] != "executor") continue;
    const std::string path = "/api/v1/runs/" + run["id"].get<std::string>();
    const auto task = service_->get(run["id"].get<std::string>());
    ASSERT_TRUE(task);
    const auto entries = log_->read(task::event_stream(task->id), 1, 1000);
    ASSERT_TRUE(entries);
    // Never silent for long.
    std::int64_t last = task->started_at;
    std::int64_t silence = 0;
    for (const LogEntry& entry : *entries) {
      Arena arena;
      const auto event = read_event(entry.body, arena);
      ASSERT_TRUE(event && event->ts);
      const std::int64_t said = event->ts->time_since_epoch() / std::chrono::milliseconds(1);
      silence = std::max(silence, said - std::exchange(last, said));
    }
    EXPECT_LT(silence, (task->completed_at - task->started_at) / 3);
    // And what it was read from can be looked at.
    const RawResponse raw = ask("GET", path + "/raw?offset=0&length=100");
    EXPECT_EQ(raw.status, 200) << raw.body;
    EXPECT_EQ(raw.body.size(), 100U);
    EXPECT_EQ(ask("GET", path + "/raw?stream=stderr").body, "");
  }
}

TEST_F(DemoOf, StopsAtOnce) {
  const auto begun = std::chrono::steady_clock::now();
  { const Demo demo(*log_); }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace dragoman::web::test
