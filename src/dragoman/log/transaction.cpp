// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/transaction.hpp"

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

Result<void> Transaction::begin() {
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
  // An error such as a full disk has ended it already.
  if (db_.in_transaction()) (void)db_.run("ROLLBACK");
}

}  // namespace dragoman
