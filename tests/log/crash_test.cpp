// SPDX-License-Identifier: Apache-2.0
// Killing the writer at random moments, and several processes at once.
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/log/sqlite.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

constexpr int kClients = 8;

// A submit as the task registry does it: a record, its place in the queue, its first event.
std::vector<LogWrite> submit(const std::string& key) {
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{"tasks", record(key, "value of " + key, "queued"), 0});
  writes.emplace_back(Append{"all", {key}, {}});
  writes.emplace_back(Enqueue{"q", key});
  return writes;
}

// Writes the key of every acknowledged submit to `out`, one short line at a time: such writes to a
// pipe are not torn.
void submit_until(const std::string& path, int round, int out, std::size_t count) {
  auto log = open_sqlite_log({path, ""});
  if (!log) ::_exit(3);
  (void)!::write(out, "ready\n", 6);
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (std::size_t i = 0; i < count; ++i) {
        const std::string key = fmt::format("{}-{}-{}", round, c, i);
        const auto written = (*log)->write(submit(key));
        if (!written || !written->back().applied) ::_exit(4);
        const std::string line = key + "\n";
        (void)!::write(out, line.data(), line.size());
      }
    });
  }
  for (auto& client : clients) client.join();
}

std::set<std::string> lines_of(int fd) {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  std::set<std::string> lines;
  std::istringstream in(all);
  for (std::string line; std::getline(in, line);) {
    if (line != "ready") lines.insert(line);
  }
  return lines;
}

std::string integrity(const std::string& path) {
  auto db = value_of(Sqlite::open(path, "", Sqlite::Access::read));
  auto query = value_of<std::optional<Query>>([&]() -> Result<std::optional<Query>> {
    DRAGOMAN_TRY(auto q, db->query("PRAGMA integrity_check"));
    return std::optional<Query>(std::move(q));
  }());
  value_of(query->step());
  return std::string(query->text(0));
}

void expect_each_once(const std::string& path, const std::set<std::string>& acknowledged) {
  auto log = value_of(open_sqlite_log({path, ""}));
  std::map<std::string, int> seen;
  for (auto& entry : value_of(log->read("all", 1, 1'000'000))) ++seen[entry.body];
  std::set<std::string> queued;
  for (auto& item : value_of(log->queue("q"))) queued.insert(item.key);
  for (const auto& key : acknowledged) {
    EXPECT_EQ(seen[key], 1) << key;
    EXPECT_TRUE(queued.count(key)) << key;
  }
  for (const auto& [key, times] : seen) EXPECT_LE(times, 1) << key;
  EXPECT_EQ(value_of(log->count({.bucket = "tasks"})), seen.size());
}

// Ready is who has written durably; recovering what the dead one left is part of it.
void expect_ready_soon(const std::string& path) {
  const auto killed = std::chrono::steady_clock::now();
  auto log = value_of(open_sqlite_log({path, ""}));
  value_of(write_one(*log, Append{"ready", {"again"}, {}}));
  EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(2));
}

TEST(SqliteLogCrash, NothingAcknowledgedIsLostOrDoubledWhenTheWriterIsKilled) {
  const SqliteEngine engine;
  std::mt19937 random(7);
  std::set<std::string> acknowledged;
  const int rounds = static_cast<int>(scaled(200));
  for (int round = 0; round < rounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      submit_until(engine.path(), round, ends[1], 1'000'000);
      ::_exit(0);
    }
    ::close(ends[1]);
    char ready[6];
    EXPECT_EQ(::read(ends[0], ready, sizeof ready), 6);  // it came up on what the last one left
    const auto moment =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(1 + random() % 200);
    EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > moment; }));
    ::kill(child, SIGKILL);
    acknowledged.merge(lines_of(ends[0]));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it gave up by itself: " << WEXITSTATUS(status);
    expect_ready_soon(engine.path());
    ASSERT_EQ(integrity(engine.path()), "ok") << "round " << round;
  }
  EXPECT_FALSE(acknowledged.empty());
  expect_each_once(engine.path(), acknowledged);
}

TEST(SqliteLogCrash, TwoProcessesOfSixteenClientsLoseNothingAndSeeNoBusyDatabase) {
  const SqliteEngine engine;
  const std::size_t each = scaled(2000);
  std::vector<pid_t> children;
  std::vector<int> pipes;
  for (int process = 0; process < 2; ++process) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      std::thread second([&] { submit_until(engine.path(), 10 + process, ends[1], each); });
      submit_until(engine.path(), process, ends[1], each);
      second.join();
      ::_exit(0);
    }
    ::close(ends[1]);
    children.push_back(child);
    pipes.push_back(ends[0]);
  }
  std::set<std::string> acknowledged;
  std::thread other([&] { acknowledged = lines_of(pipes[1]); });
  auto first = lines_of(pipes[0]);
  other.join();
  acknowledged.merge(first);
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(acknowledged.size(), 2 * 16 * each);
  expect_each_once(engine.path(), acknowledged);
  EXPECT_EQ(integrity(engine.path()), "ok");
}

}  // namespace
}  // namespace dragoman::test
