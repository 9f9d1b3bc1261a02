// SPDX-License-Identifier: Apache-2.0
// Turns and slots: a worker, and agents that the test plays.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/task/queue_worker.hpp"
#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/task/talking_run.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using testing::ElementsAre;
using namespace std::chrono_literals;
using Numbers = std::vector<std::uint64_t>;

class TurnsTest : public testing::Test {
 protected:
  TurnsTest() {
    options_.start = agents_.start();
    options_.concurrency = 1;
  }

  std::string submit(std::int64_t keep_ms = 0) {
    Task task;
    task.text = "x";
    task.agent = "claude";
    task.working_dir = "/tmp";
    task.keep_ms = keep_ms;
    return value_of(service_.submit(task)).task.id;
  }
  void turn() {
    if (!worker_) worker_.emplace(*log_, options_);
    for (int i = 0; i < 4; ++i) worker_->step();
  }
  void send(const std::string& id, const char* text) {
    EXPECT_TRUE(service_.send(id, text, "cli"));
    turn();
  }
  test::TalkingRun& agent(const std::string& id) {
    EXPECT_NE(agents_.of(id), nullptr) << id;
    return *agents_.of(id);
  }
  void end_turn(const std::string& id, VerdictKind kind = VerdictKind::completed) {
    agent(id).end_turn(kind);
    turn();
  }
  void answer(const std::string& id) {
    EXPECT_TRUE(value_of(service_.desk().answer({.id = id + "/q1", .typed = "1"}, "cli")).accepted);
    turn();
  }
  void ask(const std::string& id) {
    agent(id).ask("q1");
    turn();
  }
  [[nodiscard]] Task stored(const std::string& id) { return value_of(service_.get(id)); }
  [[nodiscard]] std::vector<std::string> states(const std::string& id) {
    std::vector<std::string> states;
    for (const auto& message : value_of(service_.messages(id)))
      states.push_back(message.state + (message.reason.empty() ? "" : ": " + message.reason));
    return states;
  }

  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  Service service_{*log_, {}};
  test::TalkingAgents agents_;
  RunnerOptions options_;
  std::optional<QueueWorker> worker_;
};

TEST_F(TurnsTest, AnAgentAtWorkIsToldAtOnce) {
  const std::string id = submit();
  turn();
  send(id, "one");
  send(id, "two");
  EXPECT_EQ(agents_.heard[id], (Numbers{1, 2}));
  EXPECT_THAT(states(id), ElementsAre("delivered", "delivered"));
  end_turn(id);
  const Task task = stored(id);
  EXPECT_EQ(task.state, "completed");
  EXPECT_EQ(task.turns, 1U);
  EXPECT_EQ(task.heard, 2U);
  EXPECT_EQ(agents_.starts.size(), 1U);
}

TEST_F(TurnsTest, WhatItDoesNotHearAtWorkIsItsNextTurn) {
  agents_.listens = false;
  const std::string id = submit();
  turn();
  send(id, "one");
  send(id, "two");
  EXPECT_THAT(states(id), ElementsAre("waiting", "waiting"));
  end_turn(id);
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(stored(id).turns, 2U);
  ASSERT_EQ(agents_.starts.size(), 2U);
  const engine::RunSpec& spec = agents_.starts[1];
  EXPECT_EQ(spec.id, id);
  EXPECT_EQ(spec.request.prompt, "one");
  EXPECT_EQ(spec.request.resume, "s-1");
  EXPECT_EQ(spec.message, (engine::Message{1, "one"}));
  EXPECT_TRUE(spec.goes_on);
  EXPECT_EQ(spec.last_seq, 1U);
  end_turn(id);
  end_turn(id);
  EXPECT_EQ(agents_.heard[id], (Numbers{1, 2}));
  EXPECT_EQ(stored(id).state, "completed");
  EXPECT_EQ(stored(id).turns, 3U);
  EXPECT_TRUE(value_of(log_->queue(kNext)).empty());
  EXPECT_TRUE(value_of(log_->queue(kQueue)).empty());
}

TEST_F(TurnsTest, ARunAtRestBeginsItsNextTurnInTheSameRun) {
  const std::string id = submit();
  turn();
  end_turn(id, VerdictKind::failed);
  EXPECT_EQ(stored(id).state, "failed");
  for (std::uint64_t n = 2; n < 5; ++n) {
    send(id, "more");
    EXPECT_EQ(stored(id).state, "working");
    end_turn(id);
    EXPECT_EQ(stored(id).state, "completed");
    EXPECT_EQ(stored(id).turns, n);
  }
  EXPECT_EQ(agents_.heard[id], (Numbers{1, 2, 3}));
}

TEST_F(TurnsTest, AKeptAgentGoesOnInItsProcessAndHoldsNoSlotMeanwhile) {
  const std::string id = submit(60'000);
  turn();
  end_turn(id);
  EXPECT_EQ(stored(id).state, "completed");
  const std::string other = submit();
  turn();
  EXPECT_EQ(stored(other).state, "working") << "there is a slot";
  send(id, "more");
  EXPECT_EQ(stored(id).state, "queued") << "there is none";
  end_turn(other);
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(stored(id).turns, 2U);
  EXPECT_EQ(agents_.heard[id], (Numbers{1}));
  EXPECT_EQ(agents_.starts.size(), 2U) << "one for each run";
  end_turn(id);
  EXPECT_EQ(stored(id).state, "completed");
}

TEST_F(TurnsTest, WhereTheKeptAgentIsGoneItIsResumed) {
  const std::string id = submit(60'000);
  turn();
  end_turn(id);
  agent(id).leave();
  turn();
  EXPECT_EQ(agents_.of(id), nullptr);
  send(id, "more");
  ASSERT_EQ(agents_.starts.size(), 2U);
  EXPECT_EQ(agents_.heard[id], (Numbers{1}));
  end_turn(id);
  // It leaves at the very moment.
  EXPECT_TRUE(service_.send(id, "and more", "cli"));
  agent(id).leave();
  turn();
  EXPECT_EQ(agents_.heard[id], (Numbers{1, 2}));
  end_turn(id);
  EXPECT_THAT(states(id), ElementsAre("delivered", "delivered"));
}

TEST_F(TurnsTest, ANextTurnComesBeforeANewTask) {
  const std::string id = submit();
  turn();
  end_turn(id);
  const std::string busy = submit();
  turn();
  const std::string fresh = submit();
  send(id, "more");
  end_turn(busy);
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(stored(fresh).state, "queued");
}

TEST_F(TurnsTest, WhoWaitsForAnAnswerGivesItsSlotAndTakesOneAgainFirst) {
  const std::string id = submit();
  turn();
  ask(id);
  EXPECT_EQ(stored(id).waits, kWaitsForAnswer);
  const std::string second = submit();
  turn();
  EXPECT_EQ(stored(second).state, "working");
  const std::string third = submit();
  answer(id);
  EXPECT_EQ(value_of(service_.desk().find(id + "/q1")).state, QuestionState::answered) << "at once";
  EXPECT_TRUE(agent(id).answers.empty()) << "there is no slot";
  EXPECT_EQ(stored(id).waits, kWaitsForSlot);
  end_turn(second);
  EXPECT_EQ(agent(id).answers.size(), 1U);
  EXPECT_EQ(stored(id).waits, "");
  EXPECT_EQ(stored(third).state, "queued");
  end_turn(id);
  EXPECT_EQ(stored(third).state, "working");
}

TEST_F(TurnsTest, OnlySoManyWaitBesideTheSlots) {
  options_.waiting = 1;
  const std::string kept = submit(60'000);
  turn();
  end_turn(kept);
  EXPECT_NE(agents_.of(kept), nullptr);
  const std::string asks = submit();
  turn();
  ask(asks);
  EXPECT_EQ(agents_.of(kept), nullptr) << "its session is resumed later";
  EXPECT_EQ(stored(asks).waits, kWaitsForAnswer);
  const std::string more = submit();
  turn();
  EXPECT_EQ(stored(more).state, "working");
  ask(more);
  EXPECT_EQ(stored(more).waits, "") << "it keeps its slot";
  const std::string last = submit();
  turn();
  EXPECT_EQ(stored(last).state, "queued");
}

// The agent had ended its turn when the message came, and works on with it.
TEST_F(TurnsTest, AMessageToAKeptAgentThatHasJustComeToRestIsItsNextTurn) {
  const std::string id = submit(60'000);
  turn();
  EXPECT_TRUE(service_.send(id, "one", "cli"));
  agent(id).end_turn();  // which its owner has not heard of
  turn();
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(stored(id).turns, 2U);
  EXPECT_EQ(agents_.heard[id], (Numbers{1}));
  end_turn(id);
  EXPECT_EQ(stored(id).state, "completed");
  EXPECT_THAT(states(id), ElementsAre("delivered"));
}

TEST_F(TurnsTest, AnInterruptEndsTheTurnAndAMessageBeginsAnother) {
  agents_.listens = false;
  const std::string id = submit();
  turn();
  EXPECT_TRUE(service_.interrupt(id, "cli"));
  turn();
  EXPECT_EQ(stored(id).state, "cancelled");
  send(id, "rather this");
  EXPECT_EQ(stored(id).state, "working");
  turn();
  EXPECT_EQ(agent(id).interrupts, 0) << "that one was for the turn before";
  EXPECT_TRUE(service_.send(id, "and this", "cli"));
  EXPECT_TRUE(service_.interrupt(id, "cli"));
  turn();
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(agents_.heard[id], (Numbers{1, 2}));
}

TEST_F(TurnsTest, AMessageWhoseAgentCannotBeStartedIsUndelivered) {
  const std::string id = submit();
  turn();
  end_turn(id);
  agents_.refuses = [](const engine::RunSpec&) { return true; };
  send(id, "more");
  EXPECT_EQ(stored(id).state, "failed");
  EXPECT_EQ(stored(id).reason, "spawn_failed");
  EXPECT_THAT(states(id), ElementsAre("undelivered: not started: start 'agent': no such file"));
  EXPECT_EQ(agents_.starts.size(), 2U);
}

TEST_F(TurnsTest, WhatWaitsForACancelledRunIsUndeliveredAndItCanBeToldMoreLater) {
  agents_.listens = false;
  const std::string id = submit();
  turn();
  send(id, "one");
  EXPECT_TRUE(service_.send(id, "two", "cli"));
  std::thread cancels([&] { EXPECT_TRUE(service_.cancel(id, "enough")); });
  EXPECT_TRUE(test::eventually([&] {
    turn();
    return agents_.of(id) == nullptr;
  }));
  cancels.join();
  EXPECT_EQ(stored(id).state, "cancelled");
  EXPECT_THAT(states(id), ElementsAre("undelivered: the run was cancelled",
                                      "undelivered: the run was cancelled"));
  send(id, "three");
  EXPECT_EQ(stored(id).state, "working");
  EXPECT_EQ(agents_.heard[id], (Numbers{3}));
}

// Cancelled, and told more before its runner has looked.
TEST_F(TurnsTest, ATurnThatWasCancelledEndsBeforeTheNextOneBegins) {
  const std::string id = submit(60'000);
  turn();
  EXPECT_TRUE(change_task(*log_, id, [](Task& task) {
    task.state = "cancelled";
    return true;
  }));
  EXPECT_TRUE(service_.send(id, "more", "cli"));
  EXPECT_TRUE(test::eventually([&] {
    turn();
    return agents_.heard[id] == Numbers{1};
  }));
  EXPECT_EQ(agents_.starts.size(), 2U) << "it was ended as a whole";
  end_turn(id);
  EXPECT_EQ(stored(id).state, "completed");
}

// Its next turn waits in the queue of the worker that has the session.
TEST_F(TurnsTest, InAFleetTheWorkerWithTheSessionGoesOn) {
  options_.fleet = true;
  options_.name = "w1";
  Service fleet(*log_, {.fleet = true});
  const std::string id = submit();
  const auto is_now = [&](const std::string& state, std::uint64_t turns) {
    return test::eventually([&] {
      turn();
      return stored(id).state == state && stored(id).turns == turns;
    });
  };
  ASSERT_TRUE(is_now("working", 1));
  ASSERT_TRUE(test::eventually([&] {
    turn();
    return agents_.of(id) != nullptr && value_of(log_->last(event_stream(id))) == 1;
  }));
  end_turn(id);
  ASSERT_TRUE(is_now("completed", 1));
  EXPECT_EQ(stored(id).worker, "w1");
  EXPECT_TRUE(fleet.send(id, "more", "cli"));
  EXPECT_EQ(value_of(log_->queue("needs worker=w1")).size(), 1U);
  ASSERT_TRUE(is_now("working", 2));
  turn();
  EXPECT_EQ(agents_.heard[id], (Numbers{1}));
  end_turn(id);
  ASSERT_TRUE(is_now("completed", 2));
  EXPECT_TRUE(value_of(log_->queue("needs worker=w1")).empty());
}

TEST_F(TurnsTest, WhatWaitsForAWorkerThatIsGoneIsUndelivered) {
  Service fleet(*log_, {.fleet = true});
  const std::string id = submit();
  EXPECT_TRUE(change_task(*log_, id, [](Task& task) {
    task.thread_id = "s-1";
    task.worker = "w1";
    task.turns = 1;
    task.claim = 1;
    task.said = 1;
    task.started_at = task.created_at = task.queued_at = now_ms() - 60'000;
    return true;
  }));
  ask::Messages messages(*log_);
  ask::MessageRecord message;
  message.task_id = id;
  message.number = 1;
  message.text = "more";
  value_of(log_->write(value_of(messages.put_new(message, "more"))));
  EXPECT_TRUE(fleet.reconcile());
  EXPECT_EQ(stored(id).state, "failed");
  EXPECT_THAT(states(id), ElementsAre("undelivered: w1, which has its session, is gone"));
}

TEST_F(TurnsTest, ACommandHearsNothing) {
  Task task;
  task.agent = "command";
  task.words = {"true"};
  task.working_dir = "/tmp";
  const std::string id = value_of(service_.submit(task)).task.id;
  turn();
  EXPECT_EQ(service_.send(id, "x", "cli").error().reason, kCannotGoOn);
  end_turn(id);
  EXPECT_EQ(stored(id).state, "completed");
}

}  // namespace
}  // namespace dragoman::task
