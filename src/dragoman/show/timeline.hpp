// SPDX-License-Identifier: Apache-2.0
// What a run spent its time on, as a value: no drawing here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dragoman/show/story.hpp"

namespace dragoman::show {

enum class BarKind : std::uint8_t { ok, failed, open, waiting };

struct TimelineBar {
  std::string name;  // the tool, or what was waited for
  std::string what;
  BarKind kind = BarKind::open;
  double from = 0;  // ms since the first event; without times the number of the event
  double to = 0;
  std::optional<double> took_ms;  // as known, also where there are no times

  friend bool operator==(const TimelineBar&, const TimelineBar&) = default;
};

// The main agent's lane comes first, one for each subagent follows, waiting comes last.
struct TimelineLane {
  std::string name;
  std::vector<TimelineBar> bars;
  friend bool operator==(const TimelineLane&, const TimelineLane&) = default;
};

struct TimelineTotal {
  std::string name;
  std::uint64_t count = 0;
  std::optional<double> took_ms;  // of the calls whose length is known
  friend bool operator==(const TimelineTotal&, const TimelineTotal&) = default;
};

struct Timeline {
  bool timed = false;  // the events say when they happened
  double length = 0;   // in the unit of the bars
  std::vector<TimelineLane> lanes;
  std::vector<TimelineTotal> totals;  // the longest first
  std::uint64_t left_out = 0;         // bars beyond kMaxBars; their time is in the totals
};

// A pure fold over one run.
class TimelineFold {
 public:
  static constexpr std::size_t kMaxBars = 5000;
  static constexpr std::size_t kMaxLanes = 256;
  static constexpr std::size_t kMaxNames = 1000;

  void add(const Event& event);
  [[nodiscard]] Timeline timeline() const;

 private:
  struct Open {
    std::size_t lane = 0;
    std::size_t bar = 0;
    double from = 0;
  };

  [[nodiscard]] double position(const Event& event) const;
  std::size_t lane_of(const ToolCall* agent);
  std::optional<Open> open_bar(std::size_t lane, TimelineBar bar);
  void close_bar(const Open& open, BarKind kind, double to, std::optional<double> took_ms);
  void count(const std::string& name, std::optional<double> took_ms);
  void start_tool(const Story::Step& step, double at);
  void finish_tool(const ToolFinished& p, const Story::Step& step, double at);
  void ask(const Question& p, double at);

  Story story_;
  std::uint64_t events_ = 0;
  double last_ = 0;
  std::vector<TimelineLane> lanes_ = {{"agent", {}}};
  std::vector<TimelineBar> waits_;
  std::map<std::uint64_t, std::size_t> lane_by_agent_;
  std::unordered_map<std::uint64_t, Open> open_tools_;
  std::unordered_map<std::string, std::size_t> open_questions_;
  std::map<std::string, TimelineTotal> totals_;
  std::size_t bars_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace dragoman::show
