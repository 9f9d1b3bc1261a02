// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/sqlite.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "dragoman/log/log.hpp"

namespace dragoman {

namespace {

constexpr std::chrono::seconds kLockPatience(60);

// Other processes hold the file for one commit at a time, so waiting is short naps without an end
// in sight; only a process that was stopped in the middle uses up the patience.
int wait_for_others(void* /*unused*/, int attempts) {
  // 0.2 to 1 ms each: a turn of another writer costs a sync of the disk, some milliseconds.
  const long nap = 200'000 + (static_cast<long>(attempts) * 7919 % 8) * 100'000;
  const timespec time{0, nap};
  ::nanosleep(&time, nullptr);
  const long long waited = static_cast<long long>(attempts) * 550;  // microseconds, on average
  return waited < std::chrono::microseconds(kLockPatience).count() ? 1 : 0;
}

// SQLite counts the memory it has in use behind a mutex, at every allocation, for a figure that
// nobody here asks for. To be said before its first use; when it is too late nothing changes.
void spare_the_counting() {
  static const int kOnce = ::sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)kOnce;
}

}  // namespace

bool is_disk_full(const Error& error) { return error.reason == "disk_full"; }

Error sqlite_error(int extended_code, std::string_view message, const std::string& path) {
  // The index of the log is a file too, and SQLite has another number for a disk without room for
  // it.
  if (extended_code == SQLITE_IOERR_SHMSIZE) extended_code = SQLITE_FULL;
  const bool full = (extended_code & 0xFF) == SQLITE_FULL;
  const auto say = [full](std::string text) {
    return Error{ErrorCode::internal, std::move(text), full ? "disk_full" : "store"};
  };
  switch (extended_code & 0xFF) {
    case SQLITE_FULL:
      return say(
          fmt::format("no space left for {}: free some and try again; nothing is lost", path));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return say(fmt::format("{}: cannot be written: make it and its directory writable", path));
    case SQLITE_CANTOPEN:
      return say(
          fmt::format("{}: cannot be opened: look at the permissions of it, of its "
                      "directory and of the files {}-wal and {}-shm",
                      path, path, path));
    case SQLITE_CORRUPT:
      return say(
          fmt::format("{}: the database is damaged ({}); it was left as it is: restore a "
                      "copy, or move it away and rescue what can be read with "
                      "'sqlite3 FILE .recover'",
                      path, message));
    case SQLITE_NOTADB:
      return say(
          fmt::format("{}: is not a database; it was left as it is: name another file, or "
                      "move it away",
                      path));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(fmt::format("{}: another process has kept it locked for {} s", path,
                             kLockPatience.count()));
    default:
      return say(fmt::format("{}: {} (SQLite {})", path, message, extended_code));
  }
}

Query::~Query() {
  if (statement_ == nullptr) return;
  ::sqlite3_reset(statement_);
  ::sqlite3_clear_bindings(statement_);
}

Query& Query::bind(std::string_view text) {
  // A null pointer would bind NULL where an empty text is meant.
  const char* bytes = text.data() == nullptr ? "" : text.data();
  ::sqlite3_bind_text64(statement_, ++bound_, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Query& Query::bind(std::int64_t number) {
  ::sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Result<bool> Query::step() {
  const int code = ::sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* db = ::sqlite3_db_handle(statement_);
  return sqlite_error(::sqlite3_extended_errcode(db), ::sqlite3_errmsg(db), *path_);
}

Result<void> Query::run() {
  for (;;) {
    DRAGOMAN_TRY(const bool row, step());
    if (!row) return {};
  }
}

std::int64_t Query::integer(int column) const { return ::sqlite3_column_int64(statement_, column); }

std::uint64_t Query::number(int column) const {
  return static_cast<std::uint64_t>(integer(column));
}

std::string_view Query::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(::sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return "";
  return {bytes, static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Sqlite>> Sqlite::open_with(const std::string& path, const std::string& vfs,
                                                  int flags) {
  spare_the_counting();
  sqlite3* raw = nullptr;
  const int code =
      ::sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                        vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<Sqlite> db(new Sqlite(raw, path));  // closed also when opening failed
  if (code != SQLITE_OK) {
    return sqlite_error(code, raw == nullptr ? "out of memory" : ::sqlite3_errmsg(raw), path);
  }
  ::sqlite3_busy_handler(raw, wait_for_others, nullptr);
  ::sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  return db;
}

Result<std::unique_ptr<Sqlite>> Sqlite::create(const std::string& path, const std::string& vfs) {
  // SQLite would make it readable for everybody. What it puts beside it gets the same mode.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) {
    if (errno == ENOSPC || errno == EDQUOT) return sqlite_error(SQLITE_FULL, "", path);
    return Error{ErrorCode::internal,
                 fmt::format("{}: cannot be created: {}", path, std::strerror(errno)), "store"};
  }
  ::close(file);
  return open_with(path, vfs, SQLITE_OPEN_READWRITE);
}

Result<std::unique_ptr<Sqlite>> Sqlite::open(const std::string& path, const std::string& vfs,
                                             Access access) {
  DRAGOMAN_TRY(auto db, open_with(path, vfs, SQLITE_OPEN_READWRITE));
  // The write-ahead log stays when its last user goes: emptying and making it again would cost
  // every short-lived command five syncs of the disk.
  ::sqlite3_db_config(db->db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  DRAGOMAN_CHECK(db->run("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY"));
  // The writer comes back to the same pages with every group; 2 MB, as usual, hold a few thousand
  // tasks. Memory is taken when pages are.
  DRAGOMAN_CHECK(
      db->run(access == Access::read ? "PRAGMA query_only=1" : "PRAGMA cache_size=-16000"));
  return db;
}

void Sqlite::empty_long_log() {
  constexpr std::uintmax_t kLong = 1 << 20;  // read in a millisecond
  std::error_code absent;
  const auto size = std::filesystem::file_size(path_ + "-wal", absent);
  if (absent || size <= kLong) return;
  ::sqlite3_busy_handler(db_.get(), nullptr, nullptr);  // who is using it will do it
  (void)run("PRAGMA wal_checkpoint(TRUNCATE)");
  ::sqlite3_busy_handler(db_.get(), wait_for_others, nullptr);
}

Result<Query> Sqlite::query(const char* sql) {
  auto& kept = statements_[sql];
  if (kept == nullptr) {
    sqlite3_stmt* raw = nullptr;
    const int code =
        ::sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK) {
      return sqlite_error(::sqlite3_extended_errcode(db_.get()), ::sqlite3_errmsg(db_.get()),
                          path_);
    }
    kept.reset(raw);
  }
  return Query(kept.get(), path_);
}

Result<void> Sqlite::run(const char* sql) {
  const int code = ::sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return sqlite_error(::sqlite3_extended_errcode(db_.get()), ::sqlite3_errmsg(db_.get()), path_);
}

}  // namespace dragoman
