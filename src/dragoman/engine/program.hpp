// SPDX-License-Identifier: Apache-2.0
// The agent's program, as a run sees it: a test plays one without a process.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "dragoman/process/supervisor.hpp"

namespace dragoman::engine {

// The part of process::Supervisor that a run uses, with its laws.
class Program {
 public:
  virtual ~Program() = default;
  virtual void write(std::string bytes) = 0;
  [[nodiscard]] virtual std::size_t input_pending() const = 0;
  virtual void close_stdin() = 0;
  virtual void stop() = 0;  // TERM, and KILL after the grace
  virtual void kill() = 0;
  virtual void signal(int number) = 0;
  virtual void result_seen() = 0;
  virtual void work_resumed() = 0;
  virtual void pause_limits() = 0;
  virtual void resume_limits() = 0;
  virtual void begin_limits() = 0;
  [[nodiscard]] virtual Result<process::KillSwitch> kill_switch() const = 0;
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<Program>> start(const process::Command& command,
                                                               const process::Settings& settings,
                                                               process::Handlers handlers) = 0;
};

// Real processes. `io` must outlive it and what it starts.
class ProcessSpawner final : public Spawner {
 public:
  explicit ProcessSpawner(boost::asio::io_context& io) : io_(io) {}
  [[nodiscard]] Result<std::unique_ptr<Program>> start(const process::Command& command,
                                                       const process::Settings& settings,
                                                       process::Handlers handlers) override;

 private:
  boost::asio::io_context& io_;
};

}  // namespace dragoman::engine
