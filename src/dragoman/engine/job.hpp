// SPDX-License-Identifier: Apache-2.0
// What belongs to every run besides the talk with its agent: its environment, its recording, and
// what has to be known to go on with it later.
#pragma once

#include <memory>

#include "dragoman/engine/run.hpp"
#include "dragoman/engine/run_spec.hpp"
#include "dragoman/redact/filter.hpp"

namespace dragoman::engine {

class Job {
 public:
  // The agent's program is found, and its recording begun. The error says why it cannot be started.
  [[nodiscard]] static Result<std::unique_ptr<Job>> prepare(RunSpec spec,
                                                            const Surroundings& surroundings);

  [[nodiscard]] Plan& plan() { return plan_; }
  [[nodiscard]] const RunSpec& spec() const { return spec_; }
  [[nodiscard]] record::Recording& recording() { return *recording_; }
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }
  [[nodiscard]] const process::Limits& limits() const { return plan_.limits; }
  [[nodiscard]] std::chrono::milliseconds grace() const { return plan_.grace; }
  [[nodiscard]] std::string redacted(std::string_view text) const;

  // Once. The services must outlive the run, and so must this.
  [[nodiscard]] std::unique_ptr<Run> begin(Loop& loop, Spawner& spawner, Audience& audience,
                                           Desk* desk, Owner owner);
  // For --resume.
  [[nodiscard]] Result<void> remember(const Run& run, const Ending& ending);

 private:
  Job(RunSpec spec, std::filesystem::path state)
      : spec_(std::move(spec)), state_(std::move(state)) {}

  void make_environment(const std::vector<std::string>& ours);
  [[nodiscard]] Result<void> begin_recording();
  [[nodiscard]] Result<bool> go_on_recording(const record::RecordingOptions& options);

  RunSpec spec_;
  std::filesystem::path state_;
  Plan plan_;
  std::shared_ptr<const redact::Rules> rules_;  // what is taken out of everything
  std::unique_ptr<record::Recording> recording_;
};

// How the one reason begins that `finished` has when the program could not be started.
inline constexpr std::string_view kNotStarted = "not started: ";

}  // namespace dragoman::engine
