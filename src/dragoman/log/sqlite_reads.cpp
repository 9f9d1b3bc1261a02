// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "dragoman/log/page.hpp"
#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman {

namespace {

LogRecord record_of(const Query& query) {
  return {std::string(query.text(0)), std::string(query.text(1)), query.number(2),
          std::string(query.text(3)), query.integer(4)};
}

Result<void> take_all(Query& rows, std::vector<LogRecord>& records) {
  for (;;) {
    DRAGOMAN_TRY(const bool row, rows.step());
    if (!row) return {};
    records.push_back(record_of(rows));
  }
}

// Takes the lines of one row.
void take_lines(std::string_view bodies, std::uint64_t first, LogPage& page) {
  std::uint64_t seq = first;
  for (std::size_t at = 0; !page.full();) {
    const std::size_t end = std::min(bodies.find('\n', at), bodies.size());
    page.add(seq, bodies.substr(at, end - at));
    if (end == bodies.size()) return;
    at = end + 1;
    ++seq;
  }
}

// With no states given, records are walked by their position; with some, each state has its own
// sorted run in the index, and the runs are merged.
Result<void> list_state(Sqlite& db, const RecordQuery& query, const std::string* state,
                        std::vector<LogRecord>& records) {
  constexpr const char* kAllUp =
      "SELECT key, value, revision, state, position FROM records WHERE bucket=? AND position>=? "
      "AND position<=? ORDER BY position, id LIMIT ?";
  constexpr const char* kAllDown =
      "SELECT key, value, revision, state, position FROM records WHERE bucket=? AND position>=? "
      "AND position<=? ORDER BY position DESC, id DESC LIMIT ?";
  constexpr const char* kStateUp =
      "SELECT key, value, revision, state, position FROM records WHERE bucket=? AND state=? AND "
      "position>=? AND position<=? ORDER BY position, id LIMIT ?";
  constexpr const char* kStateDown =
      "SELECT key, value, revision, state, position FROM records WHERE bucket=? AND state=? AND "
      "position>=? AND position<=? ORDER BY position DESC, id DESC LIMIT ?";
  const char* sql = state == nullptr ? (query.newest_first ? kAllDown : kAllUp)
                                     : (query.newest_first ? kStateDown : kStateUp);
  DRAGOMAN_TRY(auto rows, db.query(sql));
  rows.bind(query.bucket);
  if (state != nullptr) rows.bind(*state);
  rows.bind(query.from_order.value_or(std::numeric_limits<std::int64_t>::min()));
  rows.bind(query.until_order.value_or(std::numeric_limits<std::int64_t>::max()));
  rows.bind(query.limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(query.limit));
  return take_all(rows, records);
}

}  // namespace

Result<void> SqliteLog::reading(const std::function<Result<void>(Sqlite&)>& body) {
  std::unique_ptr<Sqlite> db;
  {
    const Lock lock(mutex_);
    if (!idle_.empty()) {
      db = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (db == nullptr) {
    DRAGOMAN_TRY(db, Sqlite::open(options_.path, options_.vfs, Sqlite::Access::read));
  }
  auto result = body(*db);
  const Lock lock(mutex_);
  idle_.push_back(std::move(db));
  return result;
}

Result<std::vector<LogEntry>> SqliteLog::read(std::string_view stream, std::uint64_t from,
                                              std::size_t limit) {
  from = std::max<std::uint64_t>(from, 1);
  LogPage page(from, limit);
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto rows,
                 db.query("SELECT e.first, e.bodies FROM streams s JOIN entries e ON "
                          "e.stream=s.id WHERE s.name=?1 AND e.first >= coalesce((SELECT "
                          "max(first) FROM entries WHERE stream=s.id AND first<=?2), 0) "
                          "ORDER BY e.first"));
    rows.bind(stream).bind(from);
    while (!page.full()) {
      DRAGOMAN_TRY(const bool row, rows.step());
      if (!row) break;
      take_lines(rows.text(1), rows.number(0), page);
    }
    return {};
  }));
  return std::move(page).take();
}

Result<std::vector<LogEntry>> SqliteLog::follow(std::string_view stream, std::uint64_t from,
                                                std::size_t limit, Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const std::uint64_t seen = changes_.count();  // before reading: what comes now wakes us
    DRAGOMAN_TRY(auto entries, read(stream, from, limit));
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    if (!entries.empty() || left.count() <= 0) return entries;
    changes_.wait(seen, left);
  }
}

Result<std::uint64_t> SqliteLog::last(std::string_view stream) {
  std::uint64_t number = 0;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto query, db.query("SELECT last FROM streams WHERE name=?"));
    query.bind(stream);
    DRAGOMAN_TRY(const bool row, query.step());
    if (row) number = query.number(0);
    return {};
  }));
  return number;
}

Result<std::optional<LogRecord>> SqliteLog::get(std::string_view bucket, std::string_view key) {
  std::optional<LogRecord> record;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto query, db.query("SELECT key, value, revision, state, position FROM records "
                                      "WHERE bucket=? AND key=?"));
    query.bind(bucket).bind(key);
    DRAGOMAN_TRY(const bool row, query.step());
    if (row) record = record_of(query);
    return {};
  }));
  return record;
}

Result<std::optional<LogRecord>> SqliteLog::follow_record(std::string_view bucket,
                                                          std::string_view key, std::uint64_t known,
                                                          Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const std::uint64_t seen = changes_.count();
    DRAGOMAN_TRY(auto record, get(bucket, key));
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    if ((record ? record->revision : 0) != known || left.count() <= 0) return record;
    changes_.wait(seen, left);
  }
}

Result<std::vector<LogRecord>> SqliteLog::list(const RecordQuery& query) {
  std::vector<LogRecord> records;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    if (query.states.empty()) return list_state(db, query, nullptr, records);
    for (const auto& state : query.states) DRAGOMAN_CHECK(list_state(db, query, &state, records));
    return {};
  }));
  if (query.states.size() < 2) return records;
  std::stable_sort(records.begin(), records.end(), [&](const auto& a, const auto& b) {
    return query.newest_first ? a.order > b.order : a.order < b.order;
  });
  if (query.limit != 0 && records.size() > query.limit) records.resize(query.limit);
  return records;
}

Result<std::uint64_t> SqliteLog::count(const RecordQuery& query) {
  std::uint64_t total = 0;
  const auto from = query.from_order.value_or(std::numeric_limits<std::int64_t>::min());
  const auto until = query.until_order.value_or(std::numeric_limits<std::int64_t>::max());
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    if (query.states.empty()) {
      DRAGOMAN_TRY(auto rows, db.query("SELECT count(*) FROM records WHERE bucket=? AND "
                                       "position>=? AND position<=?"));
      rows.bind(query.bucket).bind(from).bind(until);
      DRAGOMAN_TRY(const bool row, rows.step());
      if (row) total = rows.number(0);
    }
    for (const auto& state : query.states) {
      DRAGOMAN_TRY(auto rows, db.query("SELECT count(*) FROM records WHERE bucket=? AND state=? "
                                       "AND position>=? AND position<=?"));
      rows.bind(query.bucket).bind(state).bind(from).bind(until);
      DRAGOMAN_TRY(const bool row, rows.step());
      if (row) total += rows.number(0);
    }
    return {};
  }));
  return total;
}

Result<std::vector<LogRecord>> SqliteLog::changed(std::string_view bucket, std::uint64_t after,
                                                  std::size_t limit) {
  std::vector<LogRecord> records;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto rows, db.query("SELECT key, value, revision, state, position FROM records "
                                     "WHERE bucket=? AND revision>? ORDER BY revision LIMIT ?"));
    rows.bind(bucket).bind(after);
    rows.bind(limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
    return take_all(rows, records);
  }));
  return records;
}

Result<std::vector<LogRecord>> SqliteLog::beginning_with(std::string_view bucket,
                                                         std::string_view prefix,
                                                         std::size_t limit) {
  constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";
  const std::string behind = std::string(prefix).append(kLastCharacter);
  std::vector<LogRecord> records;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto rows, db.query("SELECT key, value, revision, state, position FROM records "
                                     "WHERE bucket=? AND key>=? AND key<? ORDER BY key LIMIT ?"));
    rows.bind(bucket).bind(prefix).bind(behind);
    rows.bind(limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
    return take_all(rows, records);
  }));
  return records;
}

std::uint64_t SqliteLog::wait_for_change(std::uint64_t seen, Milliseconds timeout) {
  return changes_.wait(seen, timeout);
}

Result<std::optional<std::uint64_t>> SqliteLog::version() {
  const Lock lock(version_mutex_);
  if (version_ == nullptr) {
    DRAGOMAN_TRY(version_, Sqlite::open(options_.path, options_.vfs, Sqlite::Access::read));
  }
  DRAGOMAN_TRY(auto query, version_->query("PRAGMA data_version"));
  DRAGOMAN_TRY(const bool row, query.step());
  if (!row) return std::optional<std::uint64_t>();
  return std::optional<std::uint64_t>(query.number(0));
}

}  // namespace dragoman
