// SPDX-License-Identifier: Apache-2.0
// How far a run is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

struct Progress {
  int percent = 0;  // never falls; 100 only when the turn has ended
  std::optional<std::int64_t> completed_steps;
  std::optional<std::int64_t> total_steps;
  std::string current_activity;  // empty: none
  friend bool operator==(const Progress&, const Progress&) = default;
};

// The agent's own list of steps is believed first, then its STATUS; otherwise the tools of the turn
// are counted, and the end of the turn is the last step.
class ProgressFold final : public EventSink {
 public:
  void on_event(const Event& event) override;
  // Absent while nothing has been seen.
  [[nodiscard]] std::optional<Progress> progress() const;

 private:
  void see(const Status& status);
  void see(const ToolStarted& tool);
  void see(const Question& question);
  void count();

  bool seen_ = false;
  bool turn_ended_ = false;
  int percent_ = 0;
  std::int64_t started_ = 0;
  std::int64_t finished_ = 0;
  std::optional<Steps> steps_;
  std::optional<double> said_;
  std::string said_activity_;
  std::string limit_;                                           // that it waits for
  std::vector<std::pair<std::string, std::string>> questions_;  // open ones: id, what they ask
  std::vector<std::pair<std::string, std::string>> open_;       // tool id, activity
};

void put_progress(json::Writer& w, const std::optional<Progress>& progress);

}  // namespace dragoman
