// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/demo.hpp"

#include <set>

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
      service_->desk().answer(question["id"].get<std::string>(), "1", ask::Literal::no, "test"));
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

TEST_F(DemoOf, StopsAtOnce) {
  const auto begun = std::chrono::steady_clock::now();
  { const Demo demo(*log_); }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace dragoman::web::test
