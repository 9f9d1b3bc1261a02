// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman {

namespace {

// Rows of this size are cheap to write and quick to read from the middle.
constexpr std::size_t kRowBytes = 64 * 1024;
constexpr std::size_t kRowEntries = 1024;

struct StreamRow {
  std::int64_t id = 0;
  std::uint64_t last = 0;
};

Result<std::optional<StreamRow>> find_stream(Sqlite& db, std::string_view name) {
  DRAGOMAN_TRY(auto query, db.query("SELECT id, last FROM streams WHERE name=?"));
  query.bind(name);
  DRAGOMAN_TRY(const bool row, query.step());
  if (!row) return std::optional<StreamRow>();
  return std::optional<StreamRow>({query.integer(0), query.number(1)});
}

// The stream with `count` more entries; those of the row that it returns are still to be written.
Result<std::int64_t> grow(Sqlite& db, const std::optional<StreamRow>& stream, std::string_view name,
                          std::uint64_t count) {
  if (!stream) {
    DRAGOMAN_TRY(auto insert, db.query("INSERT INTO streams(name, last) VALUES(?, ?)"));
    DRAGOMAN_CHECK(insert.bind(name).bind(count).run());
    return db.last_insert();
  }
  DRAGOMAN_TRY(auto update, db.query("UPDATE streams SET last=? WHERE id=?"));
  DRAGOMAN_CHECK(update.bind(stream->last + count).bind(stream->id).run());
  return stream->id;
}

Result<void> put_row(Sqlite& db, std::int64_t stream, std::uint64_t first, std::uint64_t count,
                     std::string_view bodies) {
  DRAGOMAN_TRY(auto query,
               db.query("INSERT INTO entries(stream, first, count, bodies) VALUES(?, ?, ?, ?)"));
  return query.bind(stream).bind(first).bind(count).bind(bodies).run();
}

Result<void> put_rows(Sqlite& db, std::int64_t stream, std::uint64_t first,
                      const std::vector<std::string>& entries) {
  if (entries.size() == 1) return put_row(db, stream, first, 1, entries.front());
  std::string bodies;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (count > 0) bodies.push_back('\n');
    bodies.append(entries[i]);
    ++count;
    if (i + 1 < entries.size() && bodies.size() < kRowBytes && count < kRowEntries) continue;
    DRAGOMAN_CHECK(put_row(db, stream, first, count, bodies));
    first += count;
    bodies.clear();
    count = 0;
  }
  return {};
}

Result<LogWritten> apply_one(Transaction& transaction, const Append& append) {
  Sqlite& db = transaction.db();
  for (const auto& body : append.bodies) {
    if (body.find('\n') != std::string::npos || body.find('\0') != std::string::npos) {
      return Error{ErrorCode::validation,
                   "append to " + append.stream + ": an entry is one line, without newline or NUL"};
    }
  }
  DRAGOMAN_TRY(const auto stream, find_stream(db, append.stream));
  const std::uint64_t last = stream ? stream->last : 0;
  if (append.expected_last.value_or(last) != last) return LogWritten{false, last};
  if (append.bodies.empty()) return LogWritten{true, last};
  const std::uint64_t count = append.bodies.size();
  DRAGOMAN_TRY(const auto id, grow(db, stream, append.stream, count));
  DRAGOMAN_CHECK(put_rows(db, id, last + 1, append.bodies));
  return LogWritten{true, last + count};
}

Result<std::uint64_t> revision_of(Sqlite& db, std::string_view bucket, std::string_view key) {
  DRAGOMAN_TRY(auto query, db.query("SELECT revision FROM records WHERE bucket=? AND key=?"));
  query.bind(bucket).bind(key);
  DRAGOMAN_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

// Whether the revision that was expected was there to be replaced. One statement says so and does
// it: looking first would cost another search of the same tree.
Result<bool> replace(Sqlite& db, const Put& put, std::uint64_t revision) {
  const LogRecord& record = put.record;
  if (put.expected == 0) {
    DRAGOMAN_TRY(auto insert,
                 db.query("INSERT OR IGNORE INTO records(bucket, key, revision, state, "
                          "position, value) VALUES(?, ?, ?, ?, ?, ?)"));
    insert.bind(put.bucket).bind(record.key).bind(revision).bind(record.state);
    DRAGOMAN_CHECK(insert.bind(record.order).bind(record.value).run());
  } else {
    DRAGOMAN_TRY(auto update,
                 db.query("UPDATE records SET revision=?, state=?, position=?, value=? "
                          "WHERE bucket=? AND key=? AND revision=?"));
    update.bind(revision).bind(record.state).bind(record.order).bind(record.value);
    DRAGOMAN_CHECK(update.bind(put.bucket).bind(record.key).bind(put.expected).run());
  }
  return db.changes() > 0;
}

Result<LogWritten> apply_one(Transaction& transaction, const Put& put) {
  DRAGOMAN_TRY(const auto revision, transaction.next_revision());
  DRAGOMAN_TRY(const bool replaced, replace(transaction.db(), put, revision));
  if (replaced) return LogWritten{true, revision};
  transaction.return_revision();
  DRAGOMAN_TRY(const auto current, revision_of(transaction.db(), put.bucket, put.record.key));
  return LogWritten{false, current};
}

Result<LogWritten> apply_one(Transaction& transaction, const Drop& drop) {
  Sqlite& db = transaction.db();
  DRAGOMAN_TRY(const auto current, revision_of(db, drop.bucket, drop.key));
  if (current != drop.expected) return LogWritten{false, current};
  DRAGOMAN_TRY(auto query, db.query("DELETE FROM records WHERE bucket=? AND key=?"));
  DRAGOMAN_CHECK(query.bind(drop.bucket).bind(drop.key).run());
  return LogWritten{true, 0};
}

Result<LogWritten> apply_one(Transaction& transaction, const DropStream& drop) {
  DRAGOMAN_CHECK(forget_stream(transaction.db(), drop.stream));
  return LogWritten{true, 0};
}

Result<LogWritten> apply_one(Transaction& transaction, const Enqueue& enqueue) {
  Sqlite& db = transaction.db();
  DRAGOMAN_TRY(const auto before, transaction.queue_length(enqueue.queue));
  DRAGOMAN_TRY(auto query, db.query("INSERT OR IGNORE INTO queue(queue, key) VALUES(?, ?)"));
  DRAGOMAN_CHECK(query.bind(enqueue.queue).bind(enqueue.key).run());
  if (db.changes() == 0) return LogWritten{true, 0};  // it keeps its place, wherever that is
  transaction.queue_changed(enqueue.queue, 1);
  return LogWritten{true, before + 1};
}

Result<LogWritten> apply_one(Transaction& transaction, const Dequeue& dequeue) {
  Sqlite& db = transaction.db();
  DRAGOMAN_TRY(auto query, db.query("DELETE FROM queue WHERE queue=? AND key=?"));
  DRAGOMAN_CHECK(query.bind(dequeue.queue).bind(dequeue.key).run());
  transaction.queue_changed(dequeue.queue, -db.changes());
  return LogWritten{true, 0};
}

Result<LogWritten> apply(Transaction& transaction, const LogWrite& write) {
  return std::visit([&](const auto& one) { return apply_one(transaction, one); }, write);
}

}  // namespace

Result<void> forget_stream(Sqlite& db, std::string_view name) {
  DRAGOMAN_TRY(const auto stream, find_stream(db, name));
  if (!stream) return {};
  for (const char* sql :
       {"DELETE FROM words WHERE rowid IN (SELECT id FROM entries WHERE stream=?)",
        "DELETE FROM entries WHERE stream=?", "DELETE FROM streams WHERE id=?"}) {
    DRAGOMAN_TRY(auto query, db.query(sql));
    DRAGOMAN_CHECK(query.bind(stream->id).run());
  }
  // The next rows may get the ids of the last ones again: they have not been indexed.
  return db.run(
      "UPDATE counters SET value=min(value, (SELECT coalesce(max(id), 0) FROM entries)) "
      "WHERE name='indexed'");
}

Result<std::vector<LogWritten>> SqliteLog::write(std::vector<LogWrite> writes) {
  std::vector<LogWritten> written;
  DRAGOMAN_CHECK(writer_.run([&](Transaction& transaction) -> Result<void> {
    written.clear();
    for (const auto& one : writes) {
      DRAGOMAN_TRY(const auto outcome, apply(transaction, one));
      written.push_back(outcome);
      if (!outcome.applied) break;
    }
    return {};
  }));
  return written;
}

}  // namespace dragoman
