// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/sqlite_schema.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/log/private_file.hpp"

namespace dragoman {

namespace {

// Step n leads from version n to n + 1. Steps are never changed, only added.
constexpr std::array<const char*, kSchemaVersion> kSteps = {
    // Entries lie several in a row, one a line: `first` is the number of the row's first one.
    R"sql(
    CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counters VALUES('revision', 0), ('indexed', 0);
    CREATE TABLE streams(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
                         last INTEGER NOT NULL);
    CREATE TABLE entries(id INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER NOT NULL,
                         first INTEGER NOT NULL, count INTEGER NOT NULL, bodies TEXT NOT NULL);
    CREATE UNIQUE INDEX entries_by_number ON entries(stream, first);
    CREATE TABLE records(id INTEGER PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL,
                         revision INTEGER NOT NULL, state TEXT NOT NULL, position INTEGER NOT NULL,
                         value TEXT NOT NULL, UNIQUE(bucket, key));
    CREATE INDEX records_by_state ON records(bucket, state, position);
    CREATE INDEX records_by_position ON records(bucket, position);
    CREATE TABLE queue(id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL,
                       key TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '',
                       token INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
                       boot TEXT NOT NULL DEFAULT '', expires INTEGER NOT NULL DEFAULT 0,
                       UNIQUE(queue, key));
    )sql",
    // The words of entries, by the id of their row. Filled when somebody searches.
    R"sql(
    CREATE VIRTUAL TABLE words USING fts5(text, tokenize='unicode61 remove_diacritics 2');
    )sql",
    // What changed in a bucket since a revision.
    R"sql(
    CREATE INDEX records_by_revision ON records(bucket, revision);
    )sql",
    // Ids need not be new for ever (forget_stream() sees to the one place that counts on it), and
    // keeping that promise costs a second table for each row that is written. It is a word in the
    // schema and nothing in the rows, so the schema alone is changed, as SQLite describes it for
    // such cases; making and dropping a table tells the other connections.
    R"sql(
    PRAGMA writable_schema=ON;
    UPDATE sqlite_schema SET sql=replace(sql, ' AUTOINCREMENT', '') WHERE type='table'
      AND name IN ('streams', 'entries', 'queue');
    CREATE TABLE schema_changed(x);
    DROP TABLE schema_changed;
    PRAGMA writable_schema=RESET;
    DELETE FROM sqlite_sequence;
    )sql",
    // Counting the claims of a long queue.
    R"sql(
    CREATE INDEX queue_claimed ON queue(queue) WHERE token<>0;
    )sql",
};

Error failure(const std::string& path, std::string_view what) {
  return {ErrorCode::internal, fmt::format("{}: {}", path, what), "store"};
}

// An empty file must not reach SQLite, which takes it for a new database and would fill it. Looked
// at by name alone: opening and closing the file would drop the locks that SQLite holds on it in
// this process.
Result<void> inspect(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return failure(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) return failure(path, "is not a regular file");
  if (status.st_size > 0) return {};
  return failure(path,
                 "is empty, so something has cut it off; it was left as it is: restore a copy, or "
                 "remove it to begin with a new one");
}

Result<std::int64_t> pragma(Sqlite& db, const char* sql) {
  DRAGOMAN_TRY(auto query, db.query(sql));
  DRAGOMAN_TRY(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<std::int64_t> version_of(Sqlite& db) { return pragma(db, "PRAGMA user_version"); }

Result<void> recognise(Sqlite& db) {
  DRAGOMAN_TRY(const auto application, pragma(db, "PRAGMA application_id"));
  if (application != kApplicationId) {
    return failure(db.path(),
                   "is a database of another program; it was left as it is: name another file");
  }
  DRAGOMAN_TRY(const auto version, version_of(db));
  if (version <= kSchemaVersion) return {};
  return failure(db.path(),
                 fmt::format("has schema version {}, and this program knows up to {}; it "
                             "was left as it is: use the newer dragoman",
                             version, kSchemaVersion));
}

void sync_directory(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const int fd = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

Result<void> fill_new(const std::string& path, const std::string& vfs) {
  DRAGOMAN_TRY(auto db, Sqlite::create(path, vfs));
  DRAGOMAN_CHECK(
      db->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
              "PRAGMA application_id=1146241351"));
  static_assert(kApplicationId == 1146241351);
  DRAGOMAN_CHECK(migrate(*db));
  return db->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

// A write-ahead log whose database was taken away: it would be read into the new one.
void set_stray_log_aside(const std::string& path) {
  const std::string log = path + "-wal";
  if (::access(path.c_str(), F_OK) == 0 || ::access(log.c_str(), F_OK) != 0) return;
  (void)::rename(log.c_str(), fmt::format("{}.stray-{}", log, random_hex(8)).c_str());
}

Result<void> create(const std::string& path, const std::string& vfs) {
  const std::string fresh = fmt::format("{}.new-{}", path, random_hex(8));
  auto made = fill_new(fresh, vfs);
  std::optional<Error> error;
  if (!made) {
    error = std::move(made).error();
    // The person knows the path that was asked for, not the one beside it.
    if (const auto at = error->message.find(fresh); at != std::string::npos)
      error->message.replace(at, fresh.size(), path);
  } else if (set_stray_log_aside(path);
             ::link(fresh.c_str(), path.c_str()) != 0 && errno != EEXIST) {
    error = failure(path, fmt::format("cannot be created: {}", std::strerror(errno)));
  }
  for (const char* part : {"", "-wal", "-shm", "-journal"}) ::unlink((fresh + part).c_str());
  sync_directory(path);
  if (error) return *std::move(error);
  return {};
}

Result<void> take_step(Sqlite& db, std::int64_t version, std::int64_t wanted) {
  DRAGOMAN_TRY(const auto current, version_of(db));
  if (current != version || current >= wanted) return {};  // another process was first
  DRAGOMAN_CHECK(db.run(kSteps[static_cast<std::size_t>(version)]));
  return db.run(fmt::format("PRAGMA user_version={}", version + 1).c_str());
}

}  // namespace

Result<void> migrate(Sqlite& db, std::int64_t version) {
  DRAGOMAN_TRY(const auto from, version_of(db));
  for (std::int64_t step = from; step < version; ++step) {
    DRAGOMAN_CHECK(db.run("BEGIN IMMEDIATE"));
    auto taken = take_step(db, step, version);
    if (taken) taken = db.run("COMMIT");
    if (taken) continue;
    if (db.in_transaction()) (void)db.run("ROLLBACK");
    return std::move(taken).error().while_doing("change the schema");
  }
  return {};
}

Result<std::unique_ptr<Sqlite>> open_database(const std::string& path, const std::string& vfs) {
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) {
    if (const auto failed = make_private_directories(parent))
      return failure(path, fmt::format("cannot be created: {}", failed.message()));
  }
  if (::access(path.c_str(), F_OK) != 0) DRAGOMAN_CHECK(create(path, vfs));
  DRAGOMAN_CHECK(inspect(path));
  DRAGOMAN_TRY(auto db, Sqlite::open(path, vfs, Sqlite::Access::write));
  DRAGOMAN_CHECK(recognise(*db));
  DRAGOMAN_CHECK(migrate(*db));
  return db;
}

}  // namespace dragoman
