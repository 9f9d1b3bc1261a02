// SPDX-License-Identifier: Apache-2.0
// One thread that writes, many that wait: a sync of the disk costs the same for one write as for a
// hundred.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dragoman/base/mutex.hpp"
#include "dragoman/base/result.hpp"
#include "dragoman/log/changes.hpp"
#include "dragoman/log/sqlite.hpp"

namespace dragoman {

// Takes what is waiting, runs all of it in one transaction, commits, and only then lets the callers
// go. A body that fails is undone alone; when the transaction itself fails, nothing of it happened
// and everyone in it gets the error.
class GroupWriter {
 public:
  // Runs in the writer's thread, inside a transaction; perhaps more than once.
  using Body = std::function<Result<void>(Sqlite&)>;

  GroupWriter(std::unique_ptr<Sqlite> db, Changes& changes);
  ~GroupWriter();  // what is waiting is still written
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;

  // Success: committed and synced.
  [[nodiscard]] Result<void> run(const Body& body);

 private:
  struct Request {
    const Body* body = nullptr;
    std::optional<Result<void>> result;  // set when done
  };

  void work();
  [[nodiscard]] std::vector<Request*> take();
  void commit(const std::vector<Request*>& group, std::vector<Result<void>>& results);
  [[nodiscard]] Result<void> try_each(const std::vector<Request*>& group,
                                      std::vector<Result<void>>& results);
  void let_others_write();

  std::unique_ptr<Sqlite> db_;
  Changes& changes_;
  std::optional<std::int64_t> data_version_;
  Mutex mutex_;
  Condition work_;
  Condition done_;
  std::vector<Request*> waiting_ DRAGOMAN_GUARDED_BY(mutex_);
  bool stop_ DRAGOMAN_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dragoman
