// SPDX-License-Identifier: Apache-2.0
// A run in a thread of its own, with real programs.
#include <signal.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "dragoman/engine/run_handle.hpp"
#include "dragoman/process/environment.hpp"
#include "tests/engine/fakes.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
class RunThreads : public testing::Test {
 protected:
  engine::RunOrder order_of(std::vector<std::string> command) const {
    engine::RunOrder order;
    order.spec.agent = agent::find_agent("command");
    order.spec.id = "one";
    order.spec.request.words = std::move(command);
    order.spec.request.cwd = directory();
    order.spec.grace = 200ms;
    order.spec.record = record();
    order.asks = false;
    order.grace = 1s;
    return order;
  }
  engine::RunOrder order(const std::string& script) const {
    return order_of({"/bin/sh", "-c", script});
  }
  // An executor that asks, ends, and is started again with the answer.
  engine::RunOrder asking() const {
    const std::string executor = directory() + "/executor";
    write_file(
        executor,
        "#!/bin/sh\n"
        "case \"$2\" in\n"
        "  *Answer:*) echo '[CODEX_COMPLETE] Task completed';;\n"
        "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n'; echo $$ > pid;;\n"
        "esac\n");
    std::filesystem::permissions(executor, std::filesystem::perms::owner_all);
    engine::RunOrder order = order_of({executor, "t-1", "it"});
    order.spec.agent = agent::find_agent("executor");
    order.asks = true;
    return order;
  }
  std::string record() const { return directory() + "/record"; }
  std::string directory() const { return directory_.path().string(); }

  void start(engine::RunOrder order) {
    engine::RunCalls calls;
    calls.ask = [this](const KeptQuestion& asked) { asked_ = asked.text; };
    calls.withdrawn = [](const std::string&) {};
    calls.heard = [this](std::uint64_t message) { heard_.push_back(message); };
    calls.unheard = [this](std::uint64_t message) { unheard_.push_back(message); };
    calls.rested = [this](const engine::RunEnd& end) { end_ = end; };
    calls.ended = [this] { ended_ = true; };
    const auto prepare = [this](engine::RunSpec spec) {
      return engine::Job::prepare(std::move(spec), {environment_, directory() + "/state"});
    };
    auto started =
        engine::run_as_thread(prepare)(io_, std::move(order), audience_, std::move(calls));
    ASSERT_TRUE(started) << started.error().message;
    run_ = *std::move(started);
  }
  testing::AssertionResult until(const std::function<bool()>& condition) {
    const bool met = eventually([&] {
      io_.restart();
      io_.poll();
      return condition();
    });
    return met ? testing::AssertionSuccess() : testing::AssertionFailure();
  }
  testing::AssertionResult ends() {
    return until([this] { return ended_; });
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
    return until([&] { return asked_ == "Which store?" && !lives(program); });
  }
  std::string verdict() const {
    return end_->not_started ? "not started" : std::string(name(end_->ending.verdict.kind));
  }

  TempDir directory_;
  boost::asio::io_context io_{1};
  std::vector<std::string> environment_ = process::own_environment();
  FakeAudience audience_;
  std::string asked_;
  std::optional<engine::RunEnd> end_;  // of the last turn
  bool ended_ = false;
  std::vector<std::uint64_t> heard_;
  std::vector<std::uint64_t> unheard_;
  std::unique_ptr<engine::RunHandle> run_;
};

TEST_F(RunThreads, EventsComeAndTheEndBehindThem) {
  start(order("echo one; echo two >&2; exit 3"));
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "failed");
  ASSERT_FALSE(audience_.lines.empty());
  EXPECT_TRUE(std::ranges::any_of(audience_.lines, [](const std::string& line) {
    return line.find("\"one\\n\"") != std::string::npos;
  }));
  EXPECT_NE(audience_.lines.back().find("\"finished\""), std::string::npos);
  EXPECT_EQ(end_->ending.exit_code, 1);
  EXPECT_EQ(read_file(record() + "/stdout"), "one\n");
}

TEST_F(RunThreads, SecretsOfTheEnvironmentAreNowhere) {
  engine::RunOrder secret = order("echo \"it is $MY_TOKEN\"");
  environment_.push_back("MY_TOKEN=hunter2hunter2");
  secret.spec.variables = {"MY_TOKEN"};
  start(std::move(secret));
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "completed");
  EXPECT_EQ(read_file(record() + "/stdout"), "it is [REDACTED:environment]\n");
  for (const std::string& line : audience_.lines)
    EXPECT_EQ(line.find("hunter2"), std::string::npos);
}

TEST_F(RunThreads, WhatCannotBeStartedSaysWhy) {
  start(order_of({"/no/such/program"}));
  ASSERT_TRUE(ends());
  ASSERT_TRUE(end_->not_started);
  EXPECT_EQ(process::exit_code_of(*end_->not_started), 127);
  EXPECT_NE(end_->not_started->message.find("/no/such/program"), std::string::npos);
}

TEST_F(RunThreads, StoppingEndsEvenWhoDoesNotListen) {
  start(order("trap '' TERM; (trap '' TERM; setsid sleep 1000) & echo $! > pid; wait; sleep 1000"));
  const pid_t child = agent();
  run_->stop();
  ASSERT_TRUE(ends());
  EXPECT_FALSE(lives(child));
}

TEST_F(RunThreads, TheKillSwitchWorksFromAnyThread) {
  start(order("trap '' TERM; echo $$ > pid; sleep 1000"));
  const auto pull = run_->kill_switch();
  const pid_t child = agent();
  std::thread(pull).join();
  ASSERT_TRUE(eventually([&] { return !lives(child); }));  // the loop has nothing to do with it
  ASSERT_TRUE(ends());
  pull();  // too late is harmless
}

TEST_F(RunThreads, DestroyingItEndsItsAgent) {
  start(order("trap '' TERM; echo $$ > pid; sleep 1000"));
  const pid_t child = agent();
  run_.reset();
  EXPECT_FALSE(lives(child));
  io_.restart();
  io_.poll();
  EXPECT_FALSE(ended_);  // nobody is told any more
}

TEST_F(RunThreads, AQuestionWaitsAlsoWhenNoProgramRuns) {
  start(asking());
  ASSERT_TRUE(waits_for_an_answer());
  Reply reply;
  reply.typed = "2";
  run_->answer(std::move(reply));
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "completed");
  EXPECT_EQ(end_->ending.exit_code, 0);
}

TEST_F(RunThreads, AQuestionThatNobodyAnswersIsTheVerdict) {
  start(asking());
  ASSERT_TRUE(waits_for_an_answer());
  run_->end_answers();
  ASSERT_TRUE(ends());
  EXPECT_EQ(verdict(), "question");
}

TEST_F(RunThreads, WhoWaitsForAnAnswerCanBeEndedInEveryWay) {
  const std::vector<std::function<void()>> ways = {
      [this] { run_->stop(); }, [this] { run_->kill(); }, [this] { run_.reset(); }};
  for (const auto& way : ways) {
    std::filesystem::remove_all(record());
    std::filesystem::remove(directory() + "/pid");
    asked_.clear();
    end_.reset();
    ended_ = false;
    start(asking());
    ASSERT_TRUE(waits_for_an_answer());
    way();
    ASSERT_TRUE(run_ == nullptr || ends());
  }
}

TEST_F(RunThreads, WhatWasKilledBeforeItBeganNeverBegins) {
  for (int i = 0; i < 20; ++i) {
    end_.reset();
    ended_ = false;
    engine::RunOrder slow = order("sleep 1000");
    slow.spec.record.clear();
    start(std::move(slow));
    run_->kill();
    ASSERT_TRUE(ends());
  }
}

}  // namespace
}  // namespace dragoman::test
