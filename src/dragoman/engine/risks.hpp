// SPDX-License-Identifier: Apache-2.0
// Commands of an agent that could destroy work: refused, asked about, or at least reported.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/agent/conversation.hpp"

namespace dragoman::engine {

// What a command that the agent wants to run could destroy.
struct CommandRisk {
  enum class Level : std::uint8_t { none, ask, refuse };
  Level level = Level::none;
  std::string what;  // "reset --hard"
  friend bool operator==(const CommandRisk&, const CommandRisk&) = default;
};

// Judges a command line. Absent: none is dangerous.
using JudgeCommand = std::function<CommandRisk(std::string_view command)>;

// Knows which open questions are about something dangerous, and which dangerous commands ran
// unasked. Of the tools of an agent it remembers a thousand.
class Risks {
 public:
  explicit Risks(JudgeCommand judge) : judge_(std::move(judge)) {}

  // A request may be read before the event that announces the same command, or behind it.
  void see(const agent::OpenRequest& request);
  void see(const ToolStarted& tool);
  // What ran unasked, when it has run.
  [[nodiscard]] std::optional<std::string> see(const ToolFinished& tool);
  // What ran unasked and was not seen to end.
  [[nodiscard]] std::vector<std::string> take_rest();

  // Null: what is asked for is not dangerous. Valid until the question is settled.
  [[nodiscard]] const CommandRisk* judge(const agent::Ask& ask);
  [[nodiscard]] const CommandRisk* of(std::string_view question) const;
  void settled(std::string_view question);

 private:
  JudgeCommand judge_;
  std::map<std::string, CommandRisk, std::less<>> asked_;    // by the question's id
  std::map<std::string, std::string, std::less<>> unasked_;  // by the tool's id: what it does
  std::set<std::string, std::less<>> asked_tools_;
};

}  // namespace dragoman::engine
