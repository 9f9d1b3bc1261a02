// SPDX-License-Identifier: Apache-2.0
// What the log costs on this disk: ./dev bench log. Figures are ratios within one run.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "dragoman/log/sqlite.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/task/service.hpp"

namespace {

using namespace dragoman;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

template <typename T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{}\n", result.error().message);
  std::exit(1);
}

std::vector<LogWrite> submit(const std::string& key) {
  std::vector<LogWrite> writes;
  writes.emplace_back(Put{"tasks", {key, std::string(300, 'x'), 0, "queued", 0}, 0});
  writes.emplace_back(Enqueue{"q", key});
  return writes;
}

// A commit for each write, as a simple program would do it.
double naive_submits(const std::string& path) {
  const auto db = must(Sqlite::create(path, ""));
  if (!db->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
               "CREATE TABLE t(id INTEGER PRIMARY KEY, key TEXT, value TEXT)"))
    return 0;
  const std::string value(300, 'x');
  const auto start = Clock::now();
  int done = 0;
  for (; seconds_since(start) < 2; ++done) {
    auto insert = must(db->query("INSERT INTO t(key, value) VALUES('k', ?)"));
    if (!insert.bind(value).run()) return 0;
  }
  return done / seconds_since(start);
}

double grouped_submits(Log& log, int clients) {
  constexpr int kEach = 200;
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&log, c] {
      for (int i = 0; i < kEach; ++i) (void)must(log.write(submit(fmt::format("{}-{}", c, i))));
    });
  }
  for (auto& thread : threads) thread.join();
  return clients * kEach / seconds_since(start);
}

double appended_events(Log& log, std::size_t events, std::size_t batch) {
  const std::string event =
      R"({"seq":7,"ts":"2026-11-15T10:05:22.104Z","kind":"text","data":{"text":"Running the tests of the module"},"origin":{"dialect":"claude","offset":1840}})";
  const auto start = Clock::now();
  for (std::size_t done = 0; done < events; done += batch)
    (void)must(write_one(log, Append{"events", std::vector<std::string>(batch, event), {}}));
  return static_cast<double>(events) / seconds_since(start);
}

double slowest_start_ms(Log& log, std::uint64_t events) {
  double slowest = 0;
  for (std::uint64_t from = 1; from <= events; from += events / 97) {
    const auto start = Clock::now();
    if (must(log.read("events", from, 1)).empty()) std::exit(1);
    slowest = std::max(slowest, seconds_since(start) * 1000);
  }
  return slowest;
}

double status_ms(const std::string& path, int finished) {
  const auto log = must(open_sqlite_log({path, ""}));
  std::vector<LogWrite> writes;
  for (int i = 0; i < finished; ++i) {
    task::Task task;
    task.id = must(task::new_task_id());
    task.state = "completed";
    task.text = "something to do";
    task.created_at = task.started_at = task.completed_at = task::now_ms() - i;
    writes.emplace_back(Put{std::string(task::kTasks), task::record_of(task), 0});
  }
  (void)must(log->write(std::move(writes)));
  task::Service service(*log, {});
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const auto start = Clock::now();
    (void)must(service.status({}));
    times.push_back(seconds_since(start) * 1000);
  }
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  return times[25];
}

}  // namespace

int main() {
  const auto directory = std::filesystem::current_path() / "build" / "bench-log";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  const auto in = [&](const char* name) { return (directory / name).string(); };
  const double naive = naive_submits(in("naive.db"));
  const auto log = must(open_sqlite_log({in("log.db"), ""}));
  const double grouped = grouped_submits(*log, 64);
  constexpr std::size_t kEvents = 1'000'000;
  const double appended = appended_events(*log, kEvents, 1000);
  const double start = slowest_start_ms(*log, kEvents);
  const double few = status_ms(in("few.db"), 10);
  const double many = status_ms(in("many.db"), 10'000);
  fmt::print("| what | measured | wanted |\n|---|---|---|\n");
  fmt::print(
      "| durable submits, 64 clients, against a commit for each | {:.0f}/s against {:.0f}/s: "
      "{:.1f}x | 20x |\n",
      grouped, naive, grouped / naive);
  fmt::print("| events appended, 1000 at once | {:.0f}/s | 100000/s |\n", appended);
  fmt::print("| reading 10^6 events starts after, at worst | {:.2f} ms | 5 ms |\n", start);
  fmt::print(
      "| status with 10000 finished tasks against 10 | {:.2f} ms against {:.2f} ms: {:.1f}x (the "
      "operation alone) | 2x of the command |\n",
      many, few, many / few);
  std::filesystem::remove_all(directory);
  return grouped >= 20 * naive && appended >= 100'000 && start < 5 ? 0 : 1;
}
