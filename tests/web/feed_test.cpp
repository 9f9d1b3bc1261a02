// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <random>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"
#include "tests/web/served.hpp"

namespace dragoman::web::test {
namespace {

using namespace std::chrono_literals;
using dragoman::test::event_field;
using dragoman::test::eventually;

class Feeds : public Served {
 protected:
  std::unique_ptr<RawClient> follow(const std::string& target, const std::string& fields = {}) {
    auto client = std::make_unique<RawClient>(port());
    client->send(request("GET", target, fields));
    const auto head = client->head();
    EXPECT_TRUE(head);
    EXPECT_EQ(head ? head->fields.at("content-type") : "", "text/event-stream");
    return client;
  }
  static std::string run_stream(const std::string& id) { return "/api/v1/runs/" + id + "/stream"; }

  // The next event of that name; others are passed over.
  static std::optional<std::string> next(RawClient& client, std::string_view name,
                                         std::chrono::milliseconds patience = 30s) {
    while (auto event = client.next_event(patience))
      if (event_field(*event, "event") == name) return event;
    return std::nullopt;
  }
};

TEST_F(Feeds, ARunIsSentFromItsFirstEventAndGoesOnLive) {
  const std::string id = add_task();
  add_events(id, 3);
  const auto client = follow(run_stream(id));
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(event_field(next(*client, "event").value_or(""), "id"), std::to_string(i));
  add_events(id, 2);
  for (int i = 4; i <= 5; ++i)
    EXPECT_EQ(event_field(next(*client, "event").value_or(""), "id"), std::to_string(i));
}

TEST_F(Feeds, AStreamBeginsWhereItIsAskedTo) {
  const std::string id = add_task();
  add_events(id, 10);
  const auto first_id = [&](const std::string& query, const std::string& fields) {
    return event_field(next(*follow(run_stream(id) + query, fields), "event").value_or(""), "id");
  };
  EXPECT_EQ(first_id("?from=4", ""), "4");
  EXPECT_EQ(first_id("", "Last-Event-ID: 7\r\n"), "8");
  EXPECT_EQ(first_id("?from=2", "Last-Event-ID: 7\r\n"), "8");
}

TEST_F(Feeds, UnknownFutureAndExpiredIdsGiveOneResync) {
  const std::string id = add_task();
  add_events(id, 10);
  for (const char* last :
       {"11", "99999999999", "abc", "-1", "", "1e3", "99999999999999999999999"}) {
    const auto client = follow(run_stream(id), std::string("Last-Event-ID: ") + last + "\r\n");
    const auto event = next(*client, "resync");
    ASSERT_TRUE(event) << last;
    EXPECT_EQ(event_field(*event, "id"), "10") << last;
  }
  const auto client = follow(run_stream(id), "Last-Event-ID: 11\r\n");
  ASSERT_TRUE(next(*client, "resync"));
  add_events(id, 1);
  // Nothing but the new event and states: no second resync.
  while (const auto event = client->next_event()) {
    ASSERT_NE(event_field(*event, "event"), "resync");
    if (event_field(*event, "event") != "event") continue;
    EXPECT_EQ(event_field(*event, "id"), "11");
    break;
  }
  // What was kept once and is gone.
  ASSERT_TRUE(write_one(*log_, DropStream{task::event_stream(id)}));
  EXPECT_TRUE(next(*follow(run_stream(id), "Last-Event-ID: 5\r\n"), "resync"));
}

// Reads until the connection is cut after a random number of events, again and again.
TEST_F(Feeds, CutsLoseAndRepeatNothing) {
  const std::string id = add_task();
  const std::size_t cuts = dragoman::test::scaled(1000);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::mt19937 random(1);
    while (!done) add_events(id, 1 + random() % 20);
  });
  std::mt19937 random(2);
  std::uint64_t last = 0;
  for (std::size_t cut = 0; cut < cuts; ++cut) {
    const auto client =
        follow(run_stream(id), last == 0 ? "" : fmt::format("Last-Event-ID: {}\r\n", last));
    const std::size_t stay = random() % 50;
    for (std::size_t i = 0; i < stay; ++i) {
      const auto event = client->next_event();
      ASSERT_TRUE(event);
      ASSERT_NE(event_field(*event, "event"), "resync");
      if (event_field(*event, "event") != "event") continue;
      ASSERT_EQ(event_field(*event, "id"), std::to_string(last + 1)) << "cut " << cut;
      ++last;
    }
  }
  done = true;
  writer.join();
  EXPECT_EQ(app_->feed().statistics().resyncs, 0U);
}

TEST_F(Feeds, ARestartLeavesNoGap) {
  const std::string id = add_task();
  add_events(id, 5);
  auto client = follow(run_stream(id));
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(next(*client, "event"));
  stop();
  client.reset();
  start();
  add_events(id, 2);
  const auto again = follow(run_stream(id), "Last-Event-ID: 3\r\n");
  for (int i = 4; i <= 7; ++i)
    EXPECT_EQ(event_field(next(*again, "event").value_or(""), "id"), std::to_string(i));
}

TEST_F(Feeds, ASlowReaderGetsEverythingAndDelaysNobody) {
  const std::string id = add_task();
  const std::uint64_t count = dragoman::test::scaled(2'000'000);
  const auto slow = follow(run_stream(id));
  slow->shrink_receive_buffer(65536);
  const auto quick = follow(run_stream(id));
  for (std::uint64_t written = 0; written < count; written += 10'000)
    add_events(id, std::min<std::uint64_t>(10'000, count - written));
  // Slow, but not dead: whoever takes nothing at all is cut after a while.
  constexpr std::uint64_t kSlower = 20;
  std::uint64_t taken = 0;
  for (std::uint64_t i = 1; i <= count; ++i) {
    ASSERT_EQ(event_field(next(*quick, "event").value_or(""), "id"), std::to_string(i));
    if (i % kSlower != 0) continue;
    ASSERT_EQ(event_field(next(*slow, "event").value_or(""), "id"), std::to_string(++taken));
  }
  while (taken++ < count)
    ASSERT_EQ(event_field(next(*slow, "event").value_or(""), "id"), std::to_string(taken));
}

TEST_F(Feeds, AHugeEventGoesThrough) {
  const std::string id = add_task();
  const std::string text(5'000'000, 'x');
  const auto client = follow(run_stream(id));
  add_events(id, 1);
  ASSERT_TRUE(write_one(
      *log_, Append{task::event_stream(id),
                    {R"({"seq":2,"kind":"display_text","data":{"text":")" + text + "\"}}"},
                    {}}));
  add_events(id, 1);
  EXPECT_TRUE(next(*client, "event"));
  EXPECT_GT(next(*client, "event").value_or("").size(), text.size());
  EXPECT_EQ(event_field(next(*client, "event").value_or(""), "id"), "3");
}

TEST_F(Feeds, ManyLargeEventsComeToWhoIsLiveAndToWhoComesLater) {
  const std::string id = add_task();
  const auto live = follow(run_stream(id));
  ASSERT_TRUE(next(*live, "state"));
  add_large_events(id, 24, 1'500'000);
  const auto late = follow(run_stream(id));
  for (int i = 1; i <= 24; ++i) {
    ASSERT_EQ(event_field(next(*live, "event").value_or(""), "id"), std::to_string(i));
    ASSERT_EQ(event_field(next(*late, "event").value_or(""), "id"), std::to_string(i));
  }
  EXPECT_EQ(app_->feed().statistics().resyncs, 0U);
}

TEST_F(Feeds, TheStateOfARunComesWithItsStream) {
  const std::string id = add_task();
  const auto client = follow(run_stream(id));
  // The first state of that name; the same one may be told twice.
  const auto until = [&](std::string_view name) {
    while (const auto event = next(*client, "state")) {
      auto run = nlohmann::json::parse(event_field(*event, "data"));
      if (run["state"] == name) return run;
    }
    return nlohmann::json::object();
  };
  EXPECT_EQ(until("working")["id"], id);
  add_question(id);
  EXPECT_EQ(until("waiting")["waiting_for"], "Where to?");
  add_events(id, 1);
  ASSERT_TRUE(task::change_task(*log_, id, [](task::Task& task) {
    task.state = "completed";
    return true;
  }));
  // Its last events are there before the end is told.
  EXPECT_EQ(event_field(next(*client, "event").value_or(""), "id"), "1");
  EXPECT_EQ(until("completed")["id"], id);
}

TEST_F(Feeds, TheOverviewTellsOfRunsAndQuestions) {
  const auto client = follow("/api/v1/stream");
  ASSERT_TRUE(eventually([&] { return app_->feed().statistics().clients == 1; }));
  const std::string id = add_task("first");
  const auto run = next(*client, "run");
  ASSERT_TRUE(run);
  EXPECT_EQ(nlohmann::json::parse(event_field(*run, "data"))["id"], id);
  EXPECT_NE(event_field(*run, "id"), "");
  add_question(id);
  const auto question = next(*client, "question");
  ASSERT_TRUE(question);
  EXPECT_EQ(nlohmann::json::parse(event_field(*question, "data"))["question"], "Where to?");
  const auto waiting = next(*client, "run");
  ASSERT_TRUE(waiting);
  EXPECT_EQ(nlohmann::json::parse(event_field(*waiting, "data"))["state"], "waiting");
}

TEST_F(Feeds, TheOverviewGoesOnWhereItBrokeOff) {
  const std::string before = add_task("before");
  ASSERT_TRUE(eventually([&] { return get("/api/v1/runs")["revision"].get<int>() > 0; }));
  const auto revision = get("/api/v1/runs")["revision"].get<std::uint64_t>();
  std::vector<std::string> missed;
  for (int i = 0; i < 3; ++i) missed.push_back(add_task("missed"));
  const auto client = follow("/api/v1/stream", fmt::format("Last-Event-ID: {}\r\n", revision));
  for (const auto& id : missed) {
    const auto run = next(*client, "run");
    ASSERT_TRUE(run);
    EXPECT_EQ(nlohmann::json::parse(event_field(*run, "data"))["id"], id);
  }
  EXPECT_TRUE(next(*follow("/api/v1/stream", "Last-Event-ID: 99999999\r\n"), "resync"));
  EXPECT_TRUE(next(*follow("/api/v1/stream", "Last-Event-ID: x\r\n"), "resync"));
}

TEST_F(Feeds, WhoMissedTooMuchIsToldToStartAnew) {
  stop();
  options_.feed.most_replayed = 5;
  start();
  for (int i = 0; i < 8; ++i) add_task();
  EXPECT_TRUE(next(*follow("/api/v1/stream", "Last-Event-ID: 1\r\n"), "resync"));
}

TEST_F(Feeds, TheOverviewTellsOfRemovedRuns) {
  stop();
  options_.feed.count_every = 0ms;
  start();
  const std::string id = add_task("old", "completed");
  const auto client = follow("/api/v1/stream");
  ASSERT_TRUE(eventually([&] { return app_->feed().statistics().clients == 1; }));
  const auto record = log_->get(task::kTasks, id);
  ASSERT_TRUE(record && *record);
  ASSERT_TRUE(write_one(*log_, Drop{std::string(task::kTasks), id, (*record)->revision}));
  const auto removed = next(*client, "removed");
  ASSERT_TRUE(removed);
  EXPECT_EQ(nlohmann::json::parse(event_field(*removed, "data"))["id"], id);
}

TEST_F(Feeds, WhoeverGoesAwayIsForgotten) {
  const std::string id = add_task();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i)
    clients.push_back(follow(i % 2 == 0 ? run_stream(id) : "/api/v1/stream"));
  EXPECT_TRUE(eventually([&] { return app_->feed().statistics().clients == 20; }));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return app_->feed().statistics().clients == 0; }));
}

TEST_F(Feeds, AStreamOfNoRunIsNotFound) {
  EXPECT_EQ(ask("GET", run_stream("T-local-nothing")).status, 404);
}

}  // namespace
}  // namespace dragoman::web::test
