// SPDX-License-Identifier: Apache-2.0
// The background runner with a script in the place of `dragoman run`.
#include "dragoman/task/runner.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/task/failing_log.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using namespace std::chrono_literals;

class RunnerTest : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  test::TempDir directory_;
  std::unique_ptr<Log> log_ = engine_.open();
  Service service_{*log_, {}};

  RunnerOptions playing(const std::string& script) {
    const auto path = directory_.path() / "run";
    test::write_file(path, "#!/bin/sh\n" + script);
    ::chmod(path.c_str(), 0755);
    RunnerOptions options;
    options.start = run_as_process(path);
    options.lock_file = directory_.path() / "lock";
    options.linger = 100ms;
    return options;
  }
  std::string submit(std::string text) {
    Task task;
    task.text = std::move(text);
    task.working_dir = directory_.path();
    task.grace_ms = 200;
    return value_of(service_.submit(std::move(task))).task.id;
  }
};

constexpr const char* kDone =
    R"(echo '{"seq":9,"kind":"finished","data":{"verdict":"completed","reasons":[],"exit_code":0}}')";

TEST_F(RunnerTest, RunsWhatWaitsInOrderAndEnds) {
  const auto options = playing("head -n 1 >> prompts\n" + std::string(kDone) + "\n");
  std::vector<std::string> ids;
  for (const char* text : {"one", "two", "three"}) ids.push_back(submit(text));
  RunnerOptions one_slot = options;
  one_slot.concurrency = 1;
  ASSERT_TRUE(work_queue(*log_, one_slot));
  for (const auto& id : ids) EXPECT_EQ(value_of(service_.get(id)).state, "completed");
  EXPECT_EQ(test::read_file(directory_.path() / "prompts"),
            "{\"type\":\"prompt\",\"text\":\"one\"}\n{\"type\":\"prompt\",\"text\":\"two\"}\n"
            "{\"type\":\"prompt\",\"text\":\"three\"}\n");
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
  EXPECT_FALSE(runner_lives(options.lock_file));
}

// It was taken for another runner that has the lock, and what waited went on waiting.
TEST_F(RunnerTest, ALockThatCannotBeHadIsAnErrorNotAnotherRunner) {
  RunnerOptions options = playing("true\n");
  options.lock_file = directory_.path();
  const auto worked = work_queue(*log_, options);
  ASSERT_FALSE(worked);
  EXPECT_EQ(worked.error().message, "lock " + directory_.path().string() + ": Is a directory");
  EXPECT_FALSE(start_runner(options.lock_file, {"/bin/true"}));
}

TEST_F(RunnerTest, AProgramThatIsNotThereIsNotStarted) {
  const auto started = start_runner(directory_.path() / "lock", {"/no/such/program"});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "start '/no/such/program': No such file or directory");
  EXPECT_FALSE(runner_lives(directory_.path() / "lock"));
}

TEST_F(RunnerTest, ATaskWithoutAnEndIsFailed) {
  const std::string id = submit("x");
  ASSERT_TRUE(work_queue(*log_, playing("echo 'no such agent' >&2; exit 127\n")));
  const Task task = value_of(service_.get(id));
  EXPECT_EQ(task.state, "failed");
  EXPECT_EQ(task.reason, "spawn_failed");
  EXPECT_EQ(task.summary, "Task failed: no such agent");
}

// The words that tell why an agent could not begin mean nothing in a command's output.
TEST_F(RunnerTest, OnlyAnAgentsWordsAreTheReasonOfItsFailure) {
  const auto options = playing(R"sh(
echo '{"seq":1,"kind":"text","data":{"text":"401 Unauthorized"}}'
echo '{"seq":2,"kind":"finished","data":{"verdict":"failed","reasons":["exit_nonzero"],"exit_code":1}}'
exit 1)sh");
  for (const std::string agent : {"command", "codex"}) {
    Task task;
    task.agent = agent;
    (agent == "command" ? task.words.emplace_back() : task.text) = "x";
    task.working_dir = directory_.path();
    const std::string id = value_of(service_.submit(std::move(task))).task.id;
    ASSERT_TRUE(work_queue(*log_, options));
    EXPECT_EQ(value_of(service_.get(id)).reason,
              agent == "command" ? "exit_nonzero" : "auth_required");
  }
}

TEST_F(RunnerTest, ATimeoutNamesTheLimitThatWasExceeded) {
  struct Row {
    const char* limit;
    const char* summary;
  };
  for (const Row& row : {Row{"idle", "Task exceeded idle timeout (1 second with no output)"},
                         Row{"hard", "Task exceeded hard timeout (7 seconds total)"}}) {
    Task limited;
    limited.text = "x";
    limited.working_dir = directory_.path();
    limited.idle_ms = 1000;
    limited.hard_ms = 7000;
    const std::string id = value_of(service_.submit(std::move(limited))).task.id;
    ASSERT_TRUE(
        work_queue(*log_, playing(R"(echo '{"seq":1,"kind":"finished","data":{"verdict":"timeout",)"
                                  R"("reasons":["timeout"],"limit":")" +
                                  std::string(row.limit) + R"("}}'; exit 124)")));
    const Task task = value_of(service_.get(id));
    EXPECT_EQ(task.reason, row.limit);
    EXPECT_EQ(task.summary, row.summary);
  }
}

TEST_F(RunnerTest, CancelKillsTheProcessAndStays) {
  const auto options = playing("echo $$ > pid\nexec sleep 600\n");
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(*log_, options)); });
  const auto pid_file = directory_.path() / "pid";
  ASSERT_TRUE(test::eventually(
      [&] { return std::filesystem::exists(pid_file) && !test::read_file(pid_file).empty(); }));
  value_of(service_.cancel(id, "enough"));
  const std::string pid = test::read_file(pid_file);
  runner.join();
  EXPECT_FALSE(std::filesystem::exists("/proc/" + pid.substr(0, pid.find('\n'))));
  EXPECT_EQ(value_of(service_.get(id)).state, "cancelled");
}

constexpr std::string_view kAsks = R"sh(
read -r prompt; printf '%s' "$prompt" > prompt
echo '{"seq":1,"kind":"session_started","data":{"session_id":"s-1"}}'
echo '{"seq":2,"kind":"question","data":{"id":"q1","kind":"question","source":"comment","state":"open","text":"Which?","options":[{"label":"A"},{"label":"B"}],"multi_select":false,"free_text":false,"blocking":true}}'
)sh";
constexpr std::string_view kTakesTheAnswer = R"sh(
if read -r answer; then
  printf '%s' "$answer" > answer
  echo '{"seq":3,"kind":"finished","data":{"verdict":"completed","reasons":[],"exit_code":0}}'
else
  echo '{"seq":3,"kind":"finished","data":{"verdict":"question","reasons":["question_open"]}}'
  exit 4
fi
)sh";

// The run lives on while somebody is asked: an agent that waits for its answer in a conversation
// would be gone otherwise.
TEST_F(RunnerTest, AnAnswerReachesTheRunThatAsked) {
  const auto options = playing(std::string(kAsks) + std::string(kTakesTheAnswer));
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(*log_, options)); });
  ASSERT_TRUE(
      test::eventually([&] { return !value_of(service_.desk().open_questions()).empty(); }));
  EXPECT_EQ(value_of(service_.get(id)).state, "working");
  EXPECT_TRUE(value_of(service_.desk().answer("q1", "2", ask::Literal::no, "test")).accepted);
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
  EXPECT_EQ(test::read_file(directory_.path() / "prompt"), R"({"type":"prompt","text":"x"})");
  EXPECT_EQ(test::read_file(directory_.path() / "answer"),
            R"({"type":"answer","id":"q1","options":[2]})");
}

TEST_F(RunnerTest, AQuestionThatNobodyAnswersInTimeEndsTheTask) {
  auto options = playing(std::string(kAsks) + std::string(kTakesTheAnswer));
  options.answer_within = std::chrono::milliseconds(1);
  const std::string id = submit("x");
  EXPECT_TRUE(work_queue(*log_, options));
  const Task task = value_of(service_.get(id));
  EXPECT_EQ(task.state, "failed");
  EXPECT_EQ(task.reason, "unanswered");
  EXPECT_EQ(value_of(service_.desk().find("q1")).state, "unanswered");
}

TEST_F(RunnerTest, AQuestionThatTheAgentTakesBackIsOpenNoMore) {
  const auto options = playing(std::string(kAsks) + R"sh(
until [ -e go ]; do sleep 0.02; done
echo '{"seq":3,"kind":"question","data":{"id":"q1","kind":"question","source":"comment","state":"withdrawn","text":"Which?","options":[{"label":"A"},{"label":"B"}],"multi_select":false,"free_text":false,"blocking":true}}'
until [ -e end ]; do sleep 0.02; done
echo '{"seq":4,"kind":"finished","data":{"verdict":"completed","reasons":[],"exit_code":0}}'
)sh");
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(*log_, options)); });
  EXPECT_TRUE(
      test::eventually([&] { return !value_of(service_.desk().open_questions()).empty(); }));
  test::write_file(directory_.path() / "go", "");
  EXPECT_TRUE(test::eventually([&] { return value_of(service_.desk().open_questions()).empty(); }));
  EXPECT_EQ(value_of(service_.desk().find("q1")).state, "withdrawn");
  test::write_file(directory_.path() / "end", "");
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
}

// As a full disk or a store that somebody keeps locked, and that passes.
class FailingStore : public RunnerTest {
 protected:
  using Fault = test::FailingLog::Fault;
  test::FailingLog runners_{engine_.open()};

  [[nodiscard]] bool there(const char* file) const {
    return std::filesystem::exists(directory_.path() / file);
  }
  void touch(const char* file) const { test::write_file(directory_.path() / file, ""); }
  // An agent that has begun ends while the store is away, which it stays until that was noticed.
  void refuse_its_end() {
    EXPECT_TRUE(test::eventually([&] { return there("begun"); }));
    runners_.fault = Fault::away;
    touch("go");
    EXPECT_TRUE(test::eventually([&] { return there("done"); }));
    const int refused = runners_.refused;
    EXPECT_TRUE(test::eventually([&] { return runners_.refused > refused + 3; }));
    runners_.fault = Fault::none;
  }
  // Longer than its lease nobody has heard of it.
  [[nodiscard]] bool lapsed() {
    const auto items = value_of(log_->queue(kQueue));
    return !items.empty() && !items.front().claimed;
  }
};

TEST_F(FailingStore, TheEndOfATaskIsWrittenWhenTheStoreTakesItAgain) {
  const auto options = playing("touch begun; until [ -e go ]; do sleep 0.02; done\n" +
                               std::string(kDone) + "\ntouch done\n");
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(runners_, options)); });
  refuse_its_end();
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
}

TEST_F(FailingStore, AQuestionIsAskedWhenTheStoreTakesItAgain) {
  const auto options = playing("touch begun; until [ -e go ]; do sleep 0.02; done\n" +
                               std::string(kAsks) + "touch done\n" + std::string(kTakesTheAnswer));
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(runners_, options)); });
  refuse_its_end();
  const bool asked =
      test::eventually([&] { return !value_of(service_.desk().open_questions()).empty(); });
  EXPECT_TRUE(asked);
  if (asked) value_of(service_.desk().answer("q1", "2", ask::Literal::no, "test"));
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
}

TEST_F(FailingStore, ARunnerWhoseLeasesRanOutGoesOn) {
  auto options =
      playing("touch begun; until [ -e go ]; do sleep 0.02; done\n" + std::string(kDone) + "\n");
  options.lease = 400ms;
  options.concurrency = 1;
  const std::string first = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(runners_, options)); });
  ASSERT_TRUE(test::eventually([&] { return there("begun"); }));
  runners_.fault = Fault::away;
  ASSERT_TRUE(test::eventually([&] { return lapsed(); }));
  runners_.fault = Fault::none;
  EXPECT_TRUE(test::eventually([&] { return !lapsed(); })) << "its place is held again";
  EXPECT_EQ(value_of(service_.get(first)).state, "working");
  // It hears again what is wanted of it.
  value_of(service_.cancel(first, "enough"));
  const bool heard = test::eventually([&] { return value_of(log_->queue(kQueue)).empty(); });
  EXPECT_TRUE(heard);
  touch("go");
  runner.join();
}

}  // namespace
}  // namespace dragoman::task
