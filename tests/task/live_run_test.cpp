// SPDX-License-Identifier: Apache-2.0
// A run of this process in the registry.
#include "dragoman/task/live_run.hpp"

#include <unistd.h>

#include <atomic>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/task/results.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::task {
namespace {

using test::eventually;
using test::value_of;

Event text_event(std::string_view text) {
  Event event;
  event.payload = DisplayText{json::Text(text), {}};
  event.origin.length = text.size();
  return event;
}

void tell(LiveRun& run, const Event& event) {
  std::string buffer;
  engine::EventLine line(event, buffer);
  run.event(event, line);
}

KeptQuestion which() {
  KeptQuestion question;
  question.id = "q1";
  question.text = "Which?";
  question.options = {{"A"}, {"B"}};
  return question;
}

class LiveRunTest : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  Service service_{*log_, {}};
  Mutex mutex_;
  std::vector<ask::QuestionRecord> answers_;
  std::atomic<int> cancelled_ = 0;
  std::atomic<int> lost_ = 0;

  // A run in the list, of which nothing else is there.
  Task listed(const ProcessIdentity& runner) {
    Task task;
    task.id = new_run_id();
    task.tool = kRunTool;
    task.state = "working";
    task.runner_pid = runner.pid;
    task.runner_start = runner.start;
    task.boot = runner.boot;
    EXPECT_TRUE(write_one(*log_, Put{std::string(kTasks), record_of(task), 0}));
    return task;
  }
  std::unique_ptr<LiveRun> start(const std::string& agent = "claude") {
    Task task;
    task.tool = kRunTool;
    task.text = "fix it";
    task.agent = agent;
    task.working_dir = "/tmp";
    LiveRun::Calls calls;
    calls.lost = [this](const Error&) { ++lost_; };
    calls.cancelled = [this](const std::string&) { ++cancelled_; };
    calls.answer = [this](const ask::QuestionRecord& question) {
      const Lock lock(mutex_);
      answers_.push_back(question);
    };
    return std::make_unique<LiveRun>(
        std::move(task),
        [this] {
          return open_sqlite_log({engine_.path(), ""});
        },
        std::move(calls));
  }
  std::vector<ask::QuestionRecord> answers() {
    const Lock lock(mutex_);
    return answers_;
  }
  bool is_listed(const std::string& id) { return value_of(find_task(*log_, id)).has_value(); }
};

TEST_F(LiveRunTest, IsSeenWhileItRunsAndKeptWithItsEventsAndItsEnd) {
  const auto run = start();
  tell(*run, text_event("one\n"));
  ASSERT_TRUE(eventually([&] { return is_listed(run->id()); }));
  const Task working = value_of(service_.get(run->id()));
  EXPECT_EQ(working.state, "working");
  EXPECT_EQ(working.tool, "run");
  EXPECT_EQ(working.runner(), identity_of(::getpid()));
  tell(*run, text_event("two\n"));
  RunFacts facts;
  facts.exit_code = 0;
  run->end(facts, "");
  const Task ended = value_of(service_.get(run->id()));
  EXPECT_EQ(ended.state, "completed");
  EXPECT_NE(ended.completed_at, 0);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.last_lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_FALSE(ended.metadata.json.empty());
  EXPECT_EQ(value_of(log_->last(event_stream(run->id()))), 2U);
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
  EXPECT_EQ(lost_, 0);
}

TEST_F(LiveRunTest, AQuestionIsAnsweredFromElsewhere) {
  const auto run = start();
  run->ask(which());
  ASSERT_TRUE(
      eventually([&] { return !value_of(service_.desk().open_questions(run->id())).empty(); }));
  EXPECT_TRUE(value_of(service_.desk().answer({.id = "q1", .typed = "2"}, "web")).accepted);
  ASSERT_TRUE(eventually([&] { return !answers().empty(); }));
  EXPECT_EQ(shown_answer(answers().front()), "B");
  EXPECT_EQ(answers().front().answered_by, "web");
  // What is said here now comes too late, and is told what counts.
  run->answer({.id = run->id() + "/q1", .typed = "1"}, "terminal");
  ASSERT_TRUE(eventually([&] { return answers().size() == 2; }));
  EXPECT_EQ(shown_answer(answers().back()), "B");
}

TEST_F(LiveRunTest, AnAnswerGivenHereSettlesTheQuestionForEverybody) {
  const auto run = start();
  run->ask(which());
  run->answer({.id = run->id() + "/q1", .typed = "1"}, "terminal");
  ASSERT_TRUE(eventually([&] { return !answers().empty(); }));
  EXPECT_EQ(shown_answer(answers().front()), "A");
  EXPECT_FALSE(value_of(service_.desk().answer({.id = "q1", .typed = "2"}, "web")).accepted);
}

// There are no words for a denial without an option and a reason.
TEST_F(LiveRunTest, ADenialOfWhatOffersNoneIsTakenAsItIsMeant) {
  const auto run = start();
  KeptQuestion pushy = which();
  pushy.options = {{"Allow", "", Grant::allow_once}};
  run->ask(pushy);
  run->answer({.id = run->id() + "/q1", .meant = Answer{}}, "terminal");
  ASSERT_TRUE(eventually([&] { return !answers().empty() || lost_ > 0; }));
  EXPECT_EQ(lost_, 0);
  EXPECT_EQ(answers().at(0).decision, Grant::deny);
  EXPECT_EQ(settled_words(answers().at(0)), "denied");
  const Reply back{.meant = answers().at(0).answer};
  EXPECT_EQ(decision_of(pushy, value_of(read_reply(pushy, back))), Grant::deny);
}

TEST_F(LiveRunTest, WhatNobodyAnsweredIsUnansweredAtTheEnd) {
  const auto run = start();
  run->ask(which());
  RunFacts facts;
  facts.state = TaskState::failed;
  facts.reason = "unanswered";
  run->end(facts, "");
  EXPECT_EQ(value_of(service_.desk().find("q1")).state, QuestionState::unanswered);
  EXPECT_EQ(value_of(service_.get(run->id())).state, "failed");
}

TEST_F(LiveRunTest, ACancelledRunIsToldAndStaysCancelled) {
  const auto run = start();
  ASSERT_TRUE(eventually([&] { return is_listed(run->id()); }));
  ASSERT_TRUE(change_task(*log_, run->id(), [](Task& task) {
    task.state = "cancelled";
    task.cancel_reason = "enough";
    return true;
  }));
  ASSERT_TRUE(eventually([&] { return cancelled_ == 1; }));
  run->end({}, "");
  EXPECT_EQ(value_of(service_.get(run->id())).state, "cancelled");
}

class TalkingLiveRun : public LiveRunTest {
 protected:
  // Of Claude, with a session.
  std::unique_ptr<LiveRun> start_talking() {
    Task task;
    task.tool = kRunTool;
    task.text = "fix it";
    task.agent = "claude";
    task.working_dir = "/tmp";
    task.thread_id = "s-1";
    LiveRun::Calls calls;
    calls.lost = [this](const Error&) { ++lost_; };
    calls.cancelled = [this](const std::string&) { ++cancelled_; };
    calls.message = [this](const engine::Message& message) { told_ = message.number; };
    calls.interrupted = [this] { ++interrupted_; };
    auto run = std::make_unique<LiveRun>(
        std::move(task),
        [this] {
          return open_sqlite_log({engine_.path(), ""});
        },
        std::move(calls));
    EXPECT_TRUE(eventually([&] { return is_listed(run->id()); }));
    return run;
  }
  [[nodiscard]] std::string state(const std::string& id) {
    return value_of(service_.get(id)).state;
  }

  std::atomic<std::uint64_t> told_ = 0;
  std::atomic<int> interrupted_ = 0;
};

TEST_F(TalkingLiveRun, IsToldWhatPeopleSayOneAfterTheOther) {
  const auto run = start_talking();
  EXPECT_TRUE(service_.send(run->id(), "one", "cli"));
  EXPECT_TRUE(service_.send(run->id(), "two", "cli"));
  EXPECT_TRUE(service_.interrupt(run->id(), "cli"));
  ASSERT_TRUE(eventually([&] { return told_ == 1 && interrupted_ == 1; }));
  run->heard(1);
  ASSERT_TRUE(eventually([&] { return told_ == 2; }));
  run->unheard(2);
  run->end({}, "");
  EXPECT_TRUE(run->left_queued());
  EXPECT_EQ(state(run->id()), "queued") << "a runner begins its next turn";
  EXPECT_EQ(value_of(log_->queue(kNext)).size(), 1U);
}

TEST_F(TalkingLiveRun, AtRestAMessageBeginsItsNextTurn) {
  const auto run = start_talking();
  run->rest({}, "");
  ASSERT_TRUE(eventually([&] { return state(run->id()) == "completed"; }));
  EXPECT_TRUE(service_.send(run->id(), "more", "cli"));
  ASSERT_TRUE(eventually([&] { return told_ == 1; }));
  run->heard(1);
  EXPECT_EQ(state(run->id()), "working");
  EXPECT_EQ(value_of(service_.get(run->id())).turns, 2U);
  run->rest({}, "");
  ASSERT_TRUE(eventually([&] { return state(run->id()) == "completed"; }));
  run->end();
  EXPECT_FALSE(run->left_queued());
  EXPECT_EQ(state(run->id()), "completed");
  EXPECT_EQ(value_of(service_.get(run->id())).waits, "");
  EXPECT_TRUE(value_of(log_->queue(kNext)).empty());
  EXPECT_EQ(cancelled_, 0);
}

TEST_F(LiveRunTest, ALostStoreIsSaidOnceAndDoesNotHoldUpTheEnd) {
  LiveRun::Calls calls;
  calls.lost = [this](const Error&) { ++lost_; };
  LiveRun run(
      Task{},
      [] {
        return Result<std::unique_ptr<Log>>(Error{ErrorCode::internal, "no"});
      },
      std::move(calls));
  tell(run, text_event("one\n"));
  run.end({}, "");
  EXPECT_EQ(lost_, 1);
  ASSERT_TRUE(run.fault());
  EXPECT_EQ(run.fault()->message, "no");
}

TEST_F(LiveRunTest, OfMuchPlainTextTheBeginningIsKeptAndANoteSaysSo) {
  const auto run = start();
  const std::string line = std::string(512 * 1024 - 1, 'x') + "\n";
  const std::size_t kept = TaskFold::kKeptText / line.size();
  for (std::size_t i = 0; i < kept + 50; ++i) tell(*run, text_event(line));
  run->end({}, "");
  EXPECT_EQ(value_of(log_->last(event_stream(run->id()))), kept + 1);
  const auto last = value_of(log_->read(event_stream(run->id()), kept + 1, 1));
  Event expected = text_event(line);
  expected.payload = Diagnostic{"text_left_out", Level::info,
                                "more plain text than is kept here: the recording has all of it"};
  EXPECT_EQ(last.at(0).body, to_json(expected)) << "a whole event, with its origin";
}

TEST_F(LiveRunTest, ADeadProcessLeavesAnOrphanBehind) {
  for (const bool fleet : {false, true}) {
    const Task task = listed({1 << 30, 0, identity_of(::getpid()).boot});
    const ask::QuestionRecord question{which(), task.id};
    ASSERT_TRUE(service_.desk().open(question));
    ASSERT_TRUE(Service(*log_, {.fleet = fleet}).reconcile());
    EXPECT_EQ(value_of(service_.get(task.id)).reason, "orphaned") << fleet;
    EXPECT_EQ(value_of(service_.desk().find(question.key())).state, QuestionState::unanswered);
  }
}

// Nobody here can see the processes of another machine.
TEST_F(LiveRunTest, InAFleetTheRunsOfOthersAndTheLivingAreLeftAlone) {
  const Task elsewhere = listed({1 << 30, 0, "another machine"});
  const Task here = listed(identity_of(::getpid()));
  ASSERT_TRUE(Service(*log_, {.fleet = true}).reconcile());
  EXPECT_EQ(value_of(service_.get(elsewhere.id)).state, "working");
  EXPECT_EQ(value_of(service_.get(here.id)).state, "working");
}

// The words that tell why an agent could not begin mean nothing in a command's output.
TEST_F(LiveRunTest, OnlyAnAgentsWordsAreTheReasonOfItsFailure) {
  for (const std::string agent : {"command", "claude"}) {
    const auto run = start(agent);
    tell(*run, text_event("401 Unauthorized\n"));
    RunFacts facts;
    facts.state = TaskState::failed;
    facts.reason = "exit_nonzero";
    facts.exit_code = 1;
    run->end(facts, "");
    EXPECT_EQ(value_of(service_.get(run->id())).reason,
              agent == "command" ? "exit_nonzero" : "auth_required");
  }
}

}  // namespace
}  // namespace dragoman::task
