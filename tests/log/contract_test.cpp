// SPDX-License-Identifier: Apache-2.0
// The law of log.hpp, over every engine.
#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

template <typename Engine>
class LogContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!Engine::available()) DRAGOMAN_NEEDS_NATS();
    log_ = engine_.open();
    ASSERT_NE(log_, nullptr);
  }

  Engine engine_;
  std::unique_ptr<Log> log_;
};

using Engines = testing::Types<SqliteEngine, NatsEngine>;
TYPED_TEST_SUITE(LogContract, Engines);

std::vector<std::string> lines(std::size_t from, std::size_t count) {
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < count; ++i) bodies.push_back(fmt::format("line {}", from + i));
  return bodies;
}

TYPED_TEST(LogContract, NumbersEntriesFromOneWithoutAGap) {
  EXPECT_EQ(value_of(write_one(*this->log_, Append{"s", lines(1, 3), {}})), (LogWritten{true, 3}));
  EXPECT_EQ(value_of(write_one(*this->log_, Append{"s", lines(4, 2), {}})), (LogWritten{true, 5}));
  EXPECT_EQ(value_of(write_one(*this->log_, Append{"other", lines(1, 1), {}})),
            (LogWritten{true, 1}));
  const std::vector<LogEntry> all = {
      {1, "line 1"}, {2, "line 2"}, {3, "line 3"}, {4, "line 4"}, {5, "line 5"}};
  EXPECT_EQ(value_of(this->log_->read("s", 1, 100)), all);
  EXPECT_EQ(value_of(this->log_->read("s", 0, 2)), (std::vector<LogEntry>{all[0], all[1]}));
  EXPECT_EQ(value_of(this->log_->last("s")), 5U);
}

TYPED_TEST(LogContract, ReadsFromAnyNumber) {
  value_of(write_one(*this->log_, Append{"s", lines(1, 3000), {}}));
  value_of(write_one(*this->log_, Append{"s", lines(3001, 5), {}}));
  for (const std::uint64_t from : {1U, 2U, 1024U, 1025U, 2999U, 3000U, 3001U, 3005U}) {
    const auto got = value_of(this->log_->read("s", from, 2));
    ASSERT_FALSE(got.empty()) << from;
    EXPECT_EQ(got.front(), (LogEntry{from, fmt::format("line {}", from)}));
  }
  EXPECT_TRUE(value_of(this->log_->read("s", 3006, 2)).empty());
}

// Two halves of a page, two more that fill one with a short entry before, a whole one, the end.
std::vector<std::string> large_bodies() {
  constexpr std::size_t kHalf = Log::kPageBytes / 2;
  return {std::string(kHalf - 1, 'a'), std::string(kHalf, 'b'),
          std::string(kHalf, 'c'),     "short",
          std::string(2 * kHalf, 'e'), "end"};
}

std::string numbers_of(const std::vector<LogEntry>& entries) {
  std::string numbers;
  for (const auto& entry : entries) numbers += std::to_string(entry.seq);
  return numbers;
}

TYPED_TEST(LogContract, APageEndsBehindTheEntryThatFillsIt) {
  value_of(write_one(*this->log_, Append{"s", large_bodies(), {}}));
  const auto page = [&](std::uint64_t from) { return value_of(this->log_->read("s", from, 100)); };
  EXPECT_EQ(numbers_of(page(1)), "123");
  EXPECT_EQ(numbers_of(page(2)), "23");
  EXPECT_EQ(numbers_of(page(4)), "45");
  EXPECT_EQ(numbers_of(page(5)), "5");
  EXPECT_EQ(numbers_of(page(6)), "6");
  EXPECT_EQ(numbers_of(value_of(this->log_->read("s", 1, 2))), "12");
  EXPECT_EQ(numbers_of(value_of(this->log_->follow("s", 1, 100, 1ms))), "123");
  EXPECT_TRUE(more_may_follow(page(4), 100));
  EXPECT_FALSE(more_may_follow(page(6), 100));
}

TYPED_TEST(LogContract, WhoGoesOnBehindEachPageReadsEverything) {
  for (const auto& body : large_bodies()) value_of(write_one(*this->log_, Append{"s", {body}, {}}));
  value_of(write_one(*this->log_, Append{"s", large_bodies(), {}}));
  std::vector<std::string> got;
  std::vector<LogEntry> page;
  do {
    page = value_of(this->log_->read("s", got.size() + 1, 100));
    for (auto& entry : page) {
      ASSERT_EQ(entry.seq, got.size() + 1);
      got.push_back(std::move(entry.body));
    }
  } while (!page.empty());
  std::vector<std::string> expected = large_bodies();
  for (auto& body : large_bodies()) expected.push_back(std::move(body));
  EXPECT_TRUE(got == expected);  // too much to print
}

TYPED_TEST(LogContract, ReadingBeforeANumberGivesTheNewestThatFitAPage) {
  value_of(write_one(*this->log_, Append{"s", large_bodies(), {}}));
  const auto before = [&](std::uint64_t number, std::size_t limit = 100) {
    return numbers_of(value_of(read_before(*this->log_, "s", number, limit)));
  };
  EXPECT_EQ(before(1), "");
  EXPECT_EQ(before(3), "12");
  EXPECT_EQ(before(4), "23");
  EXPECT_EQ(before(5), "34");
  EXPECT_EQ(before(6), "5");
  EXPECT_EQ(before(7), "6");
  EXPECT_EQ(before(1000), "6");
  EXPECT_EQ(before(4, 1), "3");
  value_of(write_one(*this->log_, Append{"small", lines(1, 700), {}}));
  const auto some = value_of(read_before(*this->log_, "small", 700, 100));
  ASSERT_EQ(some.size(), 100U);
  EXPECT_EQ(some.front(), (LogEntry{600, "line 600"}));
  EXPECT_EQ(some.back(), (LogEntry{699, "line 699"}));
}

TYPED_TEST(LogContract, AStreamNobodyWroteToIsEmpty) {
  EXPECT_TRUE(value_of(this->log_->read("none", 1, 10)).empty());
  EXPECT_EQ(value_of(this->log_->last("none")), 0U);
}

TYPED_TEST(LogContract, EmptyAndOddBodiesComeBackAsTheyWere) {
  const std::vector<std::string> bodies = {"", "{\"a\":\"\\n\"}", "\xFF\xFE", "",
                                           "'; DROP TABLE entries;--"};
  value_of(write_one(*this->log_, Append{"s", bodies, {}}));
  std::vector<std::string> got;
  for (auto& entry : value_of(this->log_->read("s", 1, 10))) got.push_back(entry.body);
  EXPECT_EQ(got, bodies);
}

TYPED_TEST(LogContract, AnEntryIsOneLine) {
  for (const std::string& body : {std::string("a\nb"), std::string("a\0b", 3)}) {
    auto refused = write_one(*this->log_, Append{"s", {body}, {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::validation);
  }
  EXPECT_EQ(value_of(this->log_->last("s")), 0U);
}

TYPED_TEST(LogContract, AnAppendThatExpectsAnotherNumberIsRefused) {
  value_of(write_one(*this->log_, Append{"s", lines(1, 2), 0}));
  EXPECT_EQ(value_of(write_one(*this->log_, Append{"s", lines(9, 1), 0})), (LogWritten{false, 2}));
  EXPECT_EQ(value_of(write_one(*this->log_, Append{"s", lines(3, 1), 2})), (LogWritten{true, 3}));
}

TYPED_TEST(LogContract, ARecordChangesByCompareAndSet) {
  const auto first = value_of(write_one(*this->log_, Put{"b", record("k", "one"), 0}));
  ASSERT_TRUE(first.applied);
  EXPECT_EQ(value_of(write_one(*this->log_, Put{"b", record("k", "two"), 0})),
            (LogWritten{false, first.number}));
  const auto second =
      value_of(write_one(*this->log_, Put{"b", record("k", "two", "x", 7), first.number}));
  ASSERT_TRUE(second.applied);
  EXPECT_GT(second.number, first.number);
  EXPECT_EQ(value_of(this->log_->get("b", "k")),
            (std::optional<LogRecord>({"k", "two", second.number, "x", 7})));
  EXPECT_EQ(value_of(this->log_->get("other", "k")), std::nullopt);
  EXPECT_FALSE(value_of(write_one(*this->log_, Drop{"b", "k", first.number})).applied);
  EXPECT_TRUE(value_of(write_one(*this->log_, Drop{"b", "k", second.number})).applied);
  EXPECT_EQ(value_of(this->log_->get("b", "k")), std::nullopt);
}

TYPED_TEST(LogContract, OfManyWhoExpectTheSameRevisionOneWins) {
  const auto second_log = this->engine_.open();
  for (int round = 0; round < 20; ++round) {
    const std::string key = fmt::format("k{}", round);
    std::atomic<int> won = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        Log& log = i % 2 == 0 ? *this->log_ : *second_log;
        if (value_of(write_one(log, Put{"b", record(key, std::to_string(i)), 0})).applied) ++won;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
  }
}

TYPED_TEST(LogContract, TheFirstRefusedWriteEndsACall) {
  value_of(write_one(*this->log_, Put{"b", record("taken", "x"), 0}));
  std::vector<LogWrite> writes;
  writes.emplace_back(Append{"s", lines(1, 1), {}});
  writes.emplace_back(Put{"b", record("taken", "y"), 0});
  writes.emplace_back(Append{"s", lines(2, 1), {}});
  const auto written = value_of(this->log_->write(std::move(writes)));
  ASSERT_EQ(written.size(), 2U);
  EXPECT_TRUE(written[0].applied);
  EXPECT_FALSE(written[1].applied);
  EXPECT_EQ(value_of(this->log_->last("s")), 1U);
}

TYPED_TEST(LogContract, ACallThatFailsHalfwayTakesNobodyWithIt) {
  constexpr int kClients = 8;
  constexpr int kEach = 20;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < kEach; ++i) {
        const bool fails = (c + i) % 3 == 0;
        std::vector<LogWrite> writes;
        writes.emplace_back(Put{"b", record(fmt::format("{}-{}", c, i), "v"), 0});
        writes.emplace_back(Append{"s", {fails ? "two\nlines" : fmt::format("{}-{}", c, i)}, {}});
        EXPECT_EQ(this->log_->write(std::move(writes)).has_value(), !fails) << c << " " << i;
      }
    });
  }
  for (auto& client : clients) client.join();
  std::set<std::string> expected;
  std::set<std::uint64_t> revisions;
  for (int c = 0; c < kClients; ++c) {
    for (int i = 0; i < kEach; ++i) {
      if ((c + i) % 3 == 0) continue;
      const std::string key = fmt::format("{}-{}", c, i);
      expected.insert(key);
      const auto found = value_of(this->log_->get("b", key));
      ASSERT_TRUE(found) << key;
      revisions.insert(found->revision);
    }
  }
  EXPECT_EQ(revisions.size(), expected.size());
  std::set<std::string> appended;
  for (auto& entry : value_of(this->log_->read("s", 1, 1000))) appended.insert(entry.body);
  EXPECT_EQ(appended, expected);
}

TYPED_TEST(LogContract, ListsRecordsByStateInTheirOrder) {
  for (int i = 0; i < 6; ++i) {
    value_of(
        write_one(*this->log_,
                  Put{"b", record(fmt::format("k{}", i), "", i % 2 == 0 ? "even" : "odd", i), 0}));
  }
  const auto keys = [&](RecordQuery query) {
    query.bucket = "b";
    std::vector<std::string> found;
    for (auto& one : value_of(this->log_->list(query))) found.push_back(one.key);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({}), (Keys{"k5", "k4", "k3", "k2", "k1", "k0"}));
  EXPECT_EQ(keys({.states = {"even"}, .limit = 2}), (Keys{"k4", "k2"}));
  EXPECT_EQ(keys({.states = {"even", "odd"}, .from_order = 2, .limit = 3, .newest_first = false}),
            (Keys{"k2", "k3", "k4"}));
  EXPECT_EQ(value_of(this->log_->count({.bucket = "b", .states = {"odd"}, .from_order = 2})), 2U);
  EXPECT_EQ(value_of(this->log_->count({.bucket = "b"})), 6U);
}

TYPED_TEST(LogContract, FollowWakesWhenAnotherLogAppends) {
  const auto writer = this->engine_.open();
  std::vector<LogEntry> got;
  std::thread reader([&] { got = value_of(this->log_->follow("s", 1, 10, 30s)); });
  value_of(write_one(*writer, Append{"s", {"hello"}, {}}));
  reader.join();
  EXPECT_EQ(got, (std::vector<LogEntry>{{1, "hello"}}));
  EXPECT_TRUE(value_of(this->log_->follow("s", 2, 10, 1ms)).empty());
}

TYPED_TEST(LogContract, ListsRecordsBetweenTwoOrders) {
  for (int i = 1; i <= 6; ++i) {
    value_of(
        write_one(*this->log_,
                  Put{"b", record(fmt::format("k{}", i), "", i % 2 == 0 ? "even" : "odd", i), 0}));
  }
  const auto keys = [&](RecordQuery query) {
    query.bucket = "b";
    EXPECT_EQ(value_of(this->log_->count(query)), value_of(this->log_->list(query)).size());
    std::vector<std::string> found;
    for (auto& one : value_of(this->log_->list(query))) found.push_back(one.key);
    return found;
  };
  EXPECT_EQ(keys({.until_order = 3}), (std::vector<std::string>{"k3", "k2", "k1"}));
  EXPECT_EQ(keys({.states = {"even"}, .until_order = 5}), (std::vector<std::string>{"k4", "k2"}));
  EXPECT_EQ(keys({.from_order = 3, .newest_first = false, .until_order = 4}),
            (std::vector<std::string>{"k3", "k4"}));
}

TYPED_TEST(LogContract, ChangedListsWhatIsNewerThanARevisionInItsOrder) {
  const auto put = [&](const char* key, const char* value, std::uint64_t expected) {
    return value_of(write_one(*this->log_, Put{"b", record(key, value), expected})).number;
  };
  const auto changed = [&](std::uint64_t after, std::size_t limit = 0) {
    std::vector<std::string> found;
    std::uint64_t last = after;
    for (auto& one : value_of(this->log_->changed("b", after, limit))) {
      EXPECT_GT(one.revision, last);
      last = one.revision;
      found.push_back(one.key + "=" + one.value);
    }
    return found;
  };
  EXPECT_TRUE(changed(0).empty());
  const auto first = put("a", "1", 0);
  const auto second = put("b", "1", 0);
  value_of(write_one(*this->log_, Put{"other", record("x", "1"), 0}));
  EXPECT_EQ(changed(0), (std::vector<std::string>{"a=1", "b=1"}));
  EXPECT_EQ(changed(0, 1), (std::vector<std::string>{"a=1"}));
  EXPECT_EQ(changed(first), (std::vector<std::string>{"b=1"}));
  const auto third = put("a", "2", first);
  EXPECT_EQ(changed(0), (std::vector<std::string>{"b=1", "a=2"}));
  EXPECT_EQ(changed(second), (std::vector<std::string>{"a=2"}));
  EXPECT_TRUE(changed(third).empty());
  value_of(write_one(*this->log_, Drop{"b", "b", second}));
  EXPECT_EQ(changed(0), (std::vector<std::string>{"a=2"}));
}

TYPED_TEST(LogContract, RecordsAreFoundByTheBeginningOfTheirKeys) {
  for (const char* key : {"r-cat", "T-cab", "r-car", "r-cé", "r-d", "r-c"})
    value_of(write_one(*this->log_, Put{"b", record(key, "1"), 0}));
  value_of(write_one(*this->log_, Put{"other", record("r-cab", "1"), 0}));
  const auto found = [&](std::string_view prefix, std::size_t limit = 0) {
    std::vector<std::string> keys;
    for (auto& one : value_of(this->log_->beginning_with("b", prefix, limit)))
      keys.push_back(one.key);
    return keys;
  };
  EXPECT_EQ(found("r-c"), (std::vector<std::string>{"r-c", "r-car", "r-cat", "r-cé"}));
  EXPECT_EQ(found("r-c", 2), (std::vector<std::string>{"r-c", "r-car"}));
  EXPECT_EQ(found("T-"), (std::vector<std::string>{"T-cab"}));
  EXPECT_EQ(found("").size(), 6U);
  EXPECT_TRUE(found("r-x").empty());
}

TYPED_TEST(LogContract, TheVersionIsAnotherAfterEveryWriteOfAnybodyAndOnlyThen) {
  const auto writer = this->engine_.open();
  const auto version = [&] { return value_of(this->log_->version()); };
  if (!version()) return;  // this engine has none
  const auto changes_with = [&](Log& log, LogWrite write) {
    const auto before = version();
    EXPECT_EQ(version(), before);
    value_of(write_one(log, std::move(write)));
    const auto after = version();
    EXPECT_EQ(version(), after);
    return after != before;
  };
  for (int i = 0; i < 3; ++i) {
    const std::string key = fmt::format("k{}", i);
    for (Log* log : {this->log_.get(), writer.get()}) {
      EXPECT_TRUE(changes_with(*log, Append{"s", {key}, {}}));
      EXPECT_TRUE(changes_with(*log, Put{"b", record(key, "v"), 0}));
      const auto put = value_of(log->get("b", key));
      EXPECT_TRUE(changes_with(*log, Drop{"b", key, put->revision}));
    }
  }
}

TYPED_TEST(LogContract, FollowingARecordReturnsTheNextRevision) {
  const auto writer = this->engine_.open();
  const auto first = value_of(write_one(*writer, Put{"b", record("k", "one"), 0}));
  std::optional<LogRecord> got;
  std::thread reader(
      [&] { got = value_of(this->log_->follow_record("b", "k", first.number, 30s)); });
  value_of(write_one(*writer, Put{"b", record("k", "two"), first.number}));
  reader.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->value, "two");
}

TYPED_TEST(LogContract, AFollowerMissesNothingWhileManyAppend) {
  constexpr std::uint64_t kEach = 50;
  std::vector<std::thread> writers;
  const auto second_log = this->engine_.open();
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      Log& log = w % 2 == 0 ? *this->log_ : *second_log;
      for (std::uint64_t i = 0; i < kEach; ++i)
        value_of(write_one(log, Append{"s", {std::to_string(w)}, {}}));
    });
  }
  std::uint64_t next = 1;
  while (next <= 4 * kEach) {
    const auto got = value_of(this->log_->follow("s", next, 7, 30s));
    ASSERT_FALSE(got.empty());
    for (const auto& entry : got) ASSERT_EQ(entry.seq, next++);
  }
  for (auto& writer : writers) writer.join();
}

TYPED_TEST(LogContract, HandsOutKeysInTheirOrderAndOnlyOnce) {
  for (const char* key : {"a", "b", "c"}) value_of(write_one(*this->log_, Enqueue{"q", key}));
  value_of(write_one(*this->log_, Enqueue{"q", "a"}));  // keeps its place
  const auto a = value_of(this->log_->claim("q", "me", 1min, 2));
  const auto b = value_of(this->log_->claim("q", "me", 1min, 2));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->key + b->key, "ab");
  EXPECT_NE(a->token, b->token);
  EXPECT_EQ(value_of(this->log_->claim("q", "me", 1min, 2)), std::nullopt);  // the limit
  EXPECT_EQ(
      value_of(this->log_->queue("q")),
      (std::vector<QueueItem>{{"a", true, "me", 1}, {"b", true, "me", 1}, {"c", false, "", 0}}));
  EXPECT_TRUE(value_of(this->log_->finish(*a)));
  EXPECT_FALSE(value_of(this->log_->finish(*a)));
  const auto c = value_of(this->log_->claim("q", "me", 1min, 2));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->key, "c");
}

TYPED_TEST(LogContract, AnEnqueueTellsItsPlaceWhereItIsKnown) {
  const auto second_log = this->engine_.open();
  const auto place = [](Log& log, const char* queue, const char* key) {
    return value_of(write_one(log, Enqueue{queue, key})).number;
  };
  if (place(*this->log_, "q", "a") == 0) GTEST_SKIP() << "this engine does not know it";
  EXPECT_EQ(place(*this->log_, "other", "a"), 1U);
  EXPECT_EQ(place(*this->log_, "q", "b"), 2U);
  EXPECT_EQ(place(*this->log_, "q", "b"), 0U) << "it was there";
  EXPECT_EQ(place(*second_log, "q", "c"), 3U);
  EXPECT_EQ(place(*this->log_, "q", "d"), 4U) << "also behind what another process wrote";
  const auto claim = value_of(this->log_->claim("q", "me", 1min, 0));
  ASSERT_TRUE(claim);
  EXPECT_EQ(place(*this->log_, "q", "e"), 5U) << "claimed keys count";
  value_of(this->log_->finish(*claim));
  value_of(write_one(*this->log_, Dequeue{"q", "c"}));
  value_of(write_one(*this->log_, Dequeue{"q", "c"}));
  EXPECT_EQ(place(*this->log_, "q", "f"), 4U);
  // A call that is undone.
  std::vector<LogWrite> writes;
  writes.emplace_back(Enqueue{"q", "g"});
  writes.emplace_back(Append{"s", {"two\nlines"}, {}});
  EXPECT_FALSE(this->log_->write(std::move(writes)));
  EXPECT_EQ(place(*this->log_, "q", "h"), 5U);
}

TYPED_TEST(LogContract, AKeyGivenBackIsHandedOutAgainAtItsPlace) {
  for (const char* key : {"a", "b"}) value_of(write_one(*this->log_, Enqueue{"q", key}));
  const auto a = value_of(this->log_->claim("q", "me", 1min, 0));
  ASSERT_TRUE(a);
  EXPECT_TRUE(value_of(this->log_->give_back(*a)));
  const auto again = value_of(this->log_->claim("q", "you", 1min, 0));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->key, "a");
  EXPECT_EQ(again->attempt, 2U);
}

TYPED_TEST(LogContract, AStaleClaimIsRefused) {
  value_of(write_one(*this->log_, Enqueue{"q", "a"}));
  const auto stale = value_of(this->log_->claim("q", "first", 1ms, 0));
  ASSERT_TRUE(stale);
  std::optional<Claim> fresh;
  ASSERT_TRUE(eventually([&] {
    fresh = value_of(this->log_->claim("q", "second", 1min, 0));
    return fresh.has_value();
  }));
  EXPECT_EQ(fresh->attempt, 2U);
  EXPECT_FALSE(value_of(this->log_->heartbeat(*stale, 1min)));
  EXPECT_FALSE(value_of(this->log_->finish(*stale)));
  EXPECT_FALSE(value_of(this->log_->give_back(*stale)));
  EXPECT_TRUE(value_of(this->log_->heartbeat(*fresh, 1min)));
  EXPECT_TRUE(value_of(this->log_->finish(*fresh)));
}

TYPED_TEST(LogContract, AClaimThatRanOutIsStillOursWhileNobodyTakesIt) {
  for (const char* key : {"a", "b", "c"}) value_of(write_one(*this->log_, Enqueue{"q", key}));
  std::vector<Claim> claims;
  for (int i = 0; i < 3; ++i) {
    const auto claim = value_of(this->log_->claim("q", "me", 1s, 0));
    ASSERT_TRUE(claim);
    claims.push_back(*claim);
  }
  const auto claimed = [&] {
    const auto items = value_of(this->log_->queue("q"));
    return std::count_if(items.begin(), items.end(), [](const auto& one) { return one.claimed; });
  };
  ASSERT_TRUE(eventually([&] { return claimed() == 0; }));
  EXPECT_TRUE(value_of(this->log_->heartbeat(claims[0], 1min)));
  EXPECT_EQ(claimed(), 1);
  EXPECT_TRUE(value_of(this->log_->finish(claims[1])));
  EXPECT_TRUE(value_of(this->log_->give_back(claims[2])));
  EXPECT_FALSE(value_of(this->log_->heartbeat(claims[1], 1min))) << "its key is gone";
  EXPECT_FALSE(value_of(this->log_->heartbeat(claims[2], 1min))) << "it was given back";
  EXPECT_EQ(value_of(this->log_->queue("q")).size(), 2U);
}

TYPED_TEST(LogContract, ManyWorkersNeverHoldTheSameKey) {
  const std::size_t keys = 60;
  for (std::size_t i = 0; i < keys; ++i)
    value_of(write_one(*this->log_, Enqueue{"q", std::to_string(i)}));
  const auto second_log = this->engine_.open();
  std::mutex mutex;
  std::multiset<std::string> done;
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&, w] {
      Log& log = w % 2 == 0 ? *this->log_ : *second_log;
      while (auto claim = value_of(log.claim("q", std::to_string(w), 1min, 0))) {
        const std::lock_guard lock(mutex);
        done.insert(claim->key);
        value_of(log.finish(*claim));
      }
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(done.size(), keys);
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), keys);
}

TYPED_TEST(LogContract, SearchFindsWordsAndPhrasesInWhatEventsSay) {
  value_of(write_one(
      *this->log_,
      Append{"one",
             {R"({"kind":"text","data":{"text":"The refresh token\nexpires too éarly"}})"},
             {}}));
  value_of(write_one(
      *this->log_,
      Append{
          "two", {R"({"kind":"text","data":{"text":"a token of thanks"}})", "plain words"}, {}}));
  const auto streams = [&](std::string_view words) {
    std::vector<std::string> found;
    for (auto& hit : value_of(this->log_->search(words, 10))) found.push_back(hit.stream);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(streams("token"), (Names{"two", "one"}));
  EXPECT_EQ(streams("early TOKEN"), (Names{"one"}));
  EXPECT_EQ(streams("\"refresh token\""), (Names{"one"}));
  EXPECT_EQ(streams("\"token refresh\""), Names{});
  EXPECT_EQ(streams("plain"), (Names{"two"}));
  EXPECT_EQ(streams("NOT AND ( * ^"), Names{});
  EXPECT_EQ(streams("  "), Names{});
  value_of(write_one(*this->log_, DropStream{"two"}));
  EXPECT_EQ(streams("token"), (Names{"one"}));
  EXPECT_TRUE(value_of(this->log_->read("two", 1, 1)).empty());
  // What comes next may lie where the dropped one lay.
  value_of(write_one(*this->log_, Append{"three", {"a third token"}, {}}));
  EXPECT_EQ(streams("token"), (Names{"three", "one"}));
}

TYPED_TEST(LogContract, WhatWasWrittenIsThereWhenItIsOpenedAgain) {
  value_of(write_one(*this->log_, Append{"s", {"kept"}, {}}));
  value_of(write_one(*this->log_, Put{"b", record("k", "v"), 0}));
  this->log_.reset();
  this->log_ = this->engine_.open();
  EXPECT_EQ(value_of(this->log_->read("s", 1, 10)), (std::vector<LogEntry>{{1, "kept"}}));
  EXPECT_TRUE(value_of(this->log_->get("b", "k")));
}

}  // namespace
}  // namespace dragoman::test
