// SPDX-License-Identifier: Apache-2.0
// What runs and their questions are called at the one door to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/run/run_id.hpp"
#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/task/failing_log.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using namespace std::chrono_literals;

class NamedRuns : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  Service service_{*log_, {}};

  static Task asking(std::string text) {
    Task task;
    task.text = std::move(text);
    task.working_dir = "/tmp";
    return task;
  }
  std::string submit(std::string text) {
    return value_of(service_.submit(asking(std::move(text)))).task.id;
  }
};

TEST_F(NamedRuns, AnIdThatIsTakenIsNotGivenAgain) {
  test::FailingLog log(engine_.open());
  std::string taken;
  log.fails = [&](const std::vector<LogWrite>& writes) {
    const auto* const put = writes.empty() ? nullptr : std::get_if<Put>(&writes.front());
    if (taken.empty() && put != nullptr && put->bucket == kTasks) {
      taken = put->record.key;  // somebody else is quicker
      value_of(write_one(*log_, *put));
    }
    return false;
  };
  Service service(log, {});
  const auto ack = value_of(service.submit(asking("do it")));
  EXPECT_NE(ack.task.id, taken);
  EXPECT_TRUE(is_run_id(ack.task.id)) << ack.task.id;
  Task again = asking("do it");
  again.id = taken;
  EXPECT_FALSE(service.submit(again));
  EXPECT_EQ(value_of(service.list({})).size(), 2U);
}

TEST_F(NamedRuns, AnyWordThatNamesATaskWillDo) {
  const std::string id = submit("x");
  for (const std::string& word : {id, task_id_of(id), id.substr(0, 8), std::string("last")}) {
    EXPECT_EQ(value_of(service_.get(word)).id, id) << word;
    EXPECT_EQ(value_of(service_.wait(word, 0ms)).id, id) << word;
  }
  EXPECT_EQ(value_of(service_.cancel(task_id_of(id), "")).task.id, id);
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
  EXPECT_EQ(value_of(service_.repeat(id.substr(0, 9))).task.parent, id);
  EXPECT_EQ(service_.get("nothing").error().code, ErrorCode::not_found);
}

TEST_F(NamedRuns, AQuestionIsNamedByItselfByWhatBeginsItAndByItsRun) {
  const std::string one = submit("x");
  const std::string two = submit("y");
  const auto ask = [&](const std::string& task, const char* id) {
    ask::QuestionRecord question;
    question.task_id = task;
    question.id = id;
    question.text = "Which?";
    EXPECT_TRUE(service_.desk().open(question));
    return question.key();
  };
  const auto called = [&](const std::string& word) {
    const auto question = service_.question(word);
    return question ? question->key() : question.error().message;
  };
  const std::string alike = ask(one, "q-same");
  const std::string other = ask(two, "q-same");
  const std::string more = ask(two, "q-else");
  EXPECT_EQ(called("q-else"), more);
  EXPECT_EQ(called("q-e"), more);
  EXPECT_EQ(called(one), alike);
  EXPECT_EQ(called(task_id_of(one)), alike);
  EXPECT_EQ(called(task_id_of(two) + "/q-same"), other);
  EXPECT_EQ(called(two.substr(0, 9) + "/q-e"), more);
  EXPECT_THAT(called("q-same"), testing::HasSubstr("\n  " + other + "  Which?"));
  EXPECT_THAT(called(two), testing::HasSubstr("several questions are named " + two));
  EXPECT_EQ(called("nothing"), "no question nothing");
  ASSERT_TRUE(value_of(service_.desk().withdraw(alike)));
  EXPECT_EQ(called("q-same"), other);
  EXPECT_EQ(called(alike), alike);  // settled, and told so
  EXPECT_EQ(called(one), one + " asks nothing");
}

}  // namespace
}  // namespace dragoman::task
