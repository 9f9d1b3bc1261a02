// SPDX-License-Identifier: Apache-2.0
// What people say to runs, up to the moment where a process takes it.
#include <unistd.h>

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/task/service.hpp"
#include "tests/log/engines.hpp"
#include "tests/task/failing_log.hpp"

namespace dragoman::task {
namespace {

using test::value_of;
using namespace std::chrono_literals;

class ServiceTalk : public testing::Test {
 protected:
  test::SqliteEngine engine_;
  std::unique_ptr<Log> log_ = engine_.open();
  int woken_ = 0;
  Service service_{*log_, {2, [this]() -> Result<void> {
                             ++woken_;
                             return {};
                           }}};

  // A run whose first turn has the state, and a session unless that is empty.
  std::string run_in(const std::string& state, const std::string& session = "s-1",
                     const std::function<void(Task&)>& besides = {}) {
    Task task;
    task.text = "x";
    task.agent = "claude";
    task.working_dir = "/tmp";
    const std::string id = value_of(service_.submit(task)).task.id;
    if (state == "queued") return id;
    value_of(write_one(*log_, Dequeue{std::string(kQueue), id}));
    EXPECT_TRUE(value_of(change_task(*log_, id, [&](Task& found) {
      found.state = state;
      found.thread_id = session;
      found.started_at = now_ms();
      found.turns = 1;
      found.claim = 1;
      found.summary = "what the turn said";
      if (found.terminal()) found.exit_code = 0;
      if (besides) besides(found);
      return true;
    })));
    woken_ = 0;
    return id;
  }
  [[nodiscard]] std::vector<std::string> next() {
    std::vector<std::string> keys;
    for (const QueueItem& item : value_of(log_->queue(kNext))) keys.push_back(item.key);
    return keys;
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& id) {
    std::vector<std::string> texts;
    for (const auto& message : value_of(service_.messages(id))) texts.push_back(message.text);
    return texts;
  }
};

TEST_F(ServiceTalk, AMessageToARunAtRestQueuesItsNextTurn) {
  const std::string id = run_in("completed");
  const Sent sent = value_of(service_.send(id, "and now the tests", "cli"));
  EXPECT_EQ(sent.number, 1U);
  const Task task = value_of(service_.get(id));
  EXPECT_EQ(task.state, "queued");
  EXPECT_EQ(task.said, 1U);
  EXPECT_EQ(task.heard, 0U);
  EXPECT_EQ(task.completed_at, 0);
  EXPECT_EQ(task.exit_code, std::nullopt);
  EXPECT_EQ(task.summary, "");
  EXPECT_EQ(task.thread_id, "s-1");
  EXPECT_EQ(next(), (std::vector<std::string>{id}));
  EXPECT_EQ(woken_, 1);
  const auto messages = value_of(service_.messages(id));
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].text, "and now the tests");
  EXPECT_EQ(messages[0].by, "cli");
  EXPECT_EQ(messages[0].state, ask::kWaiting);
}

TEST_F(ServiceTalk, AMessageToARunAtWorkOrInTheQueueWaitsForIt) {
  for (const char* state : {"working", "queued"}) {
    const std::string id = run_in(state);
    EXPECT_EQ(value_of(service_.send(id, "one", "cli")).number, 1U);
    EXPECT_EQ(value_of(service_.send(id, "two", "cli")).number, 2U);
    EXPECT_EQ(value_of(service_.get(id)).state, state);
    EXPECT_EQ(texts(id), (std::vector<std::string>{"one", "two"}));
  }
  EXPECT_TRUE(next().empty());
}

TEST_F(ServiceTalk, WhatTheAgentMayDoStaysAndWhatWasAllowedOnceDoesNot) {
  const std::string id = run_in("completed", "s-1", [](Task& task) {
    task.allow_destructive_git = true;
    task.mode = "";
    task.model = "opus";
    task.permission_mode = "plan";
  });
  const Task before = value_of(service_.get(id));
  const Task after = value_of(service_.send(id, "go on", "cli")).task;
  EXPECT_FALSE(after.allow_destructive_git);
  EXPECT_EQ(after.model, before.model);
  EXPECT_EQ(after.mode, before.mode);
  EXPECT_EQ(after.permission_mode, before.permission_mode);
  EXPECT_EQ(after.working_dir, before.working_dir);
  EXPECT_EQ(after.words, before.words);
  const auto refused = service_.send(id, "git reset --hard", "cli");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "git_blocked");
}

TEST_F(ServiceTalk, WhatCannotGoOnIsRefusedAndNothingIsStored) {
  const std::string without_session = run_in("failed", "");
  const std::string command =
      run_in("completed", "s-1", [](Task& task) { task.agent = "command"; });
  for (const std::string& id : {without_session, command}) {
    const auto refused = service_.send(id, "more", "cli");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::validation);
    EXPECT_EQ(refused.error().reason, kCannotGoOn);
    EXPECT_EQ(value_of(service_.get(id)).said, 0U);
    EXPECT_TRUE(value_of(ask::Messages(*log_).of(id)).empty());
  }
  EXPECT_EQ(service_.send("r-nothing", "x", "cli").error().code, ErrorCode::not_found);
  EXPECT_EQ(service_.send("r", "x", "cli").error().reason, "ambiguous");
  EXPECT_EQ(service_.send(command, " \n", "cli").error().reason, "missing_parameter");
}

TEST_F(ServiceTalk, InAFleetTheWorkerWithTheSessionHasToBeThere) {
  Service fleet(*log_, {.fleet = true});
  const std::string id = run_in("completed", "s-1", [](Task& task) { task.worker = "w1"; });
  const auto refused = fleet.send(id, "more", "cli");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, kCannotGoOn);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("w1, which is gone"));
  value_of(write_one(*log_, Enqueue{"present w1", "w1"}));
  ASSERT_TRUE(value_of(log_->claim("present w1", "w1", 1min, 0)));
  EXPECT_EQ(value_of(fleet.send(id, "more", "cli")).number, 1U);
  const auto items = value_of(log_->queue("needs worker=w1"));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].key, id);
}

TEST_F(ServiceTalk, AMessageWhoseRunChangesMeanwhileIsAcceptedOnce) {
  const std::string id = run_in("working");
  test::FailingLog log(engine_.open());
  int changed = 0;
  log.fails = [&](const std::vector<LogWrite>& writes) {
    const bool sends = writes.size() > 1 && std::get_if<Put>(&writes.front()) != nullptr;
    if (sends && changed == 0) {
      ++changed;
      // Its turn ends, and another person says something, at this very moment.
      value_of(change_task(*log_, id, [](Task& task) {
        task.state = "completed";
        return true;
      }));
      EXPECT_EQ(value_of(service_.send(id, "quicker", "web")).number, 1U);
    }
    return false;
  };
  Service slow(log, {});
  EXPECT_EQ(value_of(slow.send(id, "slower", "cli")).number, 2U);
  EXPECT_EQ(texts(id), (std::vector<std::string>{"quicker", "slower"}));
  EXPECT_EQ(value_of(service_.get(id)).said, 2U);
  EXPECT_EQ(next(), (std::vector<std::string>{id}));
}

TEST_F(ServiceTalk, WhatCannotGoOnAnyMoreTakesItsMessageBack) {
  const std::string id = run_in("working", "");
  test::FailingLog log(engine_.open());
  log.fails = [&, done = false](const std::vector<LogWrite>&) mutable {
    if (std::exchange(done, true)) return false;
    value_of(change_task(*log_, id, [](Task& task) {
      task.state = "failed";
      return true;
    }));
    return false;
  };
  const auto refused = Service(log, {}).send(id, "more", "cli");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, kCannotGoOn);
  EXPECT_TRUE(value_of(ask::Messages(*log_).of(id)).empty());
  EXPECT_EQ(value_of(service_.get(id)).state, "failed");
}

TEST_F(ServiceTalk, AnInterruptIsForARunAtWork) {
  const std::string id = run_in("working");
  EXPECT_EQ(value_of(service_.interrupt(id, "cli")).interrupts, 1U);
  EXPECT_EQ(value_of(service_.interrupt(id, "cli")).interrupts, 2U);
  for (const char* state : {"queued", "completed"}) {
    const auto refused = service_.interrupt(run_in(state), "cli");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, kNotAtWork);
  }
}

TEST_F(ServiceTalk, TheStatusSaysWhatARunWaitsForAndNextTurnsComeFirst) {
  const std::string fresh = run_in("queued");
  const std::string again = run_in("completed");
  EXPECT_TRUE(service_.send(again, "more", "cli"));
  const std::string asks =
      run_in("working", "s-1", [](Task& task) { task.waits = kWaitsForAnswer; });
  const auto snapshot = value_of(service_.status({}));
  ASSERT_EQ(snapshot.queued.size(), 2U);
  EXPECT_EQ(snapshot.queued[0].task.id, again);
  EXPECT_EQ(waiting_words(snapshot.queued[0].task, snapshot.queued[0].position), "a slot");
  EXPECT_EQ(waiting_words(snapshot.queued[1].task, snapshot.queued[1].position),
            "its turn behind 1 other");
  EXPECT_EQ(waiting_words(snapshot.queued[1].task, 2), "its turn behind 2 others");
  ASSERT_EQ(snapshot.running.size(), 1U);
  EXPECT_EQ(waiting_words(snapshot.running[0]), "an answer");
}

// A process that keeps its agent between turns begins the next one itself.
TEST_F(ServiceTalk, WhereTheProcessOfTheRunIsStillThereItIsNotQueued) {
  const ProcessIdentity self = identity_of(::getpid());
  const std::string id = run_in("completed", "s-1", [&](Task& task) {
    task.tool = kRunTool;
    task.claim = 0;
    task.waits = kKept;
    task.runner_pid = self.pid;
    task.runner_start = self.start;
    task.boot = self.boot;
  });
  EXPECT_EQ(value_of(service_.send(id, "more", "cli")).task.state, "queued");
  EXPECT_TRUE(next().empty());
}

}  // namespace
}  // namespace dragoman::task
