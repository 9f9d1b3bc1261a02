// SPDX-License-Identifier: Apache-2.0
// What the log costs on this disk: ./dev bench log. Figures are ratios within one run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "bench/support/child.hpp"
#include "bench/support/measuring.hpp"
#include "bench/support/naive_log.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/task/service.hpp"

namespace {

using namespace dragoman;
using bench::median;
using bench::must;
using bench::seconds_since;
using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = "build/release/dragoman";

// Calls `submit` from many threads; how often a second.
template <typename Submit>
double submits_a_second(int clients, double seconds, const Submit& submit) {
  std::atomic<int> done = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&] {
      for (; !stop; ++done) submit();
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const int counted = done;
  const double took = seconds_since(start);
  stop = true;
  for (auto& thread : threads) thread.join();
  return counted / took;
}

double grouped_submits(Log& log, int clients, double seconds) {
  return submits_a_second(clients, seconds, [&] { (void)must(log.write(bench::submit_writes())); });
}

// The whole way: the check of the request, git safety, redaction, the place in the queue.
double service_submits(Log& log, int clients, double seconds) {
  task::Service service(log, {});
  return submits_a_second(clients, seconds, [&] {
    task::Task task;
    task.text = bench::kTaskText;
    task.working_dir = "/tmp";
    (void)must(service.submit(task));
  });
}

struct Submits {
  double grouped = 0;  // all of them a second
  double service = 0;
  double naive = 0;  // of 64 clients
  double naive_alone = 0;
  double inserts = 0;
};

// By turns, each on a new database; of each the best.
Submits submits(const std::filesystem::path& directory) {
  constexpr int kRounds = 3;
  constexpr int kClients = 64;
  Submits best;
  int files = 0;
  const auto fresh = [&] {
    const std::string path = (directory / fmt::format("submits-{}.db", ++files)).string();
    (void)must(open_sqlite_log({path, ""}));
    return path;
  };
  const auto keep_better = [](double& kept, double now) { kept = std::max(kept, now); };
  for (int i = 0; i < kRounds; ++i) {
    keep_better(best.naive, bench::naive_submits(fresh(), kClients, 1.5));
    keep_better(best.naive_alone, bench::naive_submits(fresh(), 1, 1.5));
    keep_better(best.inserts, bench::naive_inserts(fresh(), 1));
    const auto log = must(open_sqlite_log({fresh(), ""}));
    keep_better(best.grouped, grouped_submits(*log, kClients, 2));
    const auto other = must(open_sqlite_log({fresh(), ""}));
    keep_better(best.service, service_submits(*other, kClients, 2));
  }
  return best;
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

std::string with_finished_tasks(const std::filesystem::path& directory, int finished) {
  const std::string path = (directory / fmt::format("finished-{}.db", finished)).string();
  const auto log = must(open_sqlite_log({path, ""}));
  std::vector<LogWrite> writes;
  for (int i = 0; i < finished; ++i) {
    task::Task task;
    task.id = task::new_run_id();
    task.state = "completed";
    task.text = "something to do";
    task.created_at = task.started_at = task.completed_at = task::now_ms() - i;
    writes.emplace_back(Put{std::string(task::kTasks), task::record_of(task), 0});
  }
  (void)must(log->write(std::move(writes)));
  return path;
}

double command_ms(const std::string& store) {
  const auto start = Clock::now();
  if (!bench::run_child({kProgram, "task", "status", "--store", "sqlite:" + store})) {
    fmt::print(stderr, "log_bench: {} task status failed\n", kProgram);
    std::exit(1);
  }
  return seconds_since(start) * 1000;
}

double operation_ms(const std::string& store) {
  const auto log = must(open_sqlite_log({store, ""}));
  task::Service service(*log, {});
  const auto start = Clock::now();
  (void)must(service.status({}));
  return seconds_since(start) * 1000;
}

struct Status {
  double few = 0;   // milliseconds with 10 finished tasks
  double many = 0;  // with 10,000
};

// By turns, so that both meet the same machine.
Status status(const std::string& few, const std::string& many,
              double (*measure)(const std::string& store)) {
  std::vector<double> with_few;
  std::vector<double> with_many;
  for (int i = 0; i < 101; ++i) {
    with_few.push_back(measure(few));
    with_many.push_back(measure(many));
  }
  return {median(std::move(with_few)), median(std::move(with_many))};
}

bool print_submits(const std::filesystem::path& directory) {
  const Submits s = submits(directory);
  fmt::print(
      "| durable submits of 64 clients (a record, its words, its place in the queue) | "
      "{:.0f}/s | |\n",
      s.grouped);
  const auto against = [&](const char* what, double other, const char* wanted) {
    fmt::print("| … against {} | {:.0f}/s: {:.1f}x | {} |\n", what, other, s.grouped / other,
               wanted);
  };
  against("the same writes with a commit each, 64 clients", s.naive, "20x");
  against("the same writes with a commit each, one client", s.naive_alone, "20x");
  against("the commits of one client that inserts a row of 300 bytes into a table without index",
          s.inserts, "");
  fmt::print(
      "| submits of 64 clients through task::Service, with place and estimate | {:.0f}/s | |\n",
      s.service);
  return s.grouped >= 20 * std::max(s.naive, s.naive_alone);
}

bool print_events(const std::filesystem::path& directory) {
  constexpr std::size_t kEvents = 1'000'000;
  const auto log = must(open_sqlite_log({(directory / "events.db").string(), ""}));
  const double appended = appended_events(*log, kEvents, 1000);
  const double start = slowest_start_ms(*log, kEvents);
  fmt::print("| events appended, 1000 at once | {:.0f}/s | 100000/s |\n", appended);
  fmt::print("| reading 10^6 events starts after, at worst | {:.2f} ms | 5 ms |\n", start);
  return appended >= 100'000 && start < 5;
}

bool print_status(const std::filesystem::path& directory) {
  const std::string few = with_finished_tasks(directory, 10);
  const std::string many = with_finished_tasks(directory, 10'000);
  const Status command = status(few, many, command_ms);
  const Status operation = status(few, many, operation_ms);
  const auto line = [](const char* what, const Status& s, const char* wanted) {
    fmt::print(
        "| {} with 10000 finished tasks against 10 | {:.2f} ms against {:.2f} ms: {:.2f}x | "
        "{} |\n",
        what, s.many, s.few, s.many / s.few, wanted);
  };
  line("`dragoman task status`", command, "2x");
  line("… the operation alone", operation, "");
  return command.many <= 2 * command.few;
}

}  // namespace

// Parts may be named: log_bench submits events status.
int main(int count, char** words) {
  const std::vector<std::string_view> named(words + 1, words + count);
  const auto wanted = [&](std::string_view part) {
    return named.empty() || std::find(named.begin(), named.end(), part) != named.end();
  };
  const auto directory = std::filesystem::current_path() / "build" / "bench-log";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  fmt::print("| what | measured | wanted |\n|---|---|---|\n");
  bool ok = true;
  if (wanted("submits")) ok = print_submits(directory) && ok;
  if (wanted("events")) ok = print_events(directory) && ok;
  if (wanted("status")) ok = print_status(directory) && ok;
  std::filesystem::remove_all(directory);
  return ok ? 0 : 1;
}
