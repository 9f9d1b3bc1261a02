// SPDX-License-Identifier: Apache-2.0
// What happens when the disk is full, or the file is not what it should be.
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dragoman/log/sqlite_schema.hpp"
#include "tests/log/engines.hpp"
#include "tests/log/shim_vfs.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;

void execute(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(::sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << ::sqlite3_errmsg(db);
  ::sqlite3_close(db);
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(SqliteLog, SyncsBeforeEveryAcknowledgement) {
  const TempDir directory;
  auto log = value_of(open_sqlite_log({directory.path() / "log.db", shim_vfs()}));
  for (int i = 0; i < 50; ++i) {
    const auto syncs = disk().wal_syncs.load();
    value_of(write_one(*log, Append{"s", {std::to_string(i)}, {}}));
    ASSERT_GT(disk().wal_syncs.load(), syncs) << i;
    ASSERT_EQ(disk().unsynced.load(), 0U) << i;
  }
}

TEST(SqliteLog, WhatManyClientsWereToldIsOnTheDisk) {
  const TempDir directory;
  auto log = value_of(open_sqlite_log({directory.path() / "log.db", shim_vfs()}));
  disk().keeps_synced = true;
  std::vector<std::thread> clients;
  for (int c = 0; c < 16; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < 8; ++i) {
        const std::string key = "client " + std::to_string(c) + " call " + std::to_string(i) + ".";
        value_of(write_one(*log, Append{"s", {key}, {}}));
        EXPECT_THAT(what_was_synced(), HasSubstr(key));
      }
    });
  }
  for (auto& client : clients) client.join();
  disk().keeps_synced = false;
}

TEST(SqliteLog, ACallThatFailsHalfwayIsUndone) {
  const TempDir directory;
  auto log = value_of(open_sqlite_log({directory.path() / "log.db", ""}));
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{"b", record("k", "v"), 0});
  writes.emplace_back(Append{"s", {"two\nlines"}, {}});
  EXPECT_FALSE(log->write(std::move(writes)));
  EXPECT_FALSE(value_of(log->get("b", "k")));
}

TEST(SqliteLog, AFullDiskIsAnErrorThatPasses) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  auto log = value_of(open_sqlite_log({path, shim_vfs()}));
  value_of(write_one(*log, Append{"s", {"before"}, {}}));
  disk().full = true;
  const auto refused = write_one(*log, Append{"s", {"lost"}, {}});
  const auto claim = log->claim("q", "me", std::chrono::seconds(1), 0);
  disk().full = false;
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_disk_full(refused.error()));
  EXPECT_THAT(refused.error().message, HasSubstr(path));
  EXPECT_TRUE(claim);  // nothing to write: nothing to fail
  EXPECT_EQ(value_of(log->read("s", 1, 10)), (std::vector<LogEntry>{{1, "before"}}));
  value_of(write_one(*log, Append{"s", {"after"}, {}}));
  EXPECT_EQ(value_of(log->read("s", 1, 10)), (std::vector<LogEntry>{{1, "before"}, {2, "after"}}));
}

TEST(SqliteLog, AFullDiskLeavesNoHalfDatabase) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  disk().full = true;
  const auto refused = open_sqlite_log({path, shim_vfs()});
  disk().full = false;
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_disk_full(refused.error()));
  EXPECT_THAT(refused.error().message, HasSubstr(path + ":"));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_TRUE(open_sqlite_log({path, shim_vfs()}));
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* says;
};

TEST(SqliteLog, AFileThatIsNoDatabaseIsNamedAndLeftAsItIs) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  for (const auto& bad :
       {BadFile{"empty", "", "is empty"}, BadFile{"short", "hello", "is not a database"},
        BadFile{"text", std::string(5000, 'x'), "is not a database"}}) {
    write_file(path, bad.bytes);
    const auto refused = open_sqlite_log({path, ""});
    ASSERT_FALSE(refused) << bad.name;
    EXPECT_THAT(refused.error().message, HasSubstr(path));
    EXPECT_THAT(refused.error().message, HasSubstr(bad.says));
    EXPECT_EQ(read_file(path), bad.bytes);
  }
}

TEST(SqliteLog, ADatabaseOfAnotherProgramIsLeftAsItIs) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  execute(path, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)");
  const std::string before = read_file(path);
  const auto refused = open_sqlite_log({path, ""});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("another program"));
  EXPECT_EQ(read_file(path), before);
}

TEST(SqliteLog, ANewerSchemaIsRefused) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  value_of(open_sqlite_log({path, ""})).reset();
  execute(path, "PRAGMA user_version=99");
  const auto refused = open_sqlite_log({path, ""});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(path + ": has schema version 99"));
}

TEST(SqliteLog, DamageIsReportedWithThePathAndTheFileIsKept) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  {
    auto log = value_of(open_sqlite_log({path, ""}));
    for (int i = 0; i < 200; ++i)
      value_of(write_one(*log, Append{"s", {std::string(3000, 'x')}, {}}));
  }
  execute(path,
          "PRAGMA wal_checkpoint(TRUNCATE)");  // what is in the write-ahead log is not damaged
  std::string bytes = read_file(path);
  std::fill(bytes.begin() + 4096, bytes.end(), '\x5A');
  write_file(path, bytes);
  auto log = open_sqlite_log({path, ""});
  std::string said = log ? "" : log.error().message;
  if (log) {
    const auto got = (*log)->read("s", 1, 1000);
    ASSERT_FALSE(got);
    said = got.error().message;
  }
  EXPECT_THAT(said, HasSubstr(path));
  EXPECT_THAT(said, HasSubstr("damaged"));
  EXPECT_EQ(read_file(path).size(), bytes.size());
}

TEST(SqliteLog, ALongWriteAheadLogIsEmptiedByTheLastUser) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  auto first = value_of(open_sqlite_log({path, ""}));
  for (int i = 0; i < 3; ++i)
    value_of(write_one(*first, Append{"s", {std::string(1 << 20, 'x')}, {}}));
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 1U << 20);
  first.reset();
  EXPECT_LT(std::filesystem::file_size(path + "-wal"), 1U << 20);
  EXPECT_EQ(value_of(value_of(open_sqlite_log({path, ""}))->last("s")), 3U);
}

TEST(SqliteLog, AReadOnlyDirectoryIsAClearError) {
  const TempDir directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  const std::string path = directory.path() / "log.db";
  const pid_t child = ::fork();
  if (child == 0) {  // root may write everywhere, so somebody else has to try
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
    const auto refused = open_sqlite_log({path, ""});
    if (refused) ::_exit(1);
    ::_exit(refused.error().message.find(path + ":") == std::string::npos ? 2 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(SqliteLog, WhatItMakesIsItsOwnersAloneWhateverTheUmask) {
  const TempDir directory;
  const auto made = directory.path() / "new" / "deeper";
  const std::string path = made / "log.db";
  const mode_t before = ::umask(0);
  const auto log = value_of(open_sqlite_log({path, ""}));
  value_of(write_one(*log, Append{"s", {"x"}, {}}));
  ::umask(before);
  for (const char* part : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path + part), 0600U) << part;
  EXPECT_EQ(mode_of(made), 0700U);
  EXPECT_EQ(mode_of(made.parent_path()), 0700U);
}

TEST(SqliteLog, ADirectoryThatWasThereKeepsItsMode) {
  const TempDir directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0750), 0);
  value_of(open_sqlite_log({directory.path() / "log.db", ""}));
  EXPECT_EQ(mode_of(directory.path()), 0750U);
}

TEST(SqliteLog, AnOldSchemaIsBroughtForwardAlsoAfterACrashInBetween) {
  for (std::int64_t version = 0; version < kSchemaVersion; ++version) {
    const TempDir directory;
    const std::string path = directory.path() / "log.db";
    {
      auto db = value_of(Sqlite::create(path, ""));
      ASSERT_TRUE(db->run("PRAGMA journal_mode=WAL; PRAGMA application_id=1146241351"));
      ASSERT_TRUE(migrate(*db, version));
      // A process that died in the middle of the next step leaves an open transaction behind.
      ASSERT_TRUE(db->run("BEGIN IMMEDIATE; CREATE TABLE half_done(x)"));
    }
    auto log = value_of(open_sqlite_log({path, ""}));
    ASSERT_NE(log, nullptr);
    value_of(write_one(*log, Append{"s", {"x"}, {}}));
    EXPECT_EQ(value_of(log->search("x", 1)).size(), 1U);
  }
}

TEST(SqliteLog, AMigrationKeepsWhatIsThereAndThoseWhoAreUsingIt) {
  const TempDir directory;
  const std::string path = directory.path() / "log.db";
  auto old = value_of(Sqlite::create(path, ""));
  ASSERT_TRUE(old->run("PRAGMA journal_mode=WAL; PRAGMA application_id=1146241351"));
  ASSERT_TRUE(migrate(*old, 3));
  constexpr const char* kEnqueue = "INSERT INTO queue(queue, key) VALUES('q', ?)";
  const auto enqueue = [&](std::string_view key) {
    auto query = old->query(kEnqueue);
    ASSERT_TRUE(query);
    ASSERT_TRUE(query->bind(key).run());
  };
  enqueue("before");
  ASSERT_TRUE(
      old->run("INSERT INTO streams(name, last) VALUES('s', 1);"
               "INSERT INTO entries(stream, first, count, bodies) VALUES(1, 1, 1, 'kept')"));
  auto log = value_of(open_sqlite_log({path, ""}));
  enqueue("meanwhile");
  value_of(write_one(*log, Enqueue{"q", "after"}));
  std::vector<std::string> keys;
  for (auto& item : value_of(log->queue("q"))) keys.push_back(item.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"before", "meanwhile", "after"}));
  EXPECT_EQ(value_of(log->read("s", 1, 10)), (std::vector<LogEntry>{{1, "kept"}}));
  const auto answer = [&](const char* sql) {
    auto query = old->query(sql);
    EXPECT_TRUE(query && query->step());
    return query ? std::string(query->text(0)) : "";
  };
  EXPECT_EQ(answer("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'"), "0");
  EXPECT_EQ(answer("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace dragoman::test
