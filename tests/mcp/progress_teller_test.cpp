// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/progress_teller.hpp"

#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;

task::Task at(std::optional<int> percent, const std::string& activity) {
  task::Task task;
  task.state = "working";
  task.started_at = task::now_ms() - 45'000;
  if (percent) {
    task.progress.json = json{{"percent", *percent}, {"current_activity", activity}}.dump();
  }
  return task;
}

TEST(ProgressTeller, TellsPercentStrictlyIncreasing) {
  FakeContext context;
  context.wants_progress_ = true;
  mcp::ProgressTeller teller(context);
  const auto start = mcp::ProgressTeller::Clock::now();
  teller.tell(at(0, "Starting"), start);
  teller.tell(at(50, "Running: npm test"), start + 500ms);  // too soon
  teller.tell(at(50, "Running: npm test"), start + 1s);
  teller.tell(at(50, "Running: npm test"), start + 5s);  // no news
  teller.tell(at(50, "Editing a.ts"), start + 6s);
  teller.tell(at(50, "Editing a.ts"), start + 21s);  // a sign of life
  task::Task done = at(99, "");
  done.state = "completed";
  teller.end(done);
  std::vector<double> values;
  std::vector<std::string> messages;
  for (const Told& each : context.told_) {
    values.push_back(each.progress);
    messages.push_back(each.message);
    EXPECT_EQ(each.total, 100);
  }
  EXPECT_THAT(values,
              testing::ElementsAre(0, 50, testing::DoubleEq(50.01), testing::DoubleEq(50.02), 100));
  EXPECT_EQ(messages[1], "50% - Running: npm test");
}

TEST(ProgressTeller, TellsSecondsWhereNoPercentageIsKnownAndKeepsToThem) {
  FakeContext context;
  context.wants_progress_ = true;
  mcp::ProgressTeller teller(context);
  const auto start = mcp::ProgressTeller::Clock::now();
  teller.tell(at({}, ""), start);
  teller.tell(at(70, "Analyzing"), start + 2s);
  ASSERT_EQ(context.told_.size(), 2U);
  EXPECT_EQ(context.told_[0].message, "45 s - Working");
  EXPECT_EQ(context.told_[0].total, std::nullopt);
  EXPECT_EQ(context.told_[1].total, std::nullopt);
  EXPECT_GT(context.told_[1].progress, context.told_[0].progress);
}

}  // namespace
}  // namespace dragoman::test
