// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/group_writer.hpp"

#include <sched.h>
#include <time.h>

#include <exception>
#include <utility>

#include "dragoman/log/log.hpp"

namespace dragoman {

namespace {

// The standard library throws when memory is short; nobody above the thread could catch it.
Result<void> contained(const GroupWriter::Body& body, Transaction& transaction) {
  try {
    return body(transaction);
  } catch (const std::exception& e) {
    return Error{ErrorCode::internal, std::string("write to the log: ") + e.what()};
  }
}

// Whether `done` is `number` or came after it; numbers begin again at 0 after 2^32 groups.
bool has_reached(std::uint32_t done, std::uint32_t number) {
  return static_cast<std::int32_t>(done - number) >= 0;
}

}  // namespace

GroupWriter::GroupWriter(std::unique_ptr<Sqlite> db, Changes& changes)
    : db_(std::move(db)), transaction_(*db_), changes_(changes), thread_([this] { work(); }) {}

GroupWriter::~GroupWriter() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  thread_.join();
  db_->empty_long_log();
}

Result<void> GroupWriter::run(const Body& body) {
  Request request{&body, {}};
  std::uint32_t number = 0;
  bool wake = false;
  {
    const Lock lock(mutex_);
    waiting_.requests.push_back(&request);
    number = waiting_.number;
    wake = std::exchange(idle_, false);
  }
  if (wake) work_.notify_one();
  WakeWord& done = done_.at(number % 2);
  for (std::uint32_t last = done.load(); !has_reached(last, number); last = done.load())
    done.wait(last);
  return std::move(request.result);
}

std::size_t GroupWriter::waiting() {
  const Lock lock(mutex_);
  return waiting_.requests.size();
}

GroupWriter::Group GroupWriter::take() {
  const Lock lock(mutex_);
  return std::exchange(waiting_, {waiting_.number + 1, {}});
}

bool GroupWriter::wait_for_work() {
  Lock lock(mutex_);
  while (waiting_.requests.empty() && !stop_) {
    idle_ = true;
    work_.wait(lock.mutex());
  }
  idle_ = false;
  return !waiting_.requests.empty();
}

// Those that the last group let go come back one after the other. As long as each look finds more
// of them than the one before, waiting is cheaper than a sync for the few that were first.
void GroupWriter::let_others_come() {
  for (std::size_t before = 0, now = waiting(); now != before; now = waiting()) {
    before = now;
    ::sched_yield();
  }
}

void GroupWriter::work() {
  while (wait_for_work()) {
    let_others_come();
    let_others_write();
    // The group is taken when the file is ours: whoever came while we waited for it is in it.
    auto begun = transaction_.begin();
    const Group group = take();
    if (begun) {
      write(group.requests);
    } else {
      for (Request* request : group.requests) request->result = begun.error();
    }
    // From here on the requests of the group may be gone.
    done_.at(group.number % 2).set_and_wake(group.number);
    changes_.note();
  }
}

void GroupWriter::write(const std::vector<Request*>& requests) {
  Result<void> all = run_together(requests);
  if (all) all = transaction_.commit();
  if (all) return;
  transaction_.roll_back();
  for (Request* request : requests) request->result = all.error();
}

// A savepoint for each would cost more than the writes themselves. A body that fails before it has
// changed anything needs none; one that fails later makes all of them run again, with savepoints.
Result<void> GroupWriter::run_together(const std::vector<Request*>& requests) {
  for (Request* request : requests) {
    const std::int64_t before = db_->total_changes();
    request->result = contained(*request->body, transaction_);
    if (request->result) continue;
    // Errors such as a full disk end the whole transaction.
    if (!db_->in_transaction() || is_disk_full(request->result.error()))
      return request->result.error();
    if (db_->total_changes() == before) continue;
    transaction_.roll_back();
    DRAGOMAN_CHECK(transaction_.begin());
    return run_apart(requests);
  }
  return {};
}

Result<void> GroupWriter::run_apart(const std::vector<Request*>& requests) {
  for (Request* request : requests) {
    DRAGOMAN_CHECK(db_->run("SAVEPOINT one"));
    request->result = contained(*request->body, transaction_);
    if (request->result) {
      DRAGOMAN_CHECK(db_->run("RELEASE one"));
      continue;
    }
    if (!db_->in_transaction() || is_disk_full(request->result.error()))
      return request->result.error();
    DRAGOMAN_CHECK(db_->run("ROLLBACK TO one; RELEASE one"));
    transaction_.forget_lengths();
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
