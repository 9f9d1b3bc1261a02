// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_projection.hpp"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"
#include "dragoman/log/nats_entries.hpp"
#include "dragoman/log/nats_names.hpp"
#include "dragoman/log/sqlite_engine.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/log/sqlite_schema.hpp"

namespace dragoman {

namespace {

constexpr std::chrono::milliseconds kCatchUpPatience(30'000);
constexpr const char* kRecords = "nats_records";
constexpr const char* kEvents = "nats_events";

// The copy belongs to one making of the streams: when somebody begins the fleet anew, so do we.
Result<std::string> file_name(JetStream& stream, const NatsSpace& space) {
  DRAGOMAN_TRY(const auto state, stream.state(space.bucket_stream()));
  if (!state) return Error{ErrorCode::not_found, "the fleet has no records", "store"};
  return fmt::format("{}-{}.db", space.name, sha256_hex(state->created).substr(0, 12));
}

Result<std::string> temporary_directory() {
  std::error_code failed;
  std::string name = std::filesystem::temp_directory_path(failed) / "dragoman-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return Error{ErrorCode::internal, fmt::format("make a directory {}", name), "store"};
  return name;
}

}  // namespace

NatsProjection::NatsProjection(JetStream& stream, const NatsSpace& space, std::string path,
                               bool temporary)
    : stream_(stream), space_(space), path_(std::move(path)), temporary_(temporary) {}

NatsProjection::~NatsProjection() {
  {
    const Lock lock(mutex_);
    records_.reset();
    events_.reset();
  }
  copy_.reset();
  db_.reset();
  if (!temporary_) return;
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(path_).parent_path(), ignored);
}

Result<std::unique_ptr<NatsProjection>> NatsProjection::open(JetStream& stream,
                                                             const NatsSpace& space,
                                                             const std::string& directory) {
  std::string where = directory;
  if (where.empty()) {
    DRAGOMAN_TRY(where, temporary_directory());
  }
  DRAGOMAN_TRY(const auto name, file_name(stream, space));
  std::unique_ptr<NatsProjection> projection(
      new NatsProjection(stream, space, where + "/" + name, directory.empty()));
  DRAGOMAN_CHECK(projection->begin());
  return projection;
}

Result<void> NatsProjection::begin() {
  DRAGOMAN_TRY(db_, open_database(path_, ""));
  // It is a copy: what a power cut takes is fetched again.
  DRAGOMAN_CHECK(db_->run("PRAGMA synchronous=OFF"));
  DRAGOMAN_CHECK(
      db_->run("INSERT OR IGNORE INTO counters VALUES('nats_records', 0), "
               "('nats_events', 0)"));
  DRAGOMAN_TRY(copy_, open_sqlite_log({path_, ""}));
  return {};
}

Result<std::uint64_t> NatsProjection::counter(const char* name) {
  DRAGOMAN_TRY(auto query, db_->query("SELECT value FROM counters WHERE name=?"));
  query.bind(name);
  DRAGOMAN_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

Result<void> NatsProjection::store_record(const JetMessage& message) {
  const NatsKey name = key_of(message.subject);
  if (is_gone(message)) {
    DRAGOMAN_TRY(auto query, db_->query("DELETE FROM records WHERE bucket=? AND key=?"));
    return query.bind(name.group).bind(name.key).run();
  }
  const std::string state = from_token(message.header("D-State"));
  const std::string_view order = message.header("D-Order");
  std::int64_t position = 0;
  std::from_chars(order.data(), order.data() + order.size(), position);
  DRAGOMAN_TRY(
      auto query,
      db_->query("INSERT INTO records(bucket, key, revision, state, position, value) "
                 "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(bucket, key) DO UPDATE SET "
                 "revision=excluded.revision, state=excluded.state, position=excluded.position, "
                 "value=excluded.value"));
  query.bind(name.group).bind(name.key).bind(message.seq).bind(state).bind(position);
  return query.bind(message.data).run();
}

Result<void> NatsProjection::store_entries(const JetMessage& message) {
  const std::string stream = last_word(message.subject);
  if (is_gone(message)) return forget_stream(*db_, stream);
  const EntryHead head = entry_head(message);
  const std::string* bodies = &message.data;
  if (head.part > 0 || head.more) {
    if (head.part == 0) parts_[stream] = {};
    const auto parts = parts_.find(stream);
    if (parts == parts_.end() || parts->second.next != head.part) return {};  // we have it
    parts->second.text += message.data;
    ++parts->second.next;
    if (head.more) return {};
    bodies = &parts->second.text;
  }
  DRAGOMAN_TRY(auto insert, db_->query("INSERT OR IGNORE INTO streams(name, last) VALUES(?, 0)"));
  DRAGOMAN_CHECK(insert.bind(stream).run());
  DRAGOMAN_TRY(auto row, db_->query("INSERT OR IGNORE INTO entries(stream, first, count, bodies) "
                                    "SELECT id, ?, ?, ? FROM streams WHERE name=?"));
  DRAGOMAN_CHECK(row.bind(head.first).bind(head.count).bind(*bodies).bind(stream).run());
  DRAGOMAN_TRY(auto last, db_->query("UPDATE streams SET last=max(last, ?) WHERE name=?"));
  DRAGOMAN_CHECK(last.bind(head.first + head.count - 1).bind(stream).run());
  if (bodies != &message.data) parts_.erase(stream);
  return {};
}

Result<void> NatsProjection::store(const char* name, const std::vector<JetMessage>& messages,
                                   Result<void> (NatsProjection::*one)(const JetMessage&)) {
  // Some come once more. Their order makes the same of them: what a stream holds of a record is its
  // last state, and entries have their numbers.
  for (const JetMessage& message : messages) DRAGOMAN_CHECK((this->*one)(message));
  // While an entry is not complete its parts have to come again, should we end here.
  if (name == kEvents && !parts_.empty()) return {};
  DRAGOMAN_TRY(auto query, db_->query("UPDATE counters SET value=max(value, ?) WHERE name=?"));
  return query.bind(messages.back().seq).bind(name).run();
}

bool NatsProjection::commit(const char* name, const std::vector<JetMessage>& messages,
                            Result<void> (NatsProjection::*one)(const JetMessage&)) {
  const Lock lock(writing_);
  auto parts = parts_;  // they go back with the rest: the messages come again
  auto stored = db_->run("BEGIN IMMEDIATE");
  if (stored) stored = store(name, messages, one);
  if (stored) stored = db_->run("COMMIT");
  if (stored) return true;
  if (db_->in_transaction()) (void)db_->run("ROLLBACK");
  parts_ = std::move(parts);
  return false;
}

// A copy that cannot be written falls behind and is tried again, here for a moment and then by the
// follower for as long as it takes: views say so by being old, and nothing is lost.
bool NatsProjection::take(const char* name, const std::vector<JetMessage>& messages,
                          Result<void> (NatsProjection::*one)(const JetMessage&)) {
  constexpr timespec kPause{0, 200'000'000};
  for (int i = 0; i < 5; ++i) {
    if (commit(name, messages, one)) return true;
    ::nanosleep(&kPause, nullptr);
  }
  return false;
}

Result<Log*> NatsProjection::caught_up(Half half) {
  const bool of_records = half == Half::records;
  const char* const name = of_records ? kRecords : kEvents;
  NatsFollower* follower = nullptr;
  {
    const Lock lock(mutex_);
    std::unique_ptr<NatsFollower>& own = of_records ? records_ : events_;
    if (own == nullptr) {
      std::uint64_t from = 0;
      {
        const Lock writing(writing_);
        DRAGOMAN_TRY(from, counter(name));
      }
      const auto one = of_records ? &NatsProjection::store_record : &NatsProjection::store_entries;
      own = std::make_unique<NatsFollower>(
          stream_, FollowerOptions{of_records ? space_.bucket_stream() : space_.event_stream(),
                                   of_records ? space_.records() : space_.events(),
                                   a_little_before(from + 1), false,
                                   [this, name, one](const std::vector<JetMessage>& messages) {
                                     return take(name, messages, one);
                                   }});
    }
    follower = own.get();
  }
  DRAGOMAN_CHECK(follower->catch_up(kCatchUpPatience));
  return copy_.get();
}

}  // namespace dragoman
