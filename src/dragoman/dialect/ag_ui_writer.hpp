// SPDX-License-Identifier: Apache-2.0
// AG-UI events (Agent-User Interaction Protocol), one JSON object a line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dragoman/dialect/recent_ids.hpp"
#include "dragoman/dialect/writer.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman {

// One run: RUN_STARTED first, RUN_FINISHED or RUN_ERROR last. What the protocol has no event for is
// CUSTOM, with the name of our kind and its data, so nothing is left out.
class AgUiWriter final : public Writer {
 public:
  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& out) override;

 private:
  // An object of the given type, left open.
  json::Writer begin(std::string_view type, std::string& out) const;
  static void end(json::Writer& w, std::string& out);

  void start_run(const Event& event, std::string& out);
  void end_message(std::string& out);
  void write_text(const DisplayText& text, const Event& event, std::string& out);
  void write_thinking(const Thinking& thinking, std::string& out);
  void write_tool(const ToolStarted& tool, std::string& out);
  void write_tool_end(const ToolFinished& tool, const Event& event, std::string& out);
  void write_state(const Event& event, std::string& out);
  void write_command(const CommandStarted& command, const Event& event, std::string& out);
  void write_custom(const Event& event, std::string& out);
  void note_end(const Event& event);
  void end_step(std::string& out);

  std::string thread_;  // empty: the run has not started
  std::string run_;
  std::optional<std::int64_t> ms_;  // time of the event that is being written
  std::string message_;             // id of the open text message
  std::string role_;
  std::optional<std::int64_t> block_;
  std::uint64_t ids_ = 0;
  std::set<std::string, std::less<>> open_;  // calls that have begun and not ended
  RecentIds announced_;                      // calls that have begun
  std::string step_;
  bool has_state_ = false;
  std::map<std::string, std::string, std::less<>> questions_;  // interrupts, as JSON, by id
  std::optional<std::string> failure_;
  std::string failure_code_;
  std::optional<std::string> result_;
};

}  // namespace dragoman
