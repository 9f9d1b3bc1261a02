// SPDX-License-Identifier: Apache-2.0
// Claims: a row of the queue is held while its lease has not run out in this start of the machine.
#include "dragoman/log/sqlite_engine.hpp"

namespace dragoman {

namespace {

// Whose a claim is the token says: one whose lease has run out is still ours while nobody took it.
constexpr const char* kFinish = "DELETE FROM queue WHERE queue=? AND key=? AND token=?";

Result<std::uint64_t> held(Sqlite& db, std::string_view queue, std::int64_t now) {
  DRAGOMAN_TRY(auto query, db.query("SELECT count(*) FROM queue WHERE queue=? AND token<>0 AND "
                                    "boot=? AND expires>?"));
  query.bind(queue).bind(boot_id()).bind(now);
  DRAGOMAN_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

struct Waiting {
  std::int64_t id = 0;
  std::string key;
  std::uint32_t attempts = 0;
};

// The plus keeps SQLite from the index by key: in the order of ids the first that fits is the one,
// and only those that are held are before it.
Result<std::optional<Waiting>> oldest(Sqlite& db, std::string_view queue, std::int64_t now) {
  DRAGOMAN_TRY(auto query, db.query("SELECT id, key, attempts FROM queue WHERE +queue=? AND NOT "
                                    "(boot=? AND expires>?) ORDER BY id LIMIT 1"));
  query.bind(queue).bind(boot_id()).bind(now);
  DRAGOMAN_TRY(const bool row, query.step());
  if (!row) return std::optional<Waiting>();
  return std::optional<Waiting>(
      {query.integer(0), std::string(query.text(1)), static_cast<std::uint32_t>(query.integer(2))});
}

}  // namespace

Result<std::optional<Claim>> SqliteLog::claim(std::string_view queue, std::string_view owner,
                                              Milliseconds lease, std::size_t limit) {
  std::optional<Claim> claimed;
  DRAGOMAN_CHECK(writer_.run([&](Transaction& transaction) -> Result<void> {
    Sqlite& db = transaction.db();
    claimed.reset();
    const std::int64_t now = milliseconds_since_boot();
    if (limit > 0) {
      DRAGOMAN_TRY(const auto taken, held(db, queue, now));
      if (taken >= limit) return {};
    }
    DRAGOMAN_TRY(auto next, oldest(db, queue, now));
    if (!next) return {};
    DRAGOMAN_TRY(const auto token, transaction.next_revision());
    DRAGOMAN_TRY(auto query, db.query("UPDATE queue SET owner=?, token=?, attempts=attempts+1, "
                                      "boot=?, expires=? WHERE id=?"));
    query.bind(owner).bind(token).bind(boot_id()).bind(now + lease.count()).bind(next->id);
    DRAGOMAN_CHECK(query.run());
    claimed = Claim{std::string(queue), std::move(next->key), token, next->attempts + 1};
    return {};
  }));
  return claimed;
}

Result<bool> SqliteLog::change_claim(const char* sql, const Claim& claim,
                                     std::optional<Milliseconds> lease) {
  bool ours = false;
  DRAGOMAN_CHECK(writer_.run([&](Transaction& transaction) -> Result<void> {
    Sqlite& db = transaction.db();
    DRAGOMAN_TRY(auto query, db.query(sql));
    if (lease) query.bind(milliseconds_since_boot() + lease->count());
    query.bind(claim.queue).bind(claim.key).bind(claim.token);
    DRAGOMAN_CHECK(query.run());
    ours = db.changes() > 0;
    if (ours && sql == kFinish) transaction.queue_changed(claim.queue, -1);
    return {};
  }));
  return ours;
}

Result<bool> SqliteLog::heartbeat(const Claim& claim, Milliseconds lease) {
  return change_claim("UPDATE queue SET expires=? WHERE queue=? AND key=? AND token=?", claim,
                      lease);
}

Result<bool> SqliteLog::finish(const Claim& claim) {
  return change_claim(kFinish, claim, std::nullopt);
}

Result<bool> SqliteLog::give_back(const Claim& claim) {
  return change_claim(
      "UPDATE queue SET expires=0, token=0, owner='' WHERE queue=? AND key=? AND token=?", claim,
      std::nullopt);
}

Result<std::vector<QueueItem>> SqliteLog::queue(std::string_view queue) {
  std::vector<QueueItem> items;
  DRAGOMAN_CHECK(reading([&](Sqlite& db) -> Result<void> {
    DRAGOMAN_TRY(auto query, db.query("SELECT key, boot=? AND expires>?, owner, attempts FROM "
                                      "queue WHERE queue=? ORDER BY id"));
    query.bind(boot_id()).bind(milliseconds_since_boot()).bind(queue);
    for (;;) {
      DRAGOMAN_TRY(const bool row, query.step());
      if (!row) return {};
      const bool claimed = query.integer(1) != 0;
      items.push_back({std::string(query.text(0)), claimed,
                       claimed ? std::string(query.text(2)) : std::string(),
                       static_cast<std::uint32_t>(query.integer(3))});
    }
  }));
  return items;
}

}  // namespace dragoman
