// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/transaction.hpp"

#include <utility>

namespace dragoman {

Result<std::uint64_t> Transaction::next_revision() {
  if (!stored_) {
    DRAGOMAN_TRY(auto query, db_.query("SELECT value FROM counters WHERE name='revision'"));
    DRAGOMAN_TRY(const bool row, query.step());
    if (!row) return sqlite_error(SQLITE_CORRUPT, "no revision counter", db_.path());
    given_ = stored_.emplace(query.number(0));
  }
  return ++given_;
}

Result<std::uint64_t> Transaction::queue_length(std::string_view queue) {
  if (!std::exchange(lengths_checked_, true)) {
    DRAGOMAN_TRY(auto query, db_.query("PRAGMA data_version"));
    DRAGOMAN_TRY(const bool row, query.step());
    const std::int64_t version = row ? query.integer(0) : 0;
    if (std::exchange(lengths_version_, version) != version) lengths_.clear();
  }
  if (const auto known = lengths_.find(queue); known != lengths_.end()) return known->second;
  DRAGOMAN_TRY(auto query, db_.query("SELECT count(*) FROM queue WHERE queue=?"));
  query.bind(queue);
  DRAGOMAN_TRY(const bool row, query.step());
  return lengths_[std::string(queue)] = row ? query.number(0) : 0;
}

void Transaction::queue_changed(std::string_view queue, std::int64_t by) {
  if (const auto known = lengths_.find(queue); known != lengths_.end())
    known->second += static_cast<std::uint64_t>(by);
}

Result<void> Transaction::begin() {
  lengths_checked_ = false;
  DRAGOMAN_TRY(auto query, db_.query("BEGIN IMMEDIATE"));
  return query.run();
}

Result<void> Transaction::commit() {
  if (stored_ && *stored_ != given_) {
    DRAGOMAN_TRY(auto query, db_.query("UPDATE counters SET value=? WHERE name='revision'"));
    DRAGOMAN_CHECK(query.bind(given_).run());
  }
  stored_.reset();
  DRAGOMAN_TRY(auto query, db_.query("COMMIT"));
  return query.run();
}

void Transaction::roll_back() {
  stored_.reset();
  forget_lengths();
  // An error such as a full disk has ended it already.
  if (db_.in_transaction()) (void)db_.run("ROLLBACK");
}

}  // namespace dragoman
