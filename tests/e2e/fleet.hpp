// SPDX-License-Identifier: Apache-2.0
// A cluster of three servers, workers as processes, and a ledger outside of all of them that shows
// what really happened.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/log/open_log.hpp"
#include "dragoman/task/service.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/nats_cluster.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {

inline std::int64_t milliseconds_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               from)
      .count();
}

inline std::int64_t time_of_day() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Where nothing can be seen that a test could wait for.
inline void let_pass(std::chrono::steady_clock::time_point until) {
  (void)eventually([&] { return std::chrono::steady_clock::now() >= until; });
}

class Fleet : public testing::Test {
 protected:
  using Task = task::Task;

  static constexpr std::chrono::seconds kLong{120};
  static constexpr std::int64_t kLeaseMs = 4000;

  struct WorkerOptions {
    std::string capacity = "2";
    std::vector<std::string> labels = {};
    std::int64_t clock_wrong_by = 0;  // seconds
    std::string network = {};         // the name of a network namespace; empty: this one
  };

  void SetUp() override {
    DRAGOMAN_NEEDS_NATS();
    begin(std::make_unique<NatsCluster>(3));
    write_file(ledger(), "");
  }
  void TearDown() override {
    workers_.clear();  // kills them
    service_.reset();
    log_.reset();
    cluster_.reset();
  }

  void begin(std::unique_ptr<NatsCluster> cluster) {
    service_.reset();
    log_.reset();
    cluster_ = std::move(cluster);
    space_ = fresh_space();
    url_ = cluster_->url(space_);
    ASSERT_TRUE(eventually([this] {
      auto log = open_log(url_, (directory_.path() / "copy").string());
      if (log) log_ = *std::move(log);
      return log.has_value();
    }));
    service_ = std::make_unique<task::Service>(*log_, task::ServiceOptions{.fleet = true});
  }

  std::filesystem::path ledger() const { return directory_.path() / "ledger"; }
  std::vector<std::string> ledger_lines(std::string_view word) const {
    std::istringstream in(read_file(ledger()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      if (line.find(word) != std::string::npos) lines.push_back(line);
    }
    return lines;
  }

  void start_worker(const std::string& name, const WorkerOptions& options) {
    Start start;
    start.arguments = {"worker",
                       "--store",
                       url_,
                       "--name",
                       name,
                       "--lease",
                       std::to_string(kLeaseMs) + "ms",
                       "--capacity",
                       options.capacity,
                       "--workspaces",
                       (directory_.path() / "spaces" / name).string()};
    for (const auto& label : options.labels)
      start.arguments.insert(start.arguments.end(), {"--label", label});
    start.environment = {"DRAGOMAN_STATE_DIR=" + (directory_.path() / "state" / name).string(),
                         "HOME=" + directory_.path().string()};
    if (options.clock_wrong_by != 0) {
      // The sanitizers want to be first, and do not need to be.
      start.environment.insert(
          start.environment.end(),
          {"LD_PRELOAD=" + (binary_dir() / "tests" / "libclock_shim.so").string(),
           "CLOCK_SHIM_SECONDS=" + std::to_string(options.clock_wrong_by),
           "ASAN_OPTIONS=verify_asan_link_order=0"});
    }
    std::filesystem::path program = dragoman_program();
    if (!options.network.empty()) {
      start.arguments.insert(start.arguments.begin(),
                             {"netns", "exec", options.network, program.string()});
      program = "/sbin/ip";
    }
    workers_[name] = std::make_unique<Running>(program, start);
  }
  void start_worker(const std::string& name, const std::string& capacity = "2",
                    std::vector<std::string> labels = {}) {
    start_worker(name, WorkerOptions{.capacity = capacity, .labels = std::move(labels)});
  }

  // `script` runs in a shell, with the ledger as $1.
  Task task_of(const std::string& script, Task task = {}) const {
    task.agent = "command";
    task.words = {"/bin/sh", "-c", script, "sh", ledger().string()};
    task.working_dir = directory_.path().string();
    task.grace_ms = 500;
    return task;
  }
  std::string submit(const std::string& script, Task task = {}) {
    auto ack = service_->submit(task_of(script, std::move(task)));
    EXPECT_TRUE(ack) << (ack ? "" : ack.error().message);
    return ack ? ack->task.id : "";
  }
  Task now(const std::string& id) {
    auto task = service_->get(id);
    return task ? *std::move(task) : Task{};
  }
  // Waits for the end; a cluster that is being killed may not answer at once.
  Task end_of(const std::string& id) {
    Task last;
    EXPECT_TRUE(eventually(
        [&] {
          last = now(id);
          return last.terminal() && !last.id.empty();
        },
        kLong))
        << id << " is " << last.state << " " << last.worker;
    return last;
  }
  std::string worker_of(const std::string& id) {
    std::string worker;
    EXPECT_TRUE(eventually(
        [&] {
          const Task task = now(id);
          worker = task.state == "working" ? task.worker : "";
          return !worker.empty();
        },
        kLong));
    return worker;
  }
  testing::AssertionResult queue_is_empty() {
    std::string there;
    const bool empty = eventually(
        [&] {
          const auto items = log_->queue(task::kQueue);
          there = items ? "" : items.error().message;
          for (std::size_t i = 0; items && i < items->size(); ++i)
            there += (*items)[i].key + ((*items)[i].claimed ? " claimed; " : "; ");
          return items && items->empty();
        },
        kLong);
    return empty ? testing::AssertionSuccess() : testing::AssertionFailure() << there;
  }

  TempDir directory_;
  std::unique_ptr<NatsCluster> cluster_;
  std::string space_;
  std::string url_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<task::Service> service_;
  std::map<std::string, std::unique_ptr<Running>> workers_;
};

}  // namespace dragoman::test
