// SPDX-License-Identifier: Apache-2.0
// A store from before runs had short ids: everything in it is found, told and changed as before, by
// the long ids that it has, by what begins them, and by `last`.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/task/envelope.hpp"
#include "dragoman/task/results.hpp"
#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using testing::HasSubstr;

constexpr const char* kCompleted = "T-local-mwo20d237dye8bc55iafvq0g";
constexpr const char* kFailed = "T-local-mwo20d4j8sv375d835ud8s2v";
constexpr const char* kOwnRun = "T-local-mwo20d6c62cxe4t0xombt8m0";
constexpr const char* kQueued = "T-local-mwo20ef55lgmdh9wqqx0o041";
constexpr const char* kAsking = "T-local-mwo20efscp8b27qaw0covpwq";

class StoreWithLongIds : public testing::Test {
 protected:
  test::TempDir directory_;
  std::unique_ptr<Log> log_ = open();
  Service service_{*log_, {.directory = "/tmp/old/work"}};

  std::unique_ptr<Log> open() {
    const auto file = directory_.path() / "dragoman.db";
    std::filesystem::copy_file(test::source_dir() / "tests/data/stores/long_ids.db", file);
    return value_of(open_sqlite_log({file.string(), ""}));
  }
  std::vector<std::string> listed() {
    std::vector<std::string> ids;
    for (const Task& task : value_of(service_.list({}))) ids.push_back(task.id);
    return ids;
  }
};

TEST_F(StoreWithLongIds, ListsEverythingUnderItsOldId) {
  EXPECT_THAT(listed(),
              testing::UnorderedElementsAre(kCompleted, kFailed, kOwnRun, kQueued, kAsking));
  EXPECT_EQ(task_id_of(kCompleted), kCompleted);
}

TEST_F(StoreWithLongIds, FindsByTheWholeIdByItsBeginningAndTheLastOne) {
  EXPECT_EQ(value_of(service_.get(kCompleted)).summary, "one");
  EXPECT_EQ(value_of(service_.get("T-local-mwo20d23")).id, kCompleted);
  EXPECT_EQ(value_of(service_.get("mwo20d4")).id, kFailed);
  EXPECT_EQ(value_of(service_.get("last")).id, kAsking);
  const auto several = service_.get("mwo20d");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("the beginning of 3 ids"));
  EXPECT_THAT(several.error().message, HasSubstr("/bin/sh -c echo trouble; exit 3"));
}

TEST_F(StoreWithLongIds, TellsResultsAndStatus) {
  const auto task = value_of(service_.get("mwo20d2"));
  const auto results = value_of(results_of(service_, task, {.include_output = true}));
  EXPECT_EQ(results.output.stdout_text, "one\ntwo\n");
  EXPECT_THAT(results_envelope(results), HasSubstr(std::string("\"task_id\":\"") + kCompleted));
  const auto snapshot = value_of(service_.status({}));
  ASSERT_EQ(snapshot.queued.size(), 1U);
  EXPECT_EQ(snapshot.queued[0].task.id, kQueued);
}

TEST_F(StoreWithLongIds, TakesTheAnswerToAnOpenQuestion) {
  for (const std::string& word : {std::string("t1"), std::string(kAsking) + "/t1#0",
                                  std::string("mwo20efs/t"), std::string("last")}) {
    EXPECT_EQ(value_of(service_.question(word)).key(), std::string(kAsking) + "/t1#0") << word;
  }
  const auto question = value_of(service_.question("last/t1"));
  const auto outcome =
      value_of(service_.desk().answer({.id = question.key(), .typed = "2"}, "cli"));
  EXPECT_TRUE(outcome.accepted);
  EXPECT_EQ(shown_answer(outcome.question), "NATS");
}

TEST_F(StoreWithLongIds, CancelsResumesAndRepeats) {
  EXPECT_EQ(value_of(service_.cancel("mwo20ef5", "not now")).task.id, kQueued);
  EXPECT_EQ(value_of(service_.get(kQueued)).state, "cancelled");
  const auto no_thread = service_.next_in_thread("last");
  EXPECT_EQ(no_thread.error().message, std::string(kAsking) + " has no thread to resume");
  ASSERT_TRUE(value_of(change_task(*log_, kAsking, [](Task& task) {
    task.thread_id = "5c2e1c1e-8d1f-4a44-9a57-0d6a1f6f2b11";
    return true;
  })));
  EXPECT_EQ(value_of(service_.next_in_thread("last")).resume,
            "5c2e1c1e-8d1f-4a44-9a57-0d6a1f6f2b11");
  Task another;
  another.words = {"true"};
  another.agent = "command";
  another.working_dir = "/tmp";
  EXPECT_TRUE(is_run_id(value_of(service_.submit(another)).task.id));
  EXPECT_EQ(listed().size(), 6U);
}

TEST_F(StoreWithLongIds, DeletesWhatIsOld) {
  const auto cleaned = value_of(service_.clean({.old = std::chrono::milliseconds(0)}));
  EXPECT_EQ(cleaned.deleted, 3U);
  EXPECT_THAT(listed(), testing::UnorderedElementsAre(kQueued, kAsking));
  EXPECT_TRUE(value_of(log_->read(event_stream(kCompleted), 1, 10)).empty());
}

}  // namespace
}  // namespace dragoman::task
