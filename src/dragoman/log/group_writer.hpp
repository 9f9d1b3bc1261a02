// SPDX-License-Identifier: Apache-2.0
// One thread that writes, many that wait: a sync of the disk costs the same for one write as for a
// hundred.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/changes.hpp"
#include "dragoman/log/sqlite.hpp"
#include "dragoman/log/transaction.hpp"
#include "dragoman/log/wake_word.hpp"

namespace dragoman {

// Takes what is waiting, runs all of it in one transaction, commits, and only then lets the callers
// go. A body that fails is undone alone; when the transaction itself fails, nothing of it happened
// and everyone in it gets the error.
class GroupWriter {
 public:
  // Runs in the writer's thread, inside a transaction; perhaps more than once.
  using Body = std::function<Result<void>(Transaction&)>;

  GroupWriter(std::unique_ptr<Sqlite> db, Changes& changes);
  ~GroupWriter();  // what is waiting is still written
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;

  // Success: committed and synced.
  [[nodiscard]] Result<void> run(const Body& body);

 private:
  struct Request {
    const Body* body = nullptr;
    Result<void> result;  // may be read when its group is done
  };
  struct Group {
    std::uint32_t number = 1;
    std::vector<Request*> requests;
  };

  void work();
  [[nodiscard]] bool wait_for_work();  // false: it is time to stop
  void let_others_come();
  [[nodiscard]] std::size_t waiting();
  [[nodiscard]] Group take();
  void write(const std::vector<Request*>& requests);
  [[nodiscard]] Result<void> run_together(const std::vector<Request*>& requests);
  [[nodiscard]] Result<void> run_apart(const std::vector<Request*>& requests);
  void let_others_write();

  std::unique_ptr<Sqlite> db_;
  Transaction transaction_;
  Changes& changes_;
  std::optional<std::int64_t> data_version_;
  Mutex mutex_;
  Condition work_;
  Group waiting_ DRAGOMAN_GUARDED_BY(mutex_);
  bool idle_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  // The number of the last group that is done, of the even and the odd ones: whoever sleeps on a
  // word is in the group that is next to set it.
  std::array<WakeWord, 2> done_;
  std::thread thread_;
};

}  // namespace dragoman
