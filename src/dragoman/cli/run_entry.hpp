// SPDX-License-Identifier: Apache-2.0
// A `dragoman run` in the registry: seen, answered and cancelled from elsewhere while it goes on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/agent/asker.hpp"
#include "dragoman/agent/session.hpp"
#include "dragoman/cli/console.hpp"
#include "dragoman/cli/run_setup.hpp"
#include "dragoman/task/live_run.hpp"

namespace dragoman::cli {

// Lives in the thread of the io_context.
class RunEntry {
 public:
  RunEntry(boost::asio::io_context& io, const RunSetup& setup, Console& console,
           std::function<void()> cancel);
  ~RunEntry();
  RunEntry(const RunEntry&) = delete;
  RunEntry& operator=(const RunEntry&) = delete;

  [[nodiscard]] const std::string& id() const { return live_->id(); }
  void event(const Event& event) { live_->event(event); }
  void end(const agent::Ending& ending);
  void not_started(const Error& error);

  // Asks here, by `here`, and everywhere else at the same time; the first valid answer counts.
  // `here` null: only elsewhere.
  [[nodiscard]] std::unique_ptr<agent::Asker> share(std::unique_ptr<agent::Asker> here);

 private:
  class SharedAsker;

  void lost(const std::string& why);
  void settled(const ask::QuestionRecord& question);

  boost::asio::io_context& io_;
  Console& console_;
  std::function<void()> cancel_;
  SharedAsker* asker_ = nullptr;
  bool lost_ = false;
  std::chrono::steady_clock::time_point started_;
  std::unique_ptr<task::LiveRun> live_;
};

}  // namespace dragoman::cli
