// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/status_cache.hpp"

#include <gtest/gtest.h>

#include "tests/log/engines.hpp"

namespace dragoman::task {
namespace {

using test::value_of;

class StatusCacheTest : public testing::Test {
 protected:
  std::string submit() {
    Task task;
    task.text = "do it";
    task.working_dir = "/tmp";
    return value_of(service_.submit(std::move(task))).task.id;
  }
  std::shared_ptr<const Snapshot> status(std::size_t limit = 5) {
    return value_of(cache_.status(service_, {.working_dir = {}, .task_id = {}, .limit = limit}));
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  std::unique_ptr<Log> other_ = engine_.open();  // another process
  Service service_{*log_, {2, [] { return Result<void>(); }}};
  StatusCache cache_;
};

TEST_F(StatusCacheTest, AnswersTheSameWhileNothingChanges) {
  (void)submit();
  const auto first = status();
  EXPECT_EQ(first->queued.size(), 1U);
  int same = 0;
  for (int i = 0; i < 100; ++i) same += status() == first ? 1 : 0;
  EXPECT_GT(same, 50);  // a slow machine may need more than a second
}

TEST_F(StatusCacheTest, HasEveryChangeAtOnceWhoeverMadeIt) {
  for (std::size_t i = 1; i <= 20; ++i) {
    const std::string id = submit();
    EXPECT_EQ(status()->queued.size(), i);
    if (i % 2 == 0) continue;
    EXPECT_TRUE(value_of(change_task(*other_, id, [](Task& task) {
      task.summary = "seen by another process";
      return true;
    })));
    (void)status();
  }
  const std::string id = status()->queued.front().task_id;
  EXPECT_TRUE(value_of(change_task(*other_, id, [](Task& task) {
    task.state = "working";
    return true;
  })));
  EXPECT_EQ(status()->queued.size(), 19U);
  ASSERT_EQ(status()->running.size(), 1U);
  EXPECT_EQ(status()->running.front().id, id);
}

TEST_F(StatusCacheTest, AnotherQuestionIsAnotherAnswer) {
  const std::string id = submit();
  EXPECT_EQ(status()->queued.size(), 1U);
  EXPECT_TRUE(value_of(cache_.status(service_, {.working_dir = "/elsewhere"}))->queued.empty());
  EXPECT_EQ(status()->queued.size(), 1U);
}

}  // namespace
}  // namespace dragoman::task
