// SPDX-License-Identifier: Apache-2.0
// The background runner with a script in the place of Claude.
#include "dragoman/task/runner.hpp"

#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/process/environment.hpp"
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
    const auto path = directory_.path() / "claude";
    test::write_file(path, "#!/bin/sh\n" + script);
    ::chmod(path.c_str(), 0755);
    std::vector<std::string> environment = process::own_environment();
    for (std::string& variable : environment) {
      if (variable.starts_with("PATH="))
        variable = "PATH=" + directory_.path().string() + ":" + variable.substr(5);
    }
    RunnerOptions options;
    options.start = engine::run_as_thread([environment](engine::RunSpec spec) {
      return engine::Job::prepare(std::move(spec), {environment, {}});
    });
    options.lock_file = directory_.path() / "lock";
    options.linger = 100ms;
    return options;
  }
  std::string submit(std::string text) {
    Task task;
    task.text = std::move(text);
    task.agent = "claude";
    task.working_dir = directory_.path();
    task.grace_ms = 200;
    return value_of(service_.submit(task)).task.id;
  }
};

constexpr const char* kBegin = R"(echo '{"type":"system","subtype":"init","session_id":"s-1"}')";
constexpr const char* kDone = R"(
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}'
cat > rest
)";

TEST_F(RunnerTest, RunsWhatWaitsInOrderAndEnds) {
  const auto options =
      playing("read -r prompt; echo \"$prompt\" >> prompts\n" + std::string(kBegin) + kDone);
  std::vector<std::string> ids;
  for (const char* text : {"one", "two", "three"}) ids.push_back(submit(text));
  RunnerOptions one_slot = options;
  one_slot.concurrency = 1;
  ASSERT_TRUE(work_queue(*log_, one_slot));
  for (const auto& id : ids) EXPECT_EQ(value_of(service_.get(id)).state, "completed");
  std::istringstream prompts(test::read_file(directory_.path() / "prompts"));
  for (const char* text : {"one", "two", "three"}) {
    std::string prompt;
    std::getline(prompts, prompt);
    EXPECT_NE(prompt.find(text), std::string::npos) << prompt;
  }
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

TEST_F(RunnerTest, ATaskWhoseAgentIsNotThereIsFailed) {
  RunnerOptions options = playing("true\n");
  std::filesystem::remove(directory_.path() / "claude");
  options.start = engine::run_as_thread([](engine::RunSpec spec) {
    return engine::Job::prepare(std::move(spec), {{"PATH=/nowhere"}, {}});
  });
  const std::string id = submit("x");
  ASSERT_TRUE(work_queue(*log_, options));
  const Task task = value_of(service_.get(id));
  EXPECT_EQ(task.state, "failed");
  EXPECT_EQ(task.reason, "spawn_failed");
  EXPECT_NE(task.summary.find("start 'claude'"), std::string::npos) << task.summary;
  const auto events = value_of(log_->read(event_stream(id), 1, 10));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].body.find("not started: start 'claude'"), std::string::npos);
}

// The words that tell why an agent could not begin mean nothing in a command's output.
TEST_F(RunnerTest, OnlyAnAgentsWordsAreTheReasonOfItsFailure) {
  const auto options = playing("echo '401 Unauthorized'; exit 1\n");
  for (const std::string agent : {"command", "claude"}) {
    Task task;
    task.agent = agent;
    if (agent == "command") {
      task.words = {(directory_.path() / "claude").string()};
    } else {
      task.text = "x";
    }
    task.working_dir = directory_.path();
    const std::string id = value_of(service_.submit(task)).task.id;
    ASSERT_TRUE(work_queue(*log_, options));
    EXPECT_EQ(value_of(service_.get(id)).reason,
              agent == "command" ? "exit_nonzero" : "auth_required");
  }
}

// A run that ended because of a limit.
class LimitedRun final : public engine::RunHandle {
 public:
  LimitedRun(boost::asio::io_context& io, process::Limit limit, std::chrono::milliseconds after,
             engine::Audience& audience, const engine::RunCalls& calls) {
    boost::asio::post(io, [=, &audience] {
      const std::string json = fmt::format("\"{}\"", process::name(limit));
      const Extra extra{"limit", Raw{json}};
      Event finished;
      finished.payload = Finished{"timeout", {}, {}, {}};
      finished.extra = {&extra, 1};
      std::string buffer;
      engine::EventLine line(finished, buffer);
      audience.event(finished, line);
      engine::RunEnd end;
      end.ending.verdict.kind = VerdictKind::timeout;
      end.ending.timeout.emplace();
      end.ending.timeout->what.limit = limit;
      end.ending.timeout->what.after = after;
      calls.rested(end);
      calls.ended();
    });
  }
  void answer(Reply /*reply*/) override {}
  void say(engine::Message /*message*/) override {}
  void interrupt_turn() override {}
  void rest() override {}
  void end_answers() override {}
  void stop() override {}
  void kill() override {}
  std::function<void()> kill_switch() override {
    return [] {};
  }
};

TEST_F(RunnerTest, ATimeoutNamesTheLimitThatWasExceeded) {
  struct Row {
    process::Limit limit;
    std::chrono::milliseconds after;
    const char* summary;
  };
  for (const Row& row :
       {Row{process::Limit::idle, 1s, "Task exceeded idle timeout (1 second with no output)"},
        Row{process::Limit::hard, 7s, "Task exceeded hard timeout (7 seconds total)"}}) {
    RunnerOptions options = playing("true\n");
    options.start = [row](boost::asio::io_context& io, const engine::RunOrder&,
                          engine::Audience& audience, const engine::RunCalls& calls) {
      return Result<std::unique_ptr<engine::RunHandle>>(
          std::make_unique<LimitedRun>(io, row.limit, row.after, audience, calls));
    };
    const std::string id = submit("x");
    ASSERT_TRUE(work_queue(*log_, options));
    const Task task = value_of(service_.get(id));
    EXPECT_EQ(task.reason, process::name(row.limit));
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

// It asks which of two, in its conversation.
constexpr std::string_view kAsks = R"sh(
read -r prompt; printf '%s' "$prompt" > prompt
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","input":{"questions":[{"question":"Which?","header":"H","options":[{"label":"A"},{"label":"B"}]}]}}}'
)sh";
constexpr std::string_view kTakesTheAnswer = R"sh(
read -r answer || exit 1
printf '%s' "$answer" > answer
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}'
cat > rest
)sh";

// The run lives on while people are asked: an agent that waits for its answer in a conversation
// would be gone otherwise.
TEST_F(RunnerTest, AnAnswerReachesTheRunThatAsked) {
  const auto options = playing(std::string(kAsks) + std::string(kTakesTheAnswer));
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(*log_, options)); });
  ASSERT_TRUE(
      test::eventually([&] { return !value_of(service_.desk().open_questions()).empty(); }));
  EXPECT_EQ(value_of(service_.get(id)).state, "working");
  EXPECT_TRUE(value_of(service_.desk().answer({.id = "t1#0", .typed = "2"}, "test")).accepted);
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
  EXPECT_NE(test::read_file(directory_.path() / "prompt").find(R"("text":"x")"), std::string::npos);
  EXPECT_NE(test::read_file(directory_.path() / "answer").find(R"("answers":{"Which?":"B"})"),
            std::string::npos);
}

TEST_F(RunnerTest, AQuestionThatNobodyAnswersInTimeEndsTheTask) {
  auto options = playing(std::string(kAsks) + std::string(kTakesTheAnswer));
  options.answer_within = std::chrono::milliseconds(1);
  const std::string id = submit("x");
  EXPECT_TRUE(work_queue(*log_, options));
  const Task task = value_of(service_.get(id));
  EXPECT_EQ(task.state, "failed");
  EXPECT_EQ(task.reason, "unanswered");
  EXPECT_EQ(value_of(service_.desk().find("t1#0")).state, QuestionState::unanswered);
}

TEST_F(RunnerTest, AQuestionThatTheAgentTakesBackIsOpenNoMore) {
  const auto options = playing(std::string(kAsks) + R"sh(
until [ -e go ]; do sleep 0.02; done
echo '{"type":"control_cancel_request","request_id":"r1"}'
until [ -e end ]; do sleep 0.02; done
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}'
cat > rest
)sh");
  const std::string id = submit("x");
  std::thread runner([&] { EXPECT_TRUE(work_queue(*log_, options)); });
  EXPECT_TRUE(
      test::eventually([&] { return !value_of(service_.desk().open_questions()).empty(); }));
  test::write_file(directory_.path() / "go", "");
  EXPECT_TRUE(test::eventually([&] { return value_of(service_.desk().open_questions()).empty(); }));
  EXPECT_EQ(value_of(service_.desk().find("t1#0")).state, QuestionState::withdrawn);
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
                               std::string(kBegin) + kDone + "touch done\n");
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
  if (asked) value_of(service_.desk().answer({.id = "t1#0", .typed = "2"}, "test"));
  runner.join();
  EXPECT_EQ(value_of(service_.get(id)).state, "completed");
}

TEST_F(FailingStore, ARunnerWhoseLeasesRanOutGoesOn) {
  auto options =
      playing("touch begun; until [ -e go ]; do sleep 0.02; done\n" + std::string(kBegin) + kDone);
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
