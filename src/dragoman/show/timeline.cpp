// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/timeline.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::show {

double TimelineFold::position(const Event& event) const {
  if (!story_.begun()) return static_cast<double>(events_);
  if (!event.ts) return last_;  // between two that have a time
  return std::max(0.0, static_cast<double>((*event.ts - *story_.begun()).count()));
}

void TimelineFold::add(const Event& event) {
  const bool had_times = story_.begun().has_value();
  const Story::Step step = story_.add(event);
  if (event.partial) return;
  ++events_;
  if (!had_times && story_.begun()) last_ = 0;  // what came before the first time is at the start
  const double at = position(event);
  last_ = std::max(last_, at);
  if (event.as<ToolStarted>() != nullptr) {
    if (step.call != nullptr && !step.repeats) start_tool(step, at);
  } else if (const auto* const finished = event.as<ToolFinished>()) {
    finish_tool(*finished, step, at);
  } else if (const auto* const question = event.as<Question>()) {
    ask(*question, at);
  } else if (const auto* const limit = event.as<RateLimited>();
             limit != nullptr && limit->delay_ms && std::isfinite(limit->delay_ms->real)) {
    const double waits = std::max(0.0, limit->delay_ms->real);
    count("rate limit", waits);
    if (waits_.size() < kMaxBars) {
      const bool timed = story_.begun().has_value();
      waits_.push_back({.name = "rate limit",
                        .what = std::string(limit->limit.substr(0, Story::kKeptText)),
                        .kind = BarKind::waiting,
                        .from = at,
                        .to = timed ? at + waits : at,
                        .took_ms = waits});
    }
  }
}

std::size_t TimelineFold::lane_of(const ToolCall* agent) {
  if (agent == nullptr) return 0;
  const auto known = lane_by_agent_.find(agent->number);
  if (known != lane_by_agent_.end()) return known->second;
  if (lanes_.size() >= kMaxLanes) return 0;
  lanes_.push_back({agent->description.empty() ? agent->tool : agent->description, {}});
  lane_by_agent_.emplace(agent->number, lanes_.size() - 1);
  return lanes_.size() - 1;
}

std::optional<TimelineFold::Open> TimelineFold::open_bar(std::size_t lane, TimelineBar bar) {
  if (bars_ >= kMaxBars) {
    ++left_out_;
    return std::nullopt;
  }
  ++bars_;
  const double from = bar.from;
  lanes_[lane].bars.push_back(std::move(bar));
  return Open{lane, lanes_[lane].bars.size() - 1, from};
}

void TimelineFold::close_bar(const Open& open, BarKind kind, double to,
                             std::optional<double> took_ms) {
  TimelineBar& bar = lanes_[open.lane].bars[open.bar];
  bar.kind = kind;
  bar.to = std::max(bar.from, to);
  bar.took_ms = took_ms;
}

void TimelineFold::count(const std::string& name, std::optional<double> took_ms) {
  const bool room = totals_.size() < kMaxNames || totals_.find(name) != totals_.end();
  const std::string& key = room ? name : "others";
  TimelineTotal& total = totals_[key];
  total.name = key;
  ++total.count;
  if (!took_ms || !std::isfinite(*took_ms)) return;
  total.took_ms = total.took_ms.value_or(0) + std::max(0.0, *took_ms);
}

void TimelineFold::start_tool(const Story::Step& step, double at) {
  const ToolCall& call = *step.call;
  const auto open = open_bar(lane_of(step.agent),
                             {.name = call.tool,
                              .what = call.description.empty() ? call.detail : call.description,
                              .kind = BarKind::open,
                              .from = at,
                              .to = at,
                              .took_ms = std::nullopt});
  if (open) open_tools_.emplace(call.number, *open);
}

void TimelineFold::finish_tool(const ToolFinished& p, const Story::Step& step, double at) {
  const BarKind kind = p.outcome == Outcome::ok ? BarKind::ok : BarKind::failed;
  std::string name(step.call != nullptr ? std::string_view(step.call->tool) : p.tool);
  if (name.empty()) name = "tool";
  name.resize(std::min(name.size(), Story::kKeptText));
  count(name, step.duration_ms);
  const auto found = step.call != nullptr ? open_tools_.find(step.call->number) : open_tools_.end();
  // Where nobody saw it begin, what it says it took is all there is.
  const double took = story_.begun() ? std::min(at, step.duration_ms.value_or(0)) : 0;
  const double from = std::max(0.0, at - took);
  if (found != open_tools_.end()) {
    TimelineBar& bar = lanes_[found->second.lane].bars[found->second.bar];
    if (bar.from == at) bar.from = from;
    close_bar(found->second, kind, at, step.duration_ms);
    open_tools_.erase(found);
    return;
  }
  const auto open = open_bar(lane_of(step.agent), {.name = std::move(name),
                                                   .what = {},
                                                   .kind = kind,
                                                   .from = from,
                                                   .to = at,
                                                   .took_ms = step.duration_ms});
  if (open) close_bar(*open, kind, at, step.duration_ms);
}

void TimelineFold::ask(const Question& p, double at) {
  const std::string id(p.id.substr(0, Story::kKeptText));
  const auto known = open_questions_.find(id);
  if (p.state == QuestionState::open) {
    if (known != open_questions_.end() || waits_.size() >= kMaxBars) return;
    open_questions_.emplace(id, waits_.size());
    waits_.push_back({.name = "question",
                      .what = std::string(p.text.substr(0, Story::kKeptText)),
                      .kind = BarKind::waiting,
                      .from = at,
                      .to = at,
                      .took_ms = std::nullopt});
    return;
  }
  if (known == open_questions_.end()) return;
  TimelineBar& bar = waits_[known->second];
  bar.to = std::max(bar.from, at);
  if (story_.begun()) {
    const double took = bar.to - bar.from;
    bar.took_ms = took;
    count("question", took);
  }
  open_questions_.erase(known);
}

Timeline TimelineFold::timeline() const {
  Timeline result;
  result.timed = story_.begun().has_value();
  result.length = last_;
  result.lanes = lanes_;
  for (const auto& [number, open] : open_tools_) {
    result.lanes[open.lane].bars[open.bar].to = std::max(open.from, last_);
  }
  if (!waits_.empty()) {
    result.lanes.push_back({"waiting", waits_});
    for (const auto& [id, index] : open_questions_) {
      result.lanes.back().bars[index].to = std::max(waits_[index].from, last_);
    }
  }
  for (const TimelineLane& lane : result.lanes) {
    for (const TimelineBar& bar : lane.bars) result.length = std::max(result.length, bar.to);
  }
  for (const auto& [name, total] : totals_) result.totals.push_back(total);
  // What is known comes first.
  std::stable_sort(result.totals.begin(), result.totals.end(),
                   [](const auto& a, const auto& b) { return a.took_ms > b.took_ms; });
  result.left_out = left_out_;
  return result;
}

}  // namespace dragoman::show
