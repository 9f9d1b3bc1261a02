// SPDX-License-Identifier: Apache-2.0
// Turns with the real agents and our own model on loopback. Skipped where they are not installed.
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/engine/run_handle.hpp"
#include "tests/e2e/model.hpp"
#include "tests/engine/fakes.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class RealTurns : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(agents() / ".bin/claude")) {
      ASSERT_EQ(std::getenv("DRAGOMAN_NO_SKIP"), nullptr);
      GTEST_SKIP() << "the agents are not installed: npm ci --prefix tests/agents";
    }
    model_ = std::make_unique<Model>();
    std::filesystem::create_directories(place("work"));
    environment_ = {"PATH=" + (agents() / ".bin").string() + ":/usr/local/bin:/usr/bin:/bin",
                    "HOME=" + place("home"),
                    "ANTHROPIC_BASE_URL=" + model_->url(),
                    "ANTHROPIC_API_KEY=nothing",
                    "DISABLE_TELEMETRY=1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                    "IS_SANDBOX=1",
                    "SHELL=/bin/bash"};
  }
  [[nodiscard]] std::string place(const char* name) const {
    return (directory_.path() / name).string();
  }
  void start(const std::string& prompt, std::optional<std::uint64_t> message = {}) {
    run_.reset();
    ended_ = false;
    engine::RunOrder order;
    order.spec.agent = agent::find_agent("claude");
    order.spec.id = "r-1";
    order.spec.request.prompt = prompt;
    order.spec.request.cwd = place("work");
    order.spec.request.resume = session_;
    order.spec.record = place("record");
    order.spec.keep = 60s;
    order.spec.goes_on = message.has_value();
    if (message) order.spec.message = engine::Message{*message, prompt};
    order.grace = 5s;
    engine::RunCalls calls;
    calls.ask = [](const KeptQuestion&) {};
    calls.withdrawn = [](const std::string&) {};
    calls.heard = [this](std::uint64_t number) { heard_.push_back(number); };
    calls.unheard = [this](std::uint64_t number) { unheard_.push_back(number); };
    calls.rested = [this](const engine::RunEnd& end) {
      verdicts_.push_back(end.not_started ? end.not_started->message
                                          : std::string(name(end.ending.verdict.kind)));
      session_ = end.ending.run.session_id;
      if (end.ending.run.turns.last) last_ = end.ending.run.turns.last->text;
    };
    calls.ended = [this] { ended_ = true; };
    const auto prepare = [this](engine::RunSpec spec) {
      return engine::Job::prepare(std::move(spec), {environment_, place("state")});
    };
    run_ = *engine::run_as_thread(prepare)(io_, std::move(order), audience_, std::move(calls));
  }
  testing::AssertionResult until(const std::function<bool()>& condition) {
    const bool met = eventually([&] {
      io_.restart();
      io_.poll();
      return condition();
    });
    return met ? testing::AssertionSuccess() : testing::AssertionFailure();
  }
  testing::AssertionResult rests(std::size_t times) {
    return until([this, times] { return verdicts_.size() >= times; });
  }

  TempDir directory_;
  std::unique_ptr<Model> model_;
  boost::asio::io_context io_{1};
  std::vector<std::string> environment_;
  FakeAudience audience_;
  std::vector<std::uint64_t> heard_;
  std::vector<std::uint64_t> unheard_;
  std::vector<std::string> verdicts_;
  std::string session_;
  std::string last_;
  bool ended_ = false;
  std::unique_ptr<engine::RunHandle> run_;
};

TEST_F(RealTurns, ClaudeIsToldMoreInOneProcessAndInAnother) {
  start("script=plain");
  ASSERT_TRUE(rests(1));
  EXPECT_FALSE(ended_);
  run_->say({1, "script=slow"});
  run_->say({2, "script=plain and then that"});  // on its way while the slow one is answered
  ASSERT_TRUE(until([this] { return heard_.size() == 2; }));
  ASSERT_TRUE(rests(2));
  EXPECT_EQ(last_, "Hello from the model.");
  run_->rest();
  ASSERT_TRUE(until([this] { return ended_; }));
  start("script=echo of the last turn", 3);
  ASSERT_TRUE(rests(3));
  EXPECT_THAT(heard_, ElementsAre(1, 2, 3));
  EXPECT_THAT(unheard_, testing::IsEmpty());
  EXPECT_THAT(verdicts_, testing::Each("completed"));
  EXPECT_THAT(last_, testing::HasSubstr("of the last turn"));
  run_->stop();
  ASSERT_TRUE(until([this] { return ended_; }));
}

TEST_F(RealTurns, ClaudeStaysBehindAnInterruptedTurn) {
  start("script=slow");
  ASSERT_TRUE(until([this] {
    const std::string out = place("record") + "/stdout";
    return std::filesystem::exists(out) && read_file(out).find("\"init\"") != std::string::npos;
  }));
  run_->interrupt_turn();
  ASSERT_TRUE(rests(1));
  EXPECT_EQ(verdicts_.back(), "cancelled");
  EXPECT_FALSE(ended_);
  run_->say({1, "script=plain"});
  ASSERT_TRUE(rests(2));
  EXPECT_EQ(verdicts_.back(), "completed");
  EXPECT_THAT(heard_, ElementsAre(1));
}

}  // namespace
}  // namespace dragoman::test
