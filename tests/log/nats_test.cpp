// SPDX-License-Identifier: Apache-2.0
// What only the fleet's engine has: addresses, large entries, replicas that must agree.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/log/nats_jetstream.hpp"
#include "dragoman/log/nats_log.hpp"
#include "dragoman/log/nats_names.hpp"
#include "dragoman/log/nats_space.hpp"
#include "dragoman/log/nats_tickets.hpp"
#include "dragoman/log/open_log.hpp"
#include "dragoman/log/server_clock.hpp"
#include "tests/log/engines.hpp"
#include "tests/log/shim_vfs.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

using namespace std::chrono_literals;

TEST(NatsUrl, NamesServersFleetAndLimits) {
  NatsUrl wanted;
  wanted.servers = {"tls://a:1", "tls://u:p@b:2"};
  wanted.tls = true;
  wanted.space = "prod";
  wanted.credentials = "/etc/c.creds";
  wanted.replicas = 3;
  wanted.events_age = std::chrono::hours(48);
  wanted.events_bytes = 5LL << 30;
  const auto url = parse_nats_url(
      "tls://a:1,u:p@b:2/prod?credentials=/etc/c.creds&replicas=3&events_age=2d&events_bytes=5g");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(*url, wanted);
  EXPECT_EQ(shown(*url), "tls://a:1,b:2/prod");
  EXPECT_EQ(parse_nats_url("nats://h")->space, "dragoman");
}

TEST(NatsUrl, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"nats://", "nats://a,,b", "nats://a/with.dot", "nats://a/>", "nats://a/b/c",
        "nats://a?replicas=2", "nats://a?colour=red", "nats://a?events_bytes=-1",
        "nats://a?events_age=soon", "nats://a?key=k", "http://a"}) {
    const auto url = parse_nats_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::validation) << text;
  }
}

TEST(NatsNames, AnyBytesAreATokenAndComeBack) {
  for (const std::string& name :
       {std::string("run/T-local-1"), std::string("a.b*c>d e"), std::string("=3D"), std::string(),
        std::string("\xFF\n\0x", 4), std::string("é")}) {
    const std::string token = to_token(name);
    EXPECT_EQ(token.find_first_of(".*> \r\n\t"), std::string::npos) << token;
    EXPECT_FALSE(token.empty());
    EXPECT_EQ(from_token(token), name);
  }
  EXPECT_EQ(milliseconds_of("2026-11-16T04:33:45.1234Z"), 1794803625123);
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:01Z"), 1000);
  EXPECT_EQ(milliseconds_of("never"), 0);
}

TEST(ServerClock, IsNeverAheadOfTheLatestTimeSeen) {
  ServerClock clock;
  EXPECT_EQ(clock.now(), 0);
  clock.saw(1'000'000);
  clock.saw(900'000);  // came late: it says nothing new
  EXPECT_GE(clock.now(), 1'000'000);
  EXPECT_LT(clock.now(), 1'000'000 + 60'000);
}

TEST(ServerClock, IsNotSetBackByOldMessagesThatAreReadAgain) {
  std::int64_t here = 0;
  ServerClock clock([&] { return here; });
  clock.saw(1'000'000);
  for (int minute = 0; minute < 10; ++minute) {
    here += 61'000;
    clock.read(1'000'000);
    EXPECT_EQ(clock.now(), 1'000'000 + here);
  }
}

TEST(ServerClock, BelievesAClockThatWasSetBackAfterTwoMinutes) {
  std::int64_t here = 0;
  ServerClock clock([&] { return here; });
  clock.saw(1'000'000);
  for (int i = 0; i < 3; ++i) {
    here += 61'000;
    clock.saw(500'000 + here);
  }
  EXPECT_EQ(clock.now(), 500'000 + here);
}

TEST(OpenLog, AServerThatIsNotThereIsAnErrorThatNamesIt) {
  DRAGOMAN_NEEDS_NATS();
  const auto log = open_log("nats://user:secret@127.0.0.1:1/x", "", 100ms);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message,
            "connect to nats://127.0.0.1:1/x: No server available for connection");
}

// It has tried in vain once, and its server comes after that.
TEST(OpenLog, WaitsForServersThatAreAway) {
  DRAGOMAN_NEEDS_NATS();
  NatsCluster cluster(1);
  cluster.kill(0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(static_cast<std::uint16_t>(cluster.port(0)));
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  (void)::setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ASSERT_EQ(::bind(door, reinterpret_cast<const sockaddr*>(&here), sizeof here), 0);
  ASSERT_EQ(::listen(door, 8), 0);
  auto opening =
      std::async(std::launch::async, [&] { return open_log(cluster.url("s"), "", 10min); });
  const int visitor = ::accept(door, nullptr, nullptr);
  EXPECT_GE(visitor, 0);
  ::close(visitor);
  ::close(door);
  cluster.start(0);
  const auto log = opening.get();
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(write_one(**log, Append{"s", {"x"}, 0}));
}

TEST(NatsLog, AnEntryLargerThanAMessageComesBackWhole) {
  DRAGOMAN_NEEDS_NATS();
  NatsEngine engine;
  const auto log = engine.open();
  std::string large(3'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  value_of(write_one(*log, Append{"s", {"before", large, "after"}, 0}));
  EXPECT_EQ(value_of(log->last("s")), 3U);
  const auto reader = engine.open();
  EXPECT_EQ(value_of(reader->read("s", 1, 10)),
            (std::vector<LogEntry>{{1, "before"}, {2, large}, {3, "after"}}));
  EXPECT_EQ(value_of(engine.open()->read("s", 2, 1)), (std::vector<LogEntry>{{2, large}}));
  EXPECT_EQ(value_of(engine.open()->read("s", 3, 1)), (std::vector<LogEntry>{{3, "after"}}));
}

TEST(NatsLog, AStreamThatWasDroppedBeginsAgainAtOne) {
  DRAGOMAN_NEEDS_NATS();
  NatsEngine engine;
  const auto log = engine.open();
  value_of(write_one(*log, Append{"s", {"old", "older"}, {}}));
  value_of(write_one(*log, DropStream{"s"}));
  EXPECT_EQ(value_of(write_one(*log, Append{"s", {"new"}, 0})), (LogWritten{true, 1}));
  EXPECT_EQ(value_of(log->read("s", 1, 9)), (std::vector<LogEntry>{{1, "new"}}));
}

// More often than the copy tries by itself before the follower begins again.
bool refuses_for_long() {
  const std::uint64_t before = disk().refused;
  return eventually([&] { return disk().refused > before + 15; });
}

TEST(NatsLog, RecordsThatTheCopyHadNoSpaceForAreThereWhenThereIs) {
  DRAGOMAN_NEEDS_NATS();
  const ShimForAll every_file;
  NatsEngine engine;
  const auto log = engine.open();
  value_of(write_one(*log, Put{"b", record("first", "v"), 0}));
  EXPECT_EQ(value_of(log->list({.bucket = "b"})).size(), 1U);
  disk().full = true;
  std::vector<LogWrite> writes;
  for (int i = 0; i < 600; ++i)
    writes.emplace_back(Put{"b", record(fmt::format("k{}", i), "v"), 0});
  value_of(log->write(std::move(writes)));
  EXPECT_TRUE(refuses_for_long());
  disk().full = false;
  EXPECT_EQ(value_of(log->list({.bucket = "b"})).size(), 601U);
}

TEST(NatsLog, ALargeEntryThatTheCopyHadNoSpaceForIsFoundWhenThereIs) {
  DRAGOMAN_NEEDS_NATS();
  const ShimForAll every_file;
  NatsEngine engine;
  const auto log = engine.open();
  value_of(write_one(*log, Append{"s", {"first words"}, {}}));
  EXPECT_EQ(value_of(log->search("first", 10)).size(), 1U);
  disk().full = true;
  value_of(write_one(*log, Append{"large", {"needle " + std::string(3'000'000, 'x')}, {}}));
  EXPECT_TRUE(refuses_for_long());
  disk().full = false;
  EXPECT_EQ(value_of(log->search("needle", 10)), (std::vector<SearchHit>{{"large", 1}}));
}

TEST(NatsLog, ACopyThatIsKeptGoesOnWhereItWas) {
  DRAGOMAN_NEEDS_NATS();
  const TempDir directory;
  auto url = parse_nats_url(shared_nats_server().url(fresh_space()));
  for (int round = 1; round <= 3; ++round) {
    auto opened = open_nats_log({*url, directory.path()});
    ASSERT_TRUE(opened) << opened.error().message;
    Log& log = **opened;
    value_of(write_one(log, Put{"b", record(fmt::format("k{}", round), "v"), 0}));
    value_of(write_one(log, Append{"s", {fmt::format("word{}", round)}, {}}));
    EXPECT_EQ(value_of(log.count({.bucket = "b"})), static_cast<std::uint64_t>(round));
    EXPECT_EQ(value_of(log.search("word1", 10)).size(), 1U);
    EXPECT_EQ(value_of(log.search(fmt::format("word{}", round), 10)).size(), 1U);
  }
}

TEST(NatsLog, TheDoctorSeesServersAndStreams) {
  DRAGOMAN_NEEDS_NATS();
  NatsEngine engine;
  const auto log = engine.open();
  auto url = parse_nats_url(shared_nats_server().url("nobody"));
  const auto findings = look_at_cluster(*url);
  ASSERT_EQ(findings.size(), 5U);
  for (const auto& finding : findings) EXPECT_TRUE(finding.good) << finding.detail;
  const auto broken = look_at_cluster(*parse_nats_url("nats://127.0.0.1:1"));
  ASSERT_EQ(broken.size(), 2U);
  EXPECT_FALSE(broken[0].good);
  EXPECT_FALSE(broken[1].good);
}

// A server moves consumers on when a subject is purged, past what they have not got yet.
TEST(NatsLog, WhoFollowsMissesNothingWhileKeysAndStreamsAreDropped) {
  DRAGOMAN_NEEDS_NATS();
  constexpr std::size_t kWriters = 4;
  const std::size_t rounds = std::max<std::size_t>(100, scaled(2000));
  NatsEngine engine;
  const auto reader = engine.open();
  EXPECT_TRUE(value_of(reader->queue("q")).empty());
  EXPECT_EQ(value_of(reader->count({.bucket = "b"})), 0U);
  EXPECT_TRUE(value_of(reader->search("word", 1)).empty());
  std::vector<std::thread> writers;
  for (std::size_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      const auto log = engine.open();
      for (std::size_t i = 0; i < rounds; ++i) {
        const std::string key = fmt::format("k{}-{}", w, i);
        value_of(write_one(*log, Enqueue{"q", key}));
        const auto put = value_of(write_one(*log, Put{"b", record(key, "v"), 0}));
        value_of(write_one(*log, Append{key, {"word " + key}, {}}));
        value_of(write_one(*log, Dequeue{"q", key}));
        if (i % 10 == 0) continue;  // some stay
        value_of(write_one(*log, Drop{"b", key, put.number}));
        value_of(write_one(*log, DropStream{key}));
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(value_of(reader->queue("q")), std::vector<QueueItem>{});
  EXPECT_EQ(value_of(reader->count({.bucket = "b"})), kWriters * ((rounds + 9) / 10));
  EXPECT_EQ(value_of(reader->search("word", 10'000)).size(), kWriters * ((rounds + 9) / 10));
}

// Replicas that were killed can number the same messages differently. The worst of it: everything
// stands at lower numbers than it did.
TEST(NatsLog, AQueueWhoseItemsHaveLowerNumbersThanBeforeIsStillWorked) {
  DRAGOMAN_NEEDS_NATS();
  const std::string space = fresh_space();
  const auto url = parse_nats_url(shared_nats_server().url(space));
  const auto open = [&] { return value_of(open_nats_log({*url, ""})); };
  const auto worker = open();
  for (int i = 0; i < 20; ++i)
    value_of(write_one(*worker, Put{"b", record(std::to_string(i), "v")}));
  value_of(write_one(*worker, Enqueue{"q", "old"}));
  EXPECT_EQ(value_of(worker->queue("q")).size(), 1U);
  EXPECT_EQ(value_of(worker->count({.bucket = "b"})), 20U);
  {
    auto connection = value_of(NatsConnection::open(*url));
    EXPECT_TRUE(JetStream(connection).api("STREAM.DELETE." + NatsSpace{space}.bucket_stream(), ""));
  }
  const auto other = open();
  value_of(write_one(*other, Enqueue{"q", "old"}));
  value_of(write_one(*other, Enqueue{"q", "new"}));
  value_of(write_one(*other, Put{"b", record("late", "v")}));
  std::set<std::string> claimed;
  EXPECT_TRUE(eventually([&] {
    const auto claim = worker->claim("q", "w", 1min, 0);
    if (claim && *claim) claimed.insert((*claim)->key);
    return claimed.size() == 2;
  })) << claimed.size();
  EXPECT_TRUE(eventually([&] {
    const auto count = worker->count({.bucket = "b"});
    return count && *count == 21;
  }));
}

// The same for somebody who only looks: nothing ever tells it that a key is gone.
TEST(NatsLog, AQueueDoesNotListForEverWhatIsGone) {
  DRAGOMAN_NEEDS_NATS();
  const std::string space = fresh_space();
  const auto url = parse_nats_url(shared_nats_server().url(space));
  const auto log = value_of(open_nats_log({*url, ""}));
  for (const char* key : {"a", "b", "c"}) value_of(write_one(*log, Enqueue{"q", key}));
  EXPECT_EQ(value_of(log->queue("q")).size(), 3U);
  const NatsSpace names{space};
  auto connection = value_of(NatsConnection::open(*url));
  EXPECT_TRUE(JetStream(connection)
                  .api("STREAM.PURGE." + names.bucket_stream(),
                       fmt::format(R"({{"filter":"{}"}})", names.queued("q", "b"))));
  EXPECT_TRUE(eventually([&] {
    const auto items = log->queue("q");
    return items && items->size() == 2 && (*items)[0].key == "a" && (*items)[1].key == "c";
  }));
}

// N5: a herd at one queue; none is taken from somebody who still has it.
TEST(NatsLog, AHerdOfWorkersTakesEachKeyOnce) {
  DRAGOMAN_NEEDS_NATS();
  constexpr std::size_t kWorkers = 16;
  const std::size_t keys = std::max<std::size_t>(300, scaled(10'000));
  NatsEngine engine;
  const auto log = engine.open();
  for (std::size_t i = 0; i < keys; ++i)
    value_of(write_one(*log, Enqueue{"q", fmt::format("k{}", i)}));
  const auto begin = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::multiset<std::string> done;
  std::vector<double> waited;
  std::vector<std::thread> workers;
  for (std::size_t w = 0; w < kWorkers; ++w) {
    workers.emplace_back([&, w] {
      const auto own = engine.open();
      for (std::uint64_t seen = 0;;) {
        const auto claim = value_of(own->claim("q", fmt::format("w{}", w), 1min, 0));
        if (!claim && value_of(own->queue("q")).empty()) return;
        if (!claim) {
          seen = own->wait_for_change(seen, 100ms);
          continue;
        }
        EXPECT_EQ(claim->attempt, 1U) << claim->key << " was taken from somebody";
        EXPECT_TRUE(value_of(own->finish(*claim)));
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        const std::lock_guard lock(mutex);
        done.insert(claim->key);
        waited.push_back(time.count());
      }
    });
  }
  for (auto& worker : workers) worker.join();
  const std::chrono::duration<double> ended = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(done.size(), keys);
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), keys);
  std::sort(waited.begin(), waited.end());
  EXPECT_LE(waited.back() / waited[waited.size() / 2], 10.0);
  // And none takes what is done for somebody's, until a lease ends that nobody has any more.
  EXPECT_LE(ended.count() / waited.back(), 10.0);
}

// A server that hangs for a while answers late. Whoever has given up by then has asked for
// something else, and must not take the ticket for the answer to that.
TEST(NatsTickets, OneThatComesLateAnswersNothingElse) {
  DRAGOMAN_NEEDS_NATS();
  NatsCluster server(1);
  const NatsSpace space{fresh_space()};
  const auto log = value_of(open_log(server.url(space.name), ""));
  JetStream stream(value_of(NatsConnection::open(*parse_nats_url(server.url(space.name)))));
  std::optional<NatsTickets> tickets;
  std::size_t issued = 0;
  const auto issue_one = [&] {
    value_of(write_one(*log, Enqueue{"q", fmt::format("key {}", ++issued)}));
  };
  // A busy machine can miss one that comes after all: then with the next.
  ASSERT_TRUE(eventually([&] {
    issue_one();
    tickets.emplace(stream, space);
    return tickets->next("q").has_value();
  }));
  issue_one();
  ASSERT_TRUE(eventually([&] {
    const auto state = stream.state(space.work_stream());
    return state && *state && (*state)->messages == issued;
  }));

  const auto other = value_of(NatsConnection::open(*parse_nats_url(server.url(space.name))));
  const auto inbox = value_of(other->inbox());

  server.send(0, SIGSTOP);
  EXPECT_FALSE(tickets->next("q"));
  std::thread answering([&] {
    const auto a_while = [] { (void)eventually([looks = 0]() mutable { return ++looks == 40; }); };
    a_while();  // by now it has been asked
    server.send(0, SIGCONT);
    const auto question = value_of(inbox->next(10s));
    a_while();  // by now the ticket has come
    EXPECT_TRUE(question && other->publish(question->reply, "", "the answer"));
  });
  const auto answer = stream.connection().request({inbox->subject(), "", {}, "?"}, 10s);
  answering.join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->data, "the answer");
}

// A server that was killed can come back without the last messages, and lead.
TEST(NatsCluster, WhatANewLeaderDoesNotKnowIsWrittenAgain) {
  DRAGOMAN_NEEDS_NATS();
  NatsCluster cluster(3);
  const std::string space = fresh_space();
  std::unique_ptr<Log> log;
  ASSERT_TRUE(eventually([&] {
    auto opened = open_log(cluster.url(space), "");
    if (opened) log = *std::move(opened);
    return opened.has_value();
  }));
  const auto first = value_of(write_one(*log, Put{"b", record("changed", "1"), 0}));
  const auto fresh = value_of(write_one(*log, Put{"b", record("new", "1"), 0}));
  const auto other = value_of(open_log(cluster.url(space), ""));
  const auto theirs = value_of(write_one(*other, Put{"b", record("changed", "2"), first.number}));
  ASSERT_TRUE(theirs.applied);
  // Gone behind everybody's back, and somebody else leads.
  JetStream stream(value_of(NatsConnection::open(*parse_nats_url(cluster.url(space)))));
  const std::string name = NatsSpace{space}.bucket_stream();
  ASSERT_TRUE(stream.api("STREAM.MSG.DELETE." + name,
                         fmt::format(R"({{"seq":{},"no_erase":true}})", fresh.number)));
  EXPECT_EQ(value_of(log->get("b", "new")), std::nullopt);
  const std::string leader = value_of(stream.state(name))->leader;  // n0, n1, n2
  ASSERT_EQ(leader.size(), 2U);
  cluster.kill(static_cast<std::size_t>(leader[1] - '0'));
  EXPECT_TRUE(eventually(
      [&] {
        const auto found = log->get("b", "new");
        return found && *found && (*found)->value == "1";
      },
      60s));
  // What somebody has replaced stays replaced.
  EXPECT_EQ(value_of(log->get("b", "changed"))->value, "2");
}

// Three replicas, writers on different servers: the case in which a server's own check is not
// enough.
TEST(NatsCluster, OfManyWritersThroughDifferentServersOneWinsEachRound) {
  DRAGOMAN_NEEDS_NATS();
  NatsCluster cluster(3);
  const std::string space = fresh_space();
  std::vector<std::unique_ptr<Log>> logs;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(eventually([&] {
      auto log = open_log(cluster.url_of(i, space), "");
      if (log) logs.push_back(*std::move(log));
      return log.has_value();
    }));
  }
  std::uint64_t revision = 0;
  const std::size_t rounds = std::max<std::size_t>(20, scaled(400));
  for (std::size_t round = 0; round < rounds; ++round) {
    std::atomic<int> won = 0;
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        const auto written =
            value_of(write_one(*logs[i % 3], Put{"b", record("k", std::to_string(i)), revision}));
        if (!written.applied) return;
        ++won;
        next = written.number;
      });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(won, 1) << "round " << round;
    revision = next;
    ASSERT_EQ(value_of(logs[0]->get("b", "k"))->revision, revision);
  }
}

}  // namespace
}  // namespace dragoman::test
