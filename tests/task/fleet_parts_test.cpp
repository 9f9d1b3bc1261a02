// SPDX-License-Identifier: Apache-2.0
// What a worker of a fleet is made of, with a log that fails when it is told to.
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/task/event_pump.hpp"
#include "dragoman/task/lease_keeper.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/task/failing_log.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;
using Fault = FailingLog::Fault;

class FleetParts : public testing::Test {
 protected:
  FleetParts() {
    auto log = open_sqlite_log({(directory_.path() / "log.db").string(), ""});
    EXPECT_TRUE(log);
    if (log) log_ = std::make_unique<FailingLog>(*std::move(log));
  }
  std::vector<std::string> entries(const std::string& stream) {
    std::vector<std::string> bodies;
    const auto found = log_->read(stream, 1, 1000);
    EXPECT_TRUE(found);
    if (!found) return bodies;
    for (const auto& entry : *found) bodies.push_back(entry.body);
    return bodies;
  }

  TempDir directory_;
  std::unique_ptr<FailingLog> log_;
};

using Words = std::vector<std::string>;

TEST_F(FleetParts, AKeeperThatLostItsClaimsSaysSoEndsTheAgentsAndAsksTheLogAgain) {
  ASSERT_TRUE(write_one(*log_, Enqueue{"q", "k"}));
  std::mutex mutex;
  Words told;
  const auto tell = [&](const std::string& word) {
    const std::lock_guard lock(mutex);
    told.push_back(word);
  };
  task::LeaseKeeper keeper(*log_, 500ms, [&](const std::string& key) { tell("lost " + key); });
  const std::int64_t asked = milliseconds_since_boot();
  const auto claim = log_->claim("q", "w", 500ms, 0);
  ASSERT_TRUE(claim && *claim);
  keeper.hold(**claim, asked);
  keeper.arm("k", [&] { tell("end"); });
  EXPECT_TRUE(keeper.reachable());
  log_->fault = Fault::away;
  EXPECT_TRUE(eventually([&] { return !keeper.reachable(); }));
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return told.size() == 2;
  }));
  EXPECT_EQ(told, (Words{"lost k", "end"}));
  EXPECT_FALSE(keeper.reachable());  // its agent may be ending
  // What begins too late for a lost claim ends at once.
  keeper.arm("k", [&] { tell("late"); });
  EXPECT_EQ(told.back(), "late");
  keeper.release("k");
  EXPECT_TRUE(keeper.reachable());
}

TEST_F(FleetParts, ALostAnswerDoublesNoEvent) {
  task::EventPump pump(*log_);
  pump.guard("s", [] { return true; });
  pump.add("s", "1");
  ASSERT_TRUE(pump.flush());
  log_->fault = Fault::answer_lost;
  pump.add("s", "2");
  EXPECT_FALSE(pump.flush());
  pump.add("s", "3");
  log_->fault = Fault::none;
  EXPECT_TRUE(eventually([&] { return pump.flush(); }));
  EXPECT_EQ(entries("s"), (Words{"1", "2", "3"}));
}

TEST_F(FleetParts, WhatDoesNotFitWhileTheLogIsAwayIsCountedWhereItIsMissing) {
  const auto note = [](const char* said) {
    Event event;
    event.payload = Diagnostic{"events_left_out", Level::warning, said};
    return to_json(event);
  };
  for (const char* const name : {"free", "guarded"}) {
    const std::string s = name;
    task::EventPump pump(*log_, 10);
    if (s == "guarded") pump.guard(s, [] { return true; });
    log_->fault = Fault::away;
    pump.add(s, "12345");
    pump.add(s, "67890");
    EXPECT_FALSE(pump.flush());
    pump.add(s, "too much");
    pump.add(s, "");  // would fit, but what is missing is one stretch
    EXPECT_FALSE(pump.flush());
    pump.add(s, "and more");
    log_->fault = Fault::none;
    EXPECT_TRUE(eventually([&] { return pump.flush(); }));
    pump.add(s, "after");
    EXPECT_TRUE(pump.flush());
    EXPECT_EQ(
        entries(s),
        (Words{"12345", "67890",
               note("3 events could not be stored in time: the recording has them"), "after"}));
  }
}

TEST_F(FleetParts, EventsWaitWhileNobodyCanSayWhoseStreamItIs) {
  task::EventPump pump(*log_);
  std::atomic<bool> known = false;
  pump.guard("s", [&]() -> Result<bool> {
    if (known) return true;
    return Error{ErrorCode::internal, "away"};
  });
  pump.add("s", "1");
  EXPECT_FALSE(pump.flush());
  known = true;
  EXPECT_TRUE(eventually([&] { return pump.flush(); }));
  EXPECT_EQ(entries("s"), (Words{"1"}));
}

TEST_F(FleetParts, WhoeverLostAStreamWritesNothingMoreToIt) {
  task::EventPump pump(*log_);
  // Before its first word: a worker that slept.
  pump.guard("s", [] { return false; });
  pump.add("s", "stale");
  EXPECT_TRUE(pump.flush());
  EXPECT_EQ(entries("s"), Words{});
  // With words that could not be written when it was lost.
  pump.guard("s", [] { return true; });
  log_->fault = Fault::away;
  pump.add("s", "stale");
  EXPECT_FALSE(pump.flush());
  pump.release("s");
  pump.guard("s", [] { return true; });
  log_->fault = Fault::none;
  pump.add("s", "fresh");
  EXPECT_TRUE(eventually([&] { return pump.flush() && entries("s") == Words{"fresh"}; }));
  EXPECT_EQ(entries("s"), Words{"fresh"});
}

}  // namespace
}  // namespace dragoman::test
