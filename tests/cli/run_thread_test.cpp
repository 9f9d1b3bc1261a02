// SPDX-License-Identifier: Apache-2.0
// `dragoman run` as a process and as a thread: whoever orders it cannot tell them apart.
#include "dragoman/cli/run_thread.hpp"

#include <signal.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/process/environment.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using Way = task::StartRun (*)();

task::StartRun as_process() { return task::run_as_process(dragoman_program().string()); }
task::StartRun as_thread() { return cli::run_as_thread(); }

class RunWays : public testing::TestWithParam<Way> {
 protected:
  task::RunOrder order_of(const std::vector<std::string>& command) const {
    task::RunOrder order;
    order.words = {"run",     "--agent", "command",    "--cwd",  directory(),
                   "--as",    "json",    "--record",   record(), "--no-store",
                   "--grace", "200ms",   "--no-input", "--"};
    order.words.insert(order.words.end(), command.begin(), command.end());
    order.environment = process::own_environment();
    order.environment.push_back("DRAGOMAN_STATE_DIR=" + directory() + "/state");
    order.directory = directory();
    order.grace = 1s;
    return order;
  }
  task::RunOrder order(const std::string& script) const {
    return order_of({"/bin/sh", "-c", script});
  }
  // An executor that asks, ends, and is started again with the answer.
  task::RunOrder asking() const {
    const std::string executor = directory() + "/executor";
    write_file(
        executor,
        "#!/bin/sh\n"
        "case \"$2\" in\n"
        "  *Answer:*) echo '[CODEX_COMPLETE] Task completed';;\n"
        "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n'; echo $$ > pid;;\n"
        "esac\n");
    std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
    task::RunOrder order = order_of({executor, "t-1", "it"});
    order.words[2] = "executor";
    std::replace(order.words.begin(), order.words.end(), std::string("--no-input"),
                 std::string("--io=jsonl"));
    order.talks = true;
    return order;
  }
  std::string record() const { return directory() + "/record"; }
  std::string directory() const { return directory_.path().string(); }

  void start(task::RunOrder order) {
    task::RunCalls calls;
    calls.output = [this](process::Stream stream, std::string_view bytes) {
      (stream == process::Stream::stdout_ ? out_ : err_) += bytes;
    };
    calls.ended = [this](const task::RunEnd& end) { end_ = end; };
    auto started = GetParam()()(io_, std::move(order), std::move(calls));
    ASSERT_TRUE(started) << started.error().message;
    run_ = *std::move(started);
  }
  testing::AssertionResult until(const std::function<bool()>& condition) {
    const bool met = eventually([&] {
      io_.restart();
      io_.poll();
      return condition();
    });
    return met ? testing::AssertionSuccess() : testing::AssertionFailure() << out_ << err_;
  }
  testing::AssertionResult ends() {
    return until([this] { return end_.has_value(); });
  }
  // The number that the script wrote to the file `pid`.
  pid_t agent() {
    pid_t pid = 0;
    EXPECT_TRUE(until([&] {
      const std::string path = directory() + "/pid";
      const std::string text = std::filesystem::exists(path) ? read_file(path) : "";
      if (text.ends_with('\n')) pid = std::stoi(text);
      return pid > 1;
    }));
    return pid;
  }
  static bool lives(pid_t pid) { return pid > 1 && ::kill(pid, 0) == 0; }
  // Its program has asked and is gone.
  testing::AssertionResult waits_for_an_answer() {
    const pid_t program = agent();
    return until([&] { return out_.find("Which store?") != std::string::npos && !lives(program); });
  }
  // The verdict of the last line.
  std::string verdict() const {
    std::string found;
    std::istringstream lines(out_);
    for (std::string line; std::getline(lines, line);) {
      Arena arena;
      const auto event = read_event(line, arena);
      EXPECT_TRUE(event) << line;
      const auto* const finished = event ? event->as<Finished>() : nullptr;
      found = finished != nullptr ? std::string(finished->verdict) : "";
    }
    return found;
  }

  TempDir directory_;
  boost::asio::io_context io_{1};
  std::string out_;
  std::string err_;
  std::optional<task::RunEnd> end_;
  std::unique_ptr<task::RunHandle> run_;
};

INSTANTIATE_TEST_SUITE_P(AllWays, RunWays, testing::Values(&as_process, &as_thread),
                         [](const auto& way) { return way.index == 0 ? "process" : "thread"; });

TEST_P(RunWays, EventsComeAsLinesAndTheEndBehindThem) {
  start(order("echo one; echo two >&2; exit 3"));
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "failed");
  EXPECT_NE(out_.find("one"), std::string::npos);
  EXPECT_EQ(end_->exit_code, 1);
  EXPECT_EQ(read_file(record() + "/stdout"), "one\n");
}

TEST_P(RunWays, SecretsOfTheEnvironmentAreNowhere) {
  task::RunOrder secret = order("echo \"it is $MY_TOKEN\"");
  secret.environment.push_back("MY_TOKEN=hunter2hunter2");
  secret.words.insert(secret.words.begin() + 1, {"--env", "MY_TOKEN"});
  start(std::move(secret));
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "completed");
  EXPECT_EQ(read_file(record() + "/stdout"), "it is [REDACTED:environment]\n");
  EXPECT_EQ(out_.find("hunter2"), std::string::npos);
}

TEST_P(RunWays, WhatCannotBeStartedSaysWhy) {
  start(order_of({"/no/such/program"}));
  ASSERT_TRUE(ends());
  EXPECT_EQ(end_->exit_code, 127);
  EXPECT_NE(err_.find("/no/such/program"), std::string::npos) << err_;
  EXPECT_EQ(verdict(), "failed");
  EXPECT_NE(out_.find("not started: start '/no/such/program'"), std::string::npos) << out_;
}

TEST_P(RunWays, WordsThatAreNotUnderstoodAreRefused) {
  task::RunOrder wrong = order("exit 0");
  wrong.words[2] = "nobody";
  start(std::move(wrong));
  ASSERT_TRUE(ends());
  EXPECT_EQ(end_->exit_code, 2);
  EXPECT_NE(err_.find("nobody"), std::string::npos) << err_;
}

TEST_P(RunWays, StoppingEndsEvenWhoDoesNotListen) {
  start(order("trap '' TERM; (trap '' TERM; setsid sleep 1000) & echo $! > pid; wait; sleep 1000"));
  const pid_t child = agent();
  run_->stop();
  ASSERT_TRUE(ends());
  EXPECT_FALSE(lives(child));
}

TEST_P(RunWays, TheKillSwitchWorksFromAnyThread) {
  start(order("trap '' TERM; echo $$ > pid; sleep 1000"));
  const auto pull = run_->kill_switch();
  ASSERT_TRUE(pull);
  const pid_t child = agent();
  std::thread(*pull).join();
  ASSERT_TRUE(eventually([&] { return !lives(child); }));  // the loop has nothing to do with it
  ASSERT_TRUE(ends());
  (*pull)();  // too late is harmless
}

TEST_P(RunWays, DestroyingItEndsItsAgent) {
  start(order("trap '' TERM; echo $$ > pid; sleep 1000"));
  const pid_t child = agent();
  run_.reset();
  EXPECT_FALSE(lives(child));
  io_.restart();
  io_.poll();
  EXPECT_FALSE(end_);  // nobody is told any more
}

TEST_P(RunWays, WhoReadsNothingHoldsTheAgentBack) {
  start(order("yes > /dev/stdout & echo $! > pid; wait"));
  pid_t child = 0;
  ASSERT_TRUE(eventually([&] {
    const std::string path = directory() + "/pid";
    const std::string text = std::filesystem::exists(path) ? read_file(path) : "";
    if (text.ends_with('\n')) child = std::stoi(text);
    return child > 1;
  }));
  // It is blocked in its pipe, sooner or later.
  const auto written = [&] {
    return std::filesystem::exists(record() + "/stdout")
               ? std::filesystem::file_size(record() + "/stdout")
               : 0;
  };
  std::uintmax_t before = 0;
  auto since = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] {
    const auto now = std::chrono::steady_clock::now();
    if (written() != before) since = now;
    before = written();
    return before > 0 && now - since > 300ms;
  }));
  EXPECT_LT(before, std::uintmax_t{64} << 20U);
  run_.reset();
  EXPECT_FALSE(lives(child));
}

TEST_P(RunWays, AQuestionWaitsAlsoWhenNoProgramRuns) {
  start(asking());
  ASSERT_TRUE(waits_for_an_answer());
  run_->write("{\"type\":\"input\",\"answer\":\"2\"}\n");
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "completed") << out_;
  EXPECT_EQ(end_->exit_code, 0);
}

TEST_P(RunWays, AQuestionThatNobodyAnswersIsTheVerdict) {
  start(asking());
  ASSERT_TRUE(waits_for_an_answer());
  run_->close_input();
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "question") << out_;
}

TEST_P(RunWays, WhoWaitsForAnAnswerCanBeEndedInEveryWay) {
  const std::vector<std::function<void()>> ways = {
      [this] { run_->stop(); }, [this] { run_->kill(); }, [this] { run_.reset(); }};
  for (const auto& way : ways) {
    std::filesystem::remove_all(record());
    std::filesystem::remove(directory() + "/pid");
    out_.clear();
    end_.reset();
    start(asking());
    ASSERT_TRUE(waits_for_an_answer());
    way();
    ASSERT_TRUE(run_ == nullptr || ends());
  }
}

TEST(RunThread, WhatWasKilledBeforeItBeganNeverBegins) {
  TempDir directory;
  boost::asio::io_context io{1};
  for (int i = 0; i < 20; ++i) {
    task::RunOrder order;
    order.words = {"run",        "--agent",     "command", "--as",    "json", "--no-store",
                   "--no-input", "--no-record", "--",      "/bin/sh", "-c",   "sleep 1000"};
    order.environment = process::own_environment();
    order.directory = directory.path();
    order.grace = 1s;
    bool ended = false;
    task::RunCalls calls{[](process::Stream, std::string_view) {},
                         [&](const task::RunEnd&) { ended = true; }};
    auto run = cli::run_as_thread()(io, std::move(order), std::move(calls));
    ASSERT_TRUE(run);
    (*run)->kill();
    EXPECT_TRUE(eventually([&] {
      io.restart();
      io.poll();
      return ended;
    }));
  }
}

}  // namespace
}  // namespace dragoman::test
