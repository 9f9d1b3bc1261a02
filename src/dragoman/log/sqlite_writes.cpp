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

Result<StreamRow> stream_for_writing(Sqlite& db, std::string_view name) {
  DRAGOMAN_TRY(auto found, find_stream(db, name));
  if (found) return *found;
  DRAGOMAN_TRY(auto query, db.query("INSERT INTO streams(name, last) VALUES(?, 0)"));
  DRAGOMAN_CHECK(query.bind(name).run());
  return StreamRow{db.last_insert(), 0};
}

Result<void> put_row(Sqlite& db, const StreamRow& stream, std::uint64_t count,
                     std::string_view bodies) {
  DRAGOMAN_TRY(auto query,
               db.query("INSERT INTO entries(stream, first, count, bodies) VALUES(?, ?, ?, ?)"));
  return query.bind(stream.id).bind(stream.last + 1).bind(count).bind(bodies).run();
}

Result<Written> apply_one(Sqlite& db, const Append& append) {
  for (const auto& body : append.bodies) {
    if (body.find('\n') != std::string::npos || body.find('\0') != std::string::npos) {
      return Error{ErrorCode::validation,
                   "append to " + append.stream + ": an entry is one line, without newline or NUL"};
    }
  }
  if (append.bodies.empty()) {
    DRAGOMAN_TRY(const auto found, find_stream(db, append.stream));
    const std::uint64_t last = found ? found->last : 0;
    return Written{append.expected_last.value_or(last) == last, last};
  }
  DRAGOMAN_TRY(auto stream, stream_for_writing(db, append.stream));
  if (append.expected_last && *append.expected_last != stream.last)
    return Written{false, stream.last};
  std::string bodies;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < append.bodies.size(); ++i) {
    if (count > 0) bodies.push_back('\n');
    bodies.append(append.bodies[i]);
    ++count;
    if (i + 1 < append.bodies.size() && bodies.size() < kRowBytes && count < kRowEntries) continue;
    DRAGOMAN_CHECK(put_row(db, stream, count, bodies));
    stream.last += count;
    bodies.clear();
    count = 0;
  }
  DRAGOMAN_TRY(auto query, db.query("UPDATE streams SET last=? WHERE id=?"));
  DRAGOMAN_CHECK(query.bind(stream.last).bind(stream.id).run());
  return Written{true, stream.last};
}

Result<std::uint64_t> revision_of(Sqlite& db, std::string_view bucket, std::string_view key) {
  DRAGOMAN_TRY(auto query, db.query("SELECT revision FROM records WHERE bucket=? AND key=?"));
  query.bind(bucket).bind(key);
  DRAGOMAN_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

Result<Written> apply_one(Sqlite& db, const Put& put) {
  const LogRecord& record = put.record;
  DRAGOMAN_TRY(const auto current, revision_of(db, put.bucket, record.key));
  if (current != put.expected) return Written{false, current};
  DRAGOMAN_TRY(const auto revision, next_revision(db));
  DRAGOMAN_TRY(
      auto query,
      db.query("INSERT INTO records(bucket, key, revision, state, position, value) "
               "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(bucket, key) DO UPDATE SET "
               "revision=excluded.revision, state=excluded.state, position=excluded.position, "
               "value=excluded.value"));
  query.bind(put.bucket).bind(record.key).bind(revision).bind(record.state).bind(record.order);
  DRAGOMAN_CHECK(query.bind(record.value).run());
  return Written{true, revision};
}

Result<Written> apply_one(Sqlite& db, const Drop& drop) {
  DRAGOMAN_TRY(const auto current, revision_of(db, drop.bucket, drop.key));
  if (current != drop.expected) return Written{false, current};
  DRAGOMAN_TRY(auto query, db.query("DELETE FROM records WHERE bucket=? AND key=?"));
  DRAGOMAN_CHECK(query.bind(drop.bucket).bind(drop.key).run());
  return Written{true, 0};
}

Result<Written> apply_one(Sqlite& db, const DropStream& drop) {
  DRAGOMAN_TRY(const auto stream, find_stream(db, drop.stream));
  if (!stream) return Written{true, 0};
  for (const char* sql :
       {"DELETE FROM words WHERE rowid IN (SELECT id FROM entries WHERE stream=?)",
        "DELETE FROM entries WHERE stream=?", "DELETE FROM streams WHERE id=?"}) {
    DRAGOMAN_TRY(auto query, db.query(sql));
    DRAGOMAN_CHECK(query.bind(stream->id).run());
  }
  return Written{true, 0};
}

Result<Written> apply_one(Sqlite& db, const Enqueue& enqueue) {
  DRAGOMAN_TRY(auto query, db.query("INSERT OR IGNORE INTO queue(queue, key) VALUES(?, ?)"));
  DRAGOMAN_CHECK(query.bind(enqueue.queue).bind(enqueue.key).run());
  return Written{true, 0};
}

Result<Written> apply_one(Sqlite& db, const Dequeue& dequeue) {
  DRAGOMAN_TRY(auto query, db.query("DELETE FROM queue WHERE queue=? AND key=?"));
  DRAGOMAN_CHECK(query.bind(dequeue.queue).bind(dequeue.key).run());
  return Written{true, 0};
}

}  // namespace

Result<std::uint64_t> next_revision(Sqlite& db) {
  DRAGOMAN_TRY(auto query, db.query("UPDATE counters SET value=value+1 WHERE name='revision' "
                                    "RETURNING value"));
  DRAGOMAN_TRY(const bool row, query.step());
  if (!row) return sqlite_error(SQLITE_CORRUPT, "no revision counter", db.path());
  return query.number(0);
}

Result<Written> apply(Sqlite& db, const LogWrite& write) {
  return std::visit([&db](const auto& one) { return apply_one(db, one); }, write);
}

Result<std::vector<Written>> SqliteLog::write(std::vector<LogWrite> writes) {
  std::vector<Written> written;
  DRAGOMAN_CHECK(writer_.run([&](Sqlite& db) -> Result<void> {
    written.clear();
    for (const auto& one : writes) {
      DRAGOMAN_TRY(const auto outcome, apply(db, one));
      written.push_back(outcome);
      if (!outcome.applied) break;
    }
    return {};
  }));
  return written;
}

}  // namespace dragoman
