// SPDX-License-Identifier: Apache-2.0
// What every view of a run needs to know about the events before the one it shows.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/event/event.hpp"
#include "dragoman/run/usage.hpp"

namespace dragoman::show {

// A tool call. Texts are the agent's bytes, at most Story::kKeptText of each.
struct ToolCall {
  enum class DetailKind : std::uint8_t { none, command, file, mcp_tool, argument };

  std::uint64_t number = 0;  // counts the calls of the run from 1
  std::string id;
  std::string tool;
  std::string description;
  std::string detail;  // what it runs, reads, calls or looks for
  DetailKind detail_kind = DetailKind::none;
  std::string parent;       // id of the call whose subagent made it
  std::uint32_t depth = 0;  // 0: the main thread
  std::optional<Timestamp> started;

  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

// What the agent says of itself: the last STATUS, [PROGRESS] or list of steps.
struct Progress {
  std::string status;  // pending, in_progress, completed, failed, paused, or what the agent wrote
  std::string message;
  std::optional<double> percent;  // 0..100; of steps done where nothing else is known
  friend bool operator==(const Progress&, const Progress&) = default;
};

struct OpenQuestion {
  std::string id;
  std::string header;
  std::string text;
  friend bool operator==(const OpenQuestion&, const OpenQuestion&) = default;
};

// A pure fold over one run: the same events give the same story. Its memory is bounded by what is
// open, at most kKeptOpen of each sort.
class Story {
 public:
  static constexpr std::size_t kKeptText = 1024;
  static constexpr std::size_t kKeptOpen = 4096;

  // What one event means in the light of those before it. Pointers are valid until the next add().
  struct Step {
    std::uint32_t depth = 0;          // how many subagents deep it happened
    const ToolCall* agent = nullptr;  // the call whose subagent it happened in, where it is known
    const ToolCall* call = nullptr;   // tool_started, tool_finished: the call; null: never started
    std::optional<double> duration_ms;  // of what ended: as stated, else by the clock of the events
    bool repeats = false;  // a start of an open tool, a question asked or settled before
    bool changed = false;  // a question that was asked before with other words
  };
  Step add(const Event& event);

  // When the run began, for whoever saw it; else its first event says.
  void begin(Timestamp at) { begun_ = at; }

  // Running tools, the one that was started last at the end.
  [[nodiscard]] const std::list<ToolCall>& open_tools() const { return open_; }
  [[nodiscard]] const std::optional<Progress>& progress() const { return progress_; }
  // Questions that still want an answer, oldest first.
  [[nodiscard]] const std::vector<OpenQuestion>& open_questions() const { return questions_; }
  // What the program around the agent does: requesting, compacting, …; empty: nothing special.
  [[nodiscard]] const std::string& activity() const { return activity_; }
  [[nodiscard]] const std::string& session_id() const { return session_id_; }
  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] RunUsage usage() const { return usage_.total(); }
  // Of the turn that has told its final figures last.
  [[nodiscard]] const RunUsage& turn_usage() const { return turn_usage_; }
  // Of the first and the last event that has one.
  [[nodiscard]] std::optional<Timestamp> begun() const { return begun_; }
  [[nodiscard]] std::optional<Timestamp> now() const { return now_; }

 private:
  void add(const SessionStarted& p);
  void add(const ToolStarted& p, const Event& event, Step& step);
  void add(const ToolFinished& p, const Event& event, Step& step);
  void add(const Status& p);
  void add(const Question& p, Step& step);
  void add(const Usage& p, Dialect dialect);
  [[nodiscard]] const ToolCall* find_agent(std::string_view id);

  std::list<ToolCall> open_;
  std::unordered_map<std::string, std::list<ToolCall>::iterator> open_by_id_;
  // Calls that have ended but whose subagents may still speak, oldest first.
  std::list<ToolCall> ended_agents_;
  ToolCall ended_;  // what the last step's call points at, once it is closed
  std::uint64_t calls_ = 0;
  std::optional<Progress> progress_;
  std::vector<OpenQuestion> questions_;
  std::vector<std::size_t> versions_;  // of each: other words, another number
  std::string blocked_;                // the last reason that a marker gave
  std::vector<std::string> settled_;   // the ids of those that want no answer any more
  std::string activity_;
  std::string session_id_;
  std::string model_;
  std::string cwd_;  // files are named from here
  UsageFold usage_;
  RunUsage turn_usage_;
  RunUsage usage_before_;  // the turn that goes on
  std::optional<Timestamp> begun_;
  std::optional<Timestamp> now_;
  std::string key_;  // reused for lookups
};

}  // namespace dragoman::show
