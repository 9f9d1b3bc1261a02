// SPDX-License-Identifier: Apache-2.0
// A transaction of the writer: the connection, and what many writes of one group share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/log/sqlite.hpp"

namespace dragoman {

// Revisions are counted in memory and the counter is written once for the whole group: the file is
// ours until the commit, so nobody else can count in between.
class Transaction {
 public:
  explicit Transaction(Sqlite& db) : db_(db) {}

  [[nodiscard]] Sqlite& db() { return db_; }
  // Greater than every one before it, in all processes. One that is not used is a gap.
  [[nodiscard]] Result<std::uint64_t> next_revision();
  // The last one was not needed: a write that was refused leaves nothing to sync.
  void return_revision() { --given_; }

  // Keys in the queue. Counted when it is first asked for, then kept up, also from one transaction
  // to the next as long as nobody else has written.
  [[nodiscard]] Result<std::uint64_t> queue_length(std::string_view queue);
  void queue_changed(std::string_view queue, std::int64_t by);
  void forget_lengths() { lengths_.clear(); }  // some of it was undone

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> commit();  // and sync
  void roll_back();

 private:
  Sqlite& db_;
  std::optional<std::uint64_t> stored_;  // the counter in the file, once it was asked for
  std::uint64_t given_ = 0;              // the last one
  std::map<std::string, std::uint64_t, std::less<>> lengths_;
  std::int64_t lengths_version_ = 0;  // of the file, when `lengths_` was right
  bool lengths_checked_ = false;      // in this transaction
};

}  // namespace dragoman
