// SPDX-License-Identifier: Apache-2.0
// A thin skin over SQLite's C functions: what is opened is closed, what fails is an Error that
// names the file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"

namespace dragoman {

struct CloseSqlite {
  void operator()(sqlite3* db) const { ::sqlite3_close_v2(db); }
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};

// A prepared statement on loan: bind, step, read columns. Going out of scope resets it.
class Query {
 public:
  Query(sqlite3_stmt* statement, const std::string& path) : statement_(statement), path_(&path) {}
  ~Query();
  Query(Query&& other) noexcept : statement_(other.statement_), path_(other.path_) {
    other.statement_ = nullptr;
  }
  Query& operator=(Query&&) = delete;

  // Bound text must live until the statement has been stepped for the last time.
  Query& bind(std::string_view text);
  Query& bind(std::int64_t number);
  Query& bind(std::uint64_t number) { return bind(static_cast<std::int64_t>(number)); }

  // Whether there is a row.
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] Result<void> run();  // to its end

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // until the next step

 private:
  sqlite3_stmt* statement_;
  const std::string* path_;
  int bound_ = 0;
};

// One connection, for one thread at a time.
class Sqlite {
 public:
  enum class Access : std::uint8_t { write, read };

  // The file must exist. `vfs` may be empty.
  [[nodiscard]] static Result<std::unique_ptr<Sqlite>> open(const std::string& path,
                                                            const std::string& vfs, Access access);
  // A new file.
  [[nodiscard]] static Result<std::unique_ptr<Sqlite>> create(const std::string& path,
                                                              const std::string& vfs);

  // `sql` must be a literal: it is the key of the statement's cache.
  [[nodiscard]] Result<Query> query(const char* sql);
  [[nodiscard]] Result<void> run(const char* sql);  // one or more statements without values
  // Moves what is in a long write-ahead log into the database, if nobody else is using it: the next
  // process to open it would have to read all of it first.
  void empty_long_log();
  [[nodiscard]] std::int64_t last_insert() const { return ::sqlite3_last_insert_rowid(db_.get()); }
  [[nodiscard]] std::int64_t changes() const { return ::sqlite3_changes64(db_.get()); }
  [[nodiscard]] std::int64_t total_changes() const { return ::sqlite3_total_changes64(db_.get()); }
  [[nodiscard]] bool in_transaction() const { return ::sqlite3_get_autocommit(db_.get()) == 0; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Sqlite(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}
  static Result<std::unique_ptr<Sqlite>> open_with(const std::string& path, const std::string& vfs,
                                                   int flags);

  std::unique_ptr<sqlite3, CloseSqlite> db_;
  std::string path_;
  std::map<const char*, std::unique_ptr<sqlite3_stmt, CloseSqlite>> statements_;
};

// What went wrong with `path`, in words a person can act on.
[[nodiscard]] Error sqlite_error(int extended_code, std::string_view message,
                                 const std::string& path);

}  // namespace dragoman
