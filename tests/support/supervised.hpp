// SPDX-License-Identifier: Apache-2.0
// Running the fake agent to its end. For suites that link process.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/process/children.hpp"
#include "dragoman/process/process_table.hpp"
#include "dragoman/process/supervisor.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"

namespace dragoman::test {

[[nodiscard]] inline process::Command fake_agent(std::vector<std::string> words) {
  process::Command command;
  command.program = (binary_dir() / "tests/agents/fake_agent").string();
  command.arguments = std::move(words);
  return command;
}

// One run and everything that came of it.
struct Supervised {
  std::string out;
  std::string err;
  std::vector<process::Alarm> alarms;
  std::optional<process::Outcome> outcome;
  std::unique_ptr<process::Supervisor> supervisor;
  std::string failure;
  std::function<void(std::string_view)> on_output = {};

  void start(boost::asio::io_context& io, const process::Command& command,
             process::Settings settings = {}) {
    process::Handlers handlers;
    handlers.output = [this](process::Stream stream, std::string_view bytes) {
      (stream == process::Stream::stdout_ ? out : err).append(bytes);
      if (on_output) on_output(bytes);
    };
    handlers.alarm = [this](const process::Alarm& alarm) { alarms.push_back(alarm); };
    handlers.ended = [this](const process::Outcome& how) { outcome = how; };
    auto started = process::Supervisor::start(io, command, settings, std::move(handlers));
    if (started) {
      supervisor = *std::move(started);
    } else {
      failure = started.error().message;
    }
  }
};

[[nodiscard]] inline std::unique_ptr<Supervised> run_to_end(const process::Command& command,
                                                            process::Settings settings = {}) {
  boost::asio::io_context io;
  auto run = std::make_unique<Supervised>();
  run->start(io, command, settings);
  io.run();
  EXPECT_EQ(run->failure, "");
  EXPECT_TRUE(run->outcome.has_value());
  if (!run->outcome) run->outcome.emplace();
  run->supervisor.reset();
  return run;
}

inline void after(boost::asio::io_context& io, std::chrono::milliseconds time,
                  std::function<void()> what) {
  auto timer = std::make_shared<boost::asio::steady_timer>(io, time);
  timer->async_wait([timer, what = std::move(what)](const boost::system::error_code&) { what(); });
}

[[nodiscard]] inline std::vector<pid_t> pids_in(const std::filesystem::path& file) {
  std::vector<pid_t> pids;
  std::ifstream in(file);
  for (pid_t pid = 0; in >> pid;) pids.push_back(pid);
  return pids;
}

// A zombie that nobody has reaped yet is not alive.
[[nodiscard]] inline bool is_alive(pid_t pid) {
  process::TableEntry entry;
  return process::read_entry(pid, entry) && entry.state != 'Z';
}

// What a process of ours that we killed has left to us: its guards.
inline void collect_adopted() {
  EXPECT_TRUE(eventually([] { return process::end_adopted(0) == 0; }));
}

// Our own children, zombies included.
[[nodiscard]] inline std::size_t own_children() {
  process::ProcessTable table;
  (void)table.scan();
  std::size_t count = 0;
  for (const process::TableEntry& entry : table) count += entry.parent == ::getpid() ? 1 : 0;
  return count;
}

}  // namespace dragoman::test
