// SPDX-License-Identifier: Apache-2.0
// What a fleet does on one machine: ./dev bench fleet. One NATS server, workers as processes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "bench/support/measuring.hpp"
#include "dragoman/log/open_log.hpp"
#include "dragoman/task/service.hpp"

namespace {

using namespace dragoman;
using bench::must;
using bench::seconds_since;
using Clock = std::chrono::steady_clock;

struct Counts {
  std::size_t tasks = 600;
  std::size_t events = 200'000;
  std::size_t rounds = 300;
  std::string only;  // one part; empty: all
};

void pause(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

// A program that ends with us.
class Child {
 public:
  Child(std::vector<std::string> words, const std::string& log) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ~Child() {
    if (pid_ <= 0) return;  // it was never started, and kill(-1) would be everybody
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t pid_ = -1;
};

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  (void)::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

class Bench {
 public:
  Bench(std::string program, Counts counts) : program_(std::move(program)), counts_(counts) {
    directory_ = std::filesystem::temp_directory_path() / fmt::format("fleet-{}", ::getpid());
    std::filesystem::create_directories(directory_);
    port_ = free_port();
    std::ofstream(directory_ / "nats.conf")
        << fmt::format("listen: 127.0.0.1:{}\njetstream {{ store_dir: \"{}\" }}\n", port_,
                       (directory_ / "data").string());
    server_ = std::make_unique<Child>(std::vector<std::string>{"/usr/sbin/nats-server", "-c",
                                                               (directory_ / "nats.conf").string()},
                                      directory_ / "server.log");
  }
  ~Bench() {
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run() {
    fmt::print("| what | figure |\n|---|---|\n");
    const auto wanted = [this](std::string_view part) {
      return counts_.only.empty() || counts_.only == part;
    };
    if (wanted("latency")) latency();
    if (wanted("events")) events();
    if (wanted("scaling")) scaling();
    if (wanted("trivial")) trivial();
    if (wanted("agent")) agent();
  }

 private:
  std::string url(const std::string& space) const {
    return fmt::format("nats://127.0.0.1:{}/{}?replicas=1", port_, space);
  }
  std::unique_ptr<Log> open(const std::string& space) const {
    for (int i = 0;; ++i) {
      auto log = open_log(url(space), "");
      if (log || i == 100) return must(std::move(log));
      pause(std::chrono::milliseconds(50));
    }
  }

  // From an append on one node until another one's reader has it.
  void latency() const {
    const auto there = open("latency");
    const auto here = open("latency");
    (void)must(here->follow("s", 1, 1, std::chrono::milliseconds(1)));
    std::vector<double> times;
    for (std::size_t i = 0; i < counts_.rounds; ++i) {
      Clock::time_point written;
      std::thread writer([&] {
        pause(std::chrono::milliseconds(3));
        written = Clock::now();
        (void)must(write_one(*there, Append{"s", {"event"}, {}}));
      });
      (void)must(here->follow("s", i + 1, 1, std::chrono::seconds(10)));
      const auto seen = Clock::now();
      writer.join();
      times.push_back(std::chrono::duration<double, std::milli>(seen - written).count());
    }
    std::sort(times.begin(), times.end());
    fmt::print("| append on one node until read on another, p50 / p99 | {:.1f} / {:.1f} ms |\n",
               times[times.size() / 2], times[times.size() * 99 / 100]);
  }

  void events() const {
    const auto writer = open("events");
    const auto reader = open("events");
    (void)must(reader->search("begin", 1));  // its copy follows from here on
    constexpr std::size_t kBatch = 50;       // as a talkative agent gives in 30 ms
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < counts_.events; i += kBatch) {
      std::vector<std::string> bodies;
      for (std::size_t n = 0; n < kBatch; ++n) {
        bodies.push_back(fmt::format(
            R"({{"kind":"text","ts":"2026-11-16T00:00:00Z","data":{{"text":"line {} of what an agent says"}}}})",
            i + n));
      }
      (void)must(write_one(*writer, Append{fmt::format("run/{}", i / kBatch % 16), bodies, {}}));
    }
    const double written = seconds_since(begin);
    // The copy holds everything when the last one is in it; the words are indexed after that.
    (void)must(reader->count({.bucket = "none"}));
    std::size_t found = 0;
    while (found == 0) {
      found = must(reader->search(fmt::format("{}", counts_.events - 1), 1)).size();
    }
    fmt::print("| events a second, written | {:.0f} |\n",
               static_cast<double>(counts_.events) / written);
    fmt::print("| events a second, written, copied and searchable | {:.0f} |\n",
               static_cast<double>(counts_.events) / seconds_since(begin));
  }

  std::vector<std::unique_ptr<Child>> workers(const std::string& space, std::size_t count,
                                              std::size_t capacity) const {
    std::vector<std::unique_ptr<Child>> started;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}{}", space, i);
      ::setenv("DRAGOMAN_STATE_DIR", (directory_ / name).c_str(), 1);
      started.push_back(std::make_unique<Child>(
          std::vector<std::string>{program_, "worker", "--store", url(space), "--name", name,
                                   "--capacity", std::to_string(capacity)},
          directory_ / (name + ".log")));
    }
    return started;
  }

  // Submits, then times from the first start to the last end.
  double rate(const std::string& space, std::size_t count, std::size_t worker_count,
              std::size_t capacity, const std::vector<std::string>& words) const {
    const auto log = open(space);
    task::Service service(*log, task::ServiceOptions{.fleet = true});
    for (std::size_t i = 0; i < count; ++i) {
      task::Task one;
      one.agent = "command";
      one.words = words;
      one.working_dir = "/tmp";
      (void)must(service.submit(one));
    }
    const auto crew = workers(space, worker_count, capacity);
    std::uint64_t done = 0;
    Clock::time_point first;
    std::uint64_t at_first = 0;
    while (done < count) {
      pause(std::chrono::milliseconds(20));
      done = must(log->count({.bucket = std::string(task::kTasks), .states = {"completed"}}));
      if (done > 0 && at_first == 0) {
        first = Clock::now();
        at_first = done;
      }
    }
    return static_cast<double>(count - at_first) / seconds_since(first);
  }

  void trivial() const {
    fmt::print("| trivial tasks a second, 8 workers, a process each | {:.1f} |\n",
               rate("trivial", counts_.tasks, 8, 2, {"/bin/true"}));
  }

  // What one agent says, from its pipe into the log: each line of its stream is an event or two.
  void agent() const {
    const std::filesystem::path bin = directory_ / "bin";
    std::filesystem::create_directories(bin);
    std::ofstream said(bin / "said");
    said << R"({"type":"system","subtype":"init","session_id":"s","cwd":".","model":"m"})" << '\n';
    for (std::size_t i = 0; i < counts_.events / 4; ++i) {
      said << fmt::format(
          R"({{"type":"assistant","message":{{"id":"m{0}","role":"assistant","content":[{{"type":"tool_use","id":"t{0}","name":"Bash","input":{{"command":"make part-{0}"}}}}]}}}})"
          "\n"
          R"({{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{0}","content":"part {0} is made, and it says so in a line of usual length"}}]}}}})"
          "\n",
          i);
    }
    said
        << R"({"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"})"
        << '\n';
    said.close();
    std::ofstream(bin / "claude") << "#!/bin/sh\nread -r prompt; cat " << (bin / "said").string()
                                  << "; cat >/dev/null\n";
    std::filesystem::permissions(bin / "claude", std::filesystem::perms::owner_all);
    ::setenv("PATH", (bin.string() + ":" + std::getenv("PATH")).c_str(), 1);
    const auto log = open("agent");
    task::Service service(*log, task::ServiceOptions{.fleet = true});
    task::Task one;
    one.agent = "claude";
    one.text = "go";
    one.working_dir = "/tmp";
    const std::string id = must(service.submit(one)).task.id;
    const auto crew = workers("agent", 1, 1);
    task::Task task;
    while (!task.terminal()) {
      pause(std::chrono::milliseconds(10));
      task = must(service.get(id));
    }
    const auto events = must(log->last(task::event_stream(id)));
    fmt::print("| events a second of one agent, {} of them, into the log | {:.0f} |\n", events,
               1000.0 * static_cast<double>(events) /
                   static_cast<double>(task.completed_at - task.started_at));
  }

  void scaling() const {
    const double one = rate("one", 10, 1, 1, {"/bin/sleep", "2"});
    const double eight = rate("eight", 80, 8, 1, {"/bin/sleep", "2"});
    fmt::print(
        "| sleeping tasks a second, 1 worker / 8 workers / ratio | {:.2f} / {:.2f} / {:.1f} |\n",
        one, eight, eight / one);
  }

  std::string program_;
  Counts counts_;
  std::filesystem::path directory_;
  int port_ = 0;
  std::unique_ptr<Child> server_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: fleet_bench DRAGOMAN [--tasks N] [--events N] [--rounds N] [--only PART]\n");
    return 2;
  }
  Counts counts;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const auto number = static_cast<std::size_t>(std::atoll(argv[i + 1]));
    if (name == "--tasks") counts.tasks = number;
    if (name == "--events") counts.events = number;
    if (name == "--rounds") counts.rounds = number;
    if (name == "--only") counts.only = argv[i + 1];
  }
  Bench bench(std::filesystem::absolute(argv[1]), counts);
  bench.run();
  return 0;
}
