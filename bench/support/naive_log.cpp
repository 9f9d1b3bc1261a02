// SPDX-License-Identifier: Apache-2.0
#include "bench/support/naive_log.hpp"

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "dragoman/task/task.hpp"

namespace dragoman::bench {

namespace {

class Connection {
 public:
  explicit Connection(const std::string& path) {
    check(::sqlite3_open(path.c_str(), &db_));
    ::sqlite3_busy_timeout(db_, 60'000);
    execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  }
  ~Connection() {
    for (sqlite3_stmt* statement : statements_) ::sqlite3_finalize(statement);
    ::sqlite3_close(db_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    std::fprintf(stderr, "naive_log: %s\n", ::sqlite3_errmsg(db_));
    std::exit(1);
  }
  void execute(const char* sql) { check(::sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    check(::sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr));
    statements_.push_back(statement);
    return statement;
  }
  [[nodiscard]] std::int64_t last_insert() { return ::sqlite3_last_insert_rowid(db_); }

  static void bind(sqlite3_stmt* statement, int at, const std::string& text) {
    ::sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  static void bind(sqlite3_stmt* statement, int at, std::int64_t number) {
    ::sqlite3_bind_int64(statement, at, number);
  }
  // Binds the values and runs it; the number in its first row, when it has one.
  template <typename... Values>
  std::int64_t run(sqlite3_stmt* statement, const Values&... values) {
    int at = 0;
    (bind(statement, ++at, values), ...);
    int code = ::sqlite3_step(statement);
    const std::int64_t number = code == SQLITE_ROW ? ::sqlite3_column_int64(statement, 0) : 0;
    while (code == SQLITE_ROW) code = ::sqlite3_step(statement);
    check(code);
    ::sqlite3_reset(statement);
    return number;
  }

 private:
  sqlite3* db_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
};

class NaiveClient {
 public:
  explicit NaiveClient(const std::string& path) : db_(path) {}

  void submit(const std::vector<LogWrite>& writes) {
    for (const LogWrite& write : writes) {
      if (const auto* put = std::get_if<Put>(&write)) apply(*put);
      if (const auto* append = std::get_if<Append>(&write)) apply(*append);
      if (const auto* enqueue = std::get_if<Enqueue>(&write))
        db_.run(enqueue_, enqueue->queue, enqueue->key);
    }
  }

 private:
  void apply(const Put& put) {
    const LogRecord& record = put.record;
    db_.run(begin_);
    const std::int64_t revision = db_.run(count_);
    db_.run(put_, put.bucket, record.key, revision, record.state, record.order, record.value);
    db_.run(commit_);
  }
  void apply(const Append& append) {
    db_.run(begin_);
    db_.run(stream_, append.stream);
    db_.run(entry_, db_.last_insert(), append.bodies.front());
    db_.run(commit_);
  }

  Connection db_;
  sqlite3_stmt* begin_ = db_.prepare("BEGIN IMMEDIATE");
  sqlite3_stmt* commit_ = db_.prepare("COMMIT");
  sqlite3_stmt* count_ =
      db_.prepare("UPDATE counters SET value=value+1 WHERE name='revision' RETURNING value");
  sqlite3_stmt* put_ = db_.prepare(
      "INSERT INTO records(bucket, key, revision, state, position, value) VALUES(?, ?, ?, ?, ?, "
      "?)");
  sqlite3_stmt* stream_ = db_.prepare("INSERT INTO streams(name, last) VALUES(?, 1)");
  sqlite3_stmt* entry_ =
      db_.prepare("INSERT INTO entries(stream, first, count, bodies) VALUES(?, 1, 1, ?)");
  sqlite3_stmt* enqueue_ = db_.prepare("INSERT OR IGNORE INTO queue(queue, key) VALUES(?, ?)");
};

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<LogWrite> submit_writes() {
  task::Task task;
  task.id = task::new_run_id();
  task.state = "queued";
  task.agent = "codex";
  task.text = kTaskText;
  task.working_dir = "/home/somebody/projects/parser";
  task.created_at = task::now_ms();
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{std::string(task::kTasks), task::record_of(task), 0});
  writes.emplace_back(Append{task::word_stream(task.id), {task.text}, {}});
  writes.emplace_back(Enqueue{task::queue_of(task), task.id});
  return writes;
}

double naive_submits(const std::string& path, int clients, double seconds) {
  std::atomic<int> done = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      NaiveClient client(path);
      for (; !stop; ++done) client.submit(submit_writes());
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const int counted = done;
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  stop = true;
  for (auto& thread : threads) thread.join();
  return counted / took;
}

double naive_inserts(const std::string& path, double seconds) {
  Connection db(path);
  db.execute("CREATE TABLE plain(id INTEGER PRIMARY KEY, value TEXT)");
  sqlite3_stmt* insert = db.prepare("INSERT INTO plain(value) VALUES(?)");
  const std::string value(300, 'x');
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  int done = 0;
  for (; passed() < seconds; ++done) db.run(insert, value);
  return done / passed();
}

}  // namespace dragoman::bench
