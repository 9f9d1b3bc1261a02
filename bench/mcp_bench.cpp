// SPDX-License-Identifier: Apache-2.0
// What a call of _codex_local_status costs, ours and the official SDK's: ./dev bench mcp.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/support/measuring.hpp"
#include "dragoman/log/sqlite_log.hpp"
#include "dragoman/task/task.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using dragoman::bench::seconds_since;
using Words = std::vector<std::string>;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "mcp_bench: {}\n", why);
  std::exit(1);
}

void pin(bool to_one) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < (to_one ? 1 : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); ++i) {
    CPU_SET(i, &set);
  }
  (void)sched_setaffinity(0, sizeof(set), &set);
}

struct Child {
  pid_t pid = -1;
  int to = -1;
  int from = -1;
};

Child start(const Words& words, const Words& environment) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) give_up("no pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    for (const std::string& each : environment) ::putenv(const_cast<char*>(each.c_str()));
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  return {pid, in[1], out[0]};
}

// User and system time so far, of a process that runs.
double cpu_seconds(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  unsigned long user = 0;
  unsigned long system = 0;
  std::sscanf(text.c_str() + end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
              &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double rss_mb(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024.0;
  }
  return 0;
}

void stop(Child& child) {
  if (child.to >= 0) ::close(child.to);
  if (child.from >= 0) ::close(child.from);
  ::kill(child.pid, SIGKILL);
  ::waitpid(child.pid, nullptr, 0);
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n <= 0) give_up("the server does not read");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Counts whole lines; says how large the last one was.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}
  std::size_t more() {
    const ssize_t n = ::read(fd_, buffer_, sizeof(buffer_));
    if (n <= 0) give_up("the server ended");
    // Looking at every byte would cost more than some of what is measured.
    std::size_t lines = 0;
    const std::string_view bytes(buffer_, static_cast<std::size_t>(n));
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = bytes.find('\n', at);
      if (end == std::string_view::npos) {
        size_ += bytes.size() - at;
        break;
      }
      ++lines;
      last_ = size_ + end + 1 - at;
      size_ = 0;
      at = end + 1;
    }
    return lines;
  }
  [[nodiscard]] std::size_t last() const { return last_; }

 private:
  int fd_;
  char buffer_[1 << 16];
  std::size_t size_ = 0;
  std::size_t last_ = 0;
};

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
const std::string kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

std::string call(std::size_t id) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"_codex_local_status","arguments":{{"limit":20,"format":"json"}}}}}})",
      id);
}

struct Figures {
  double rate = 0;
  double cpu_us = 0;
  double p50_us = 0;
  double p99_us = 0;
  double cold_ms = 0;
  double idle_mb = 0;
  std::size_t bytes = 0;
};

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

Child introduced(const Words& words, const Words& environment, Lines*& lines) {
  Child child = start(words, environment);
  lines = new Lines(child.from);
  write_all(child.to, kInitialize + "\n");
  while (lines->more() == 0) {
  }
  write_all(child.to, kInitialized + "\n");
  return child;
}

Figures stdio(const Words& words, const Words& environment, std::size_t in_flight, double seconds) {
  Lines* lines = nullptr;
  Child child = introduced(words, environment, lines);
  Figures figures;
  std::size_t sent = 0;
  std::size_t answered = 0;
  std::vector<double> times;
  const auto round = [&](double time) {
    const auto begun = Clock::now();
    while (sent < in_flight) write_all(child.to, call(++sent) + "\n");
    while (seconds_since(begun) < time) {
      const auto asked = Clock::now();
      std::size_t got = 0;
      while ((got = lines->more()) == 0) {
      }
      answered += got;
      if (in_flight == 1) times.push_back(seconds_since(asked) * 1e6);
      std::string more;
      for (std::size_t i = 0; i < got; ++i) more += call(++sent) + "\n";
      write_all(child.to, more);
    }
    return seconds_since(begun);
  };
  round(seconds / 2);  // until everything is warm
  answered = 0;
  times.clear();
  const double before = cpu_seconds(child.pid);
  const double time = round(seconds);
  figures.rate = static_cast<double>(answered) / time;
  figures.cpu_us = (cpu_seconds(child.pid) - before) * 1e6 /
                   static_cast<double>(std::max<std::size_t>(1, answered));
  figures.p50_us = percentile(times, 0.5);
  figures.p99_us = percentile(times, 0.99);
  figures.bytes = lines->last();
  delete lines;
  stop(child);
  return figures;
}

// From exec to the answer of initialize: the median of several.
double cold_ms(const Words& words, const Words& environment, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    Lines* lines = nullptr;
    const auto begun = Clock::now();
    Child child = introduced(words, environment, lines);
    all.push_back(seconds_since(begun) * 1e3);
    delete lines;
    stop(child);
  }
  return percentile(all, 0.5);
}

double idle_mb(const Words& words, const Words& environment) {
  Lines* lines = nullptr;
  Child child = introduced(words, environment, lines);
  write_all(child.to, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                      "\n");
  while (lines->more() == 0) {
  }
  ::usleep(300'000);
  const double mb = rss_mb(child.pid);
  delete lines;
  stop(child);
  return mb;
}

// One kept-alive connection that has one request out.
struct Connection {
  int fd = -1;
  std::string in;
};

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    give_up("cannot connect");
  }
  return fd;
}

std::string post(std::uint16_t port, const std::string& more, const std::string& body) {
  return fmt::format(
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n"
      "Accept: application/json, text/event-stream\r\n{}Content-Length: {}\r\n\r\n{}",
      port, more, body.size(), body);
}

// The whole response at the front of `in`, if it is all there: its size. Content-Length or chunks.
std::size_t response_size(const std::string& in) {
  const std::size_t head = in.find("\r\n\r\n");
  if (head == std::string::npos) return 0;
  std::string fields = in.substr(0, head);
  std::transform(fields.begin(), fields.end(), fields.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::size_t length = fields.find("content-length:");
  if (length != std::string::npos) {
    const std::size_t size = head + 4 + std::strtoul(fields.c_str() + length + 15, nullptr, 10);
    return in.size() >= size ? size : 0;
  }
  const std::size_t end = in.find("\r\n0\r\n\r\n", head);
  return end == std::string::npos ? 0 : end + 7;
}

std::string converse(Connection& connection, const std::string& request) {
  write_all(connection.fd, request);
  while (true) {
    char buffer[1 << 16];
    const ssize_t n = ::read(connection.fd, buffer, sizeof(buffer));
    if (n <= 0) give_up("the connection ended: " + connection.in.substr(0, 200));
    connection.in.append(buffer, static_cast<std::size_t>(n));
    if (const std::size_t size = response_size(connection.in); size > 0) {
      std::string response = connection.in.substr(0, size);
      connection.in.erase(0, size);
      return response;
    }
  }
}

Figures http(const Words& words, const Words& environment, std::size_t in_flight, double seconds,
             const std::string& authorization) {
  Child child = start(words, environment);
  std::string said;
  while (said.find('\n') == std::string::npos) {
    char buffer[4096];
    const ssize_t n = ::read(child.from, buffer, sizeof(buffer));
    if (n <= 0) give_up("the server did not say where it listens");
    said.append(buffer, static_cast<std::size_t>(n));
  }
  const std::size_t at = said.find("http://127.0.0.1:");
  if (at == std::string::npos) give_up("no address in: " + said);
  const auto port = static_cast<std::uint16_t>(std::atoi(said.c_str() + at + 17));
  std::string token = authorization;
  if (const std::size_t found = said.find("\"token\":\""); found != std::string::npos) {
    const std::size_t from = found + 9;
    token = "Authorization: Bearer " + said.substr(from, said.find('"', from) - from) + "\r\n";
  }
  std::vector<Connection> connections(in_flight);
  for (Connection& each : connections) each.fd = connect_to(port);
  const std::string first = converse(connections[0], post(port, token, kInitialize));
  std::string lower = first;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::size_t id = lower.find("mcp-session-id: ");
  if (id == std::string::npos) give_up("no session: " + first.substr(0, 500));
  const std::string session =
      token + "Mcp-Session-Id: " + first.substr(id + 16, first.find("\r\n", id) - id - 16) +
      "\r\nMCP-Protocol-Version: 2025-11-25\r\n";
  (void)converse(connections[0], post(port, session, kInitialized));
  std::size_t sent = 0;
  std::size_t answered = 0;
  Figures figures;
  for (Connection& each : connections) write_all(each.fd, post(port, session, call(++sent)));
  std::vector<pollfd> polled;
  for (const Connection& each : connections) polled.push_back({each.fd, POLLIN, 0});
  const auto round = [&](double time) {
    const auto begun = Clock::now();
    char buffer[1 << 16];
    while (seconds_since(begun) < time) {
      if (::poll(polled.data(), polled.size(), 1000) <= 0) give_up("the server hangs");
      for (std::size_t i = 0; i < polled.size(); ++i) {
        if ((polled[i].revents & POLLIN) == 0) continue;
        Connection& each = connections[i];
        const ssize_t n = ::read(each.fd, buffer, sizeof(buffer));
        if (n <= 0) give_up("a connection ended");
        each.in.append(buffer, static_cast<std::size_t>(n));
        const std::size_t size = response_size(each.in);
        if (size == 0) continue;
        figures.bytes = size;
        if (answered == 0 && each.in.find("structuredContent") == std::string::npos) {
          give_up("not the answer: " + each.in.substr(0, 500));
        }
        each.in.erase(0, size);
        ++answered;
        write_all(each.fd, post(port, session, call(++sent)));
      }
    }
    return seconds_since(begun);
  };
  round(seconds / 2);
  answered = 0;
  const double before = cpu_seconds(child.pid);
  const double time = round(seconds);
  figures.rate = static_cast<double>(answered) / time;
  figures.cpu_us = (cpu_seconds(child.pid) - before) * 1e6 /
                   static_cast<double>(std::max<std::size_t>(1, answered));
  for (Connection& each : connections) ::close(each.fd);
  stop(child);
  return figures;
}

// Twenty tasks that ended within the last minute.
void fill_store(const std::string& path) {
  using namespace dragoman;
  auto log = open_sqlite_log({path, ""});
  if (!log) give_up(log.error().message);
  for (int i = 0; i < 20; ++i) {
    task::Task task;
    task.id = task::new_run_id();
    task.state = i % 4 == 3 ? "failed" : "completed";
    task.text = "Fix the failing tests of the module and say what was wrong";
    task.working_dir = "/tmp";
    task.created_at = task.started_at = task::now_ms() - 60'000;
    task.completed_at = task::now_ms() - i * 1000;
    task.exit_code = 0;
    task.summary = "Modified 2 files; 47 tests passed";
    if (!write_one(**log, Put{std::string(task::kTasks), task::record_of(task), 0})) {
      give_up("cannot fill the store");
    }
  }
}

// Both by turns, three times, and of each its best: what else the machine does meets only some.
template <typename Ours, typename Peers>
std::pair<Figures, Figures> by_turns(Ours ours, Peers peers) {
  const auto keep_better = [](Figures& best, const Figures& now) {
    if (now.rate > best.rate) best = now;
  };
  std::pair<Figures, Figures> best;
  for (int i = 0; i < 3; ++i) {
    keep_better(best.first, ours());
    keep_better(best.second, peers());
  }
  return best;
}

void row(const std::string& what, double ours, double peer, double ratio, double target,
         const std::string& unit) {
  fmt::print("| {} | {:.1f} {} | {:.1f} {} | {:.1f}× | ≥ {}× {} |\n", what, ours, unit, peer, unit,
             ratio, target, ratio >= target ? "✓" : "**✗**");
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options = {{"seconds", "2"}, {"only", ""}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + 2] = argv[i + 1];
  const double seconds = std::atof(options["seconds"].c_str());
  const std::string only = options["only"];
  const auto wanted = [&](const std::string& name) { return only.empty() || only == name; };
  (void)std::signal(SIGPIPE, SIG_IGN);
  const auto directory =
      std::filesystem::temp_directory_path() / fmt::format("dragoman-mcp-bench-{}", ::getpid());
  std::filesystem::create_directories(directory);
  const std::string store = directory / "store.db";
  fill_store(store);
  const Words environment = {"DRAGOMAN_STATE_DIR=" + directory.string(),
                             "DRAGOMAN_STORE=sqlite:" + store};
  const Words ours = {options["dragoman"], "mcp"};
  const Words ours_http = {options["dragoman"], "serve", "--port", "0", "--json"};
  const Words peer = {options["node"], options["peer"], options["modules"]};
  Words peer_http = peer;
  peer_http.emplace_back("http");

  fmt::print("| `_codex_local_status`, 20 tasks | dragoman | TypeScript SDK | ratio | target |\n");
  fmt::print("|---|---|---|---|---|\n");
  if (wanted("stdio")) {
    pin(true);
    const auto [a, b] = by_turns([&] { return stdio(ours, environment, 1, seconds); },
                                 [&] { return stdio(peer, environment, 1, seconds); });
    row("stdio, one at a time, one core", a.rate, b.rate, a.rate / b.rate, 7, "req/s");
    row("stdio, CPU a request", a.cpu_us, b.cpu_us, b.cpu_us / a.cpu_us, 8, "µs");
    fmt::print("| stdio, p50 / p99 | {:.0f} / {:.0f} µs | {:.0f} / {:.0f} µs | | |\n", a.p50_us,
               a.p99_us, b.p50_us, b.p99_us);
    fmt::print("| answer | {} bytes | {} bytes | | |\n", a.bytes, b.bytes);
    pin(false);
  }
  if (wanted("stdio8")) {
    const auto [a, b] = by_turns([&] { return stdio(ours, environment, 8, seconds); },
                                 [&] { return stdio(peer, environment, 8, seconds); });
    row("stdio, 8 in flight", a.rate, b.rate, a.rate / b.rate, 4, "req/s");
  }
  if (wanted("http")) {
    const auto [a, b] = by_turns([&] { return http(ours_http, environment, 64, seconds, ""); },
                                 [&] { return http(peer_http, environment, 64, seconds, ""); });
    row("HTTP, 64 in flight", a.rate, b.rate, a.rate / b.rate, 10, "req/s");
    row("HTTP, CPU a request", a.cpu_us, b.cpu_us, b.cpu_us / a.cpu_us, 12, "µs");
  }
  if (wanted("start")) {
    const double a = cold_ms(ours, environment, 21);
    const double b = cold_ms(peer, environment, 5);
    row("cold start to the initialize answer", a, b, b / a, 40, "ms");
    const double mine = idle_mb(ours, environment);
    const double theirs = idle_mb(peer, environment);
    fmt::print("| RSS of an idle stdio server | {:.1f} MB | {:.1f} MB | {:.1f}× | ≤ 12 MB {} |\n",
               mine, theirs, theirs / mine, mine <= 12 ? "✓" : "**✗**");
  }
  std::filesystem::remove_all(directory);
  return 0;
}
