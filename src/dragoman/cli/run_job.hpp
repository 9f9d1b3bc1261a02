// SPDX-License-Identifier: Apache-2.0
// What belongs to every run besides its session, whoever watches it: the recording, the look at git
// before and after, and what has to be known to go on with it later.
#pragma once

#include <memory>

#include "dragoman/cli/run_setup.hpp"

namespace dragoman::cli {

class RunJob {
 public:
  explicit RunJob(RunSetup setup) : setup_(std::move(setup)) {}

  // What is going to be started is known, and there, before anything is written.
  [[nodiscard]] Result<void> prepare();
  // Behind prepare(). All references must outlive the session; so must this.
  [[nodiscard]] std::unique_ptr<agent::Session> session(boost::asio::io_context& io,
                                                        agent::Company company,
                                                        std::function<void(agent::Ending)> done);
  // For --resume.
  [[nodiscard]] Result<void> remember(const agent::Session& session, const agent::Ending& ending);

  [[nodiscard]] const RunSetup& setup() const { return setup_; }
  [[nodiscard]] agent::Plan& plan() { return setup_.plan; }
  [[nodiscard]] record::Recording& recording() { return *recording_; }

 private:
  RunSetup setup_;
  std::unique_ptr<record::Recording> recording_;
};

// The only line of a run whose program could not be started: finished, with why.
[[nodiscard]] std::string unstarted_line(const Error& error, int exit_code);

}  // namespace dragoman::cli
