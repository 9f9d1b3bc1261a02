// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/group_writer.hpp"

#include <time.h>

#include <exception>
#include <utility>

#include "dragoman/log/log.hpp"

namespace dragoman {

namespace {

// The standard library throws when memory is short; nobody above the thread could catch it.
Result<void> contained(const GroupWriter::Body& body, Sqlite& db) {
  try {
    return body(db);
  } catch (const std::exception& e) {
    return Error{ErrorCode::internal, std::string("write to the log: ") + e.what()};
  }
}

}  // namespace

GroupWriter::GroupWriter(std::unique_ptr<Sqlite> db, Changes& changes)
    : db_(std::move(db)), changes_(changes), thread_([this] { work(); }) {}

GroupWriter::~GroupWriter() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  thread_.join();
}

Result<void> GroupWriter::run(const Body& body) {
  Request request{&body, std::nullopt};
  Lock lock(mutex_);
  waiting_.push_back(&request);
  work_.notify_one();
  while (!request.result) done_.wait(lock.mutex());
  return *std::move(request.result);
}

std::vector<GroupWriter::Request*> GroupWriter::take() {
  const Lock lock(mutex_);
  return std::exchange(waiting_, {});
}

void GroupWriter::work() {
  for (;;) {
    {
      Lock lock(mutex_);
      while (waiting_.empty() && !stop_) work_.wait(lock.mutex());
      if (waiting_.empty()) return;
    }
    let_others_write();
    // The group is taken when the file is ours: whoever came while we waited for it is in it.
    auto begun = db_->run("BEGIN IMMEDIATE");
    const std::vector<Request*> group = take();
    std::vector<Result<void>> results(group.size());
    if (begun) {
      commit(group, results);
    } else {
      for (auto& result : results) result = begun.error();
    }
    {
      const Lock lock(mutex_);
      for (std::size_t i = 0; i < group.size(); ++i) group[i]->result = std::move(results[i]);
    }
    done_.notify_all();
    changes_.note();
  }
}

void GroupWriter::commit(const std::vector<Request*>& group, std::vector<Result<void>>& results) {
  Result<void> all = try_each(group, results);
  if (all) all = db_->run("COMMIT");
  if (all) return;
  if (db_->in_transaction()) (void)db_->run("ROLLBACK");
  for (auto& result : results) result = all.error();
}

Result<void> GroupWriter::try_each(const std::vector<Request*>& group,
                                   std::vector<Result<void>>& results) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    DRAGOMAN_CHECK(db_->run("SAVEPOINT one"));
    results[i] = contained(*group[i]->body, *db_);
    if (results[i]) {
      DRAGOMAN_CHECK(db_->run("RELEASE one"));
      continue;
    }
    // Errors such as a full disk end the whole transaction.
    if (!db_->in_transaction() || is_disk_full(results[i].error())) return results[i].error();
    DRAGOMAN_CHECK(db_->run("ROLLBACK TO one; RELEASE one"));
  }
  return {};
}

// The file is free between two of our commits only for microseconds, and others look for it every
// half millisecond. Where another process has written lately, they get the time to.
void GroupWriter::let_others_write() {
  auto query = db_->query("PRAGMA data_version");
  if (!query) return;
  auto row = query->step();
  if (!row || !*row) return;
  const std::int64_t version = query->integer(0);
  const auto before = std::exchange(data_version_, version);
  if (!before || *before == version) return;
  const timespec pause{0, 1'500'000};
  ::nanosleep(&pause, nullptr);
}

}  // namespace dragoman
