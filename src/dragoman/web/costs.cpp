// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/costs.hpp"

#include <algorithm>

#include "dragoman/event/json.hpp"

namespace dragoman::web {

namespace {

// Cheap for the many lines that are something else: the kind stands near the front.
bool is_usage(std::string_view line) {
  constexpr std::string_view kKind = "\"kind\":\"";
  const std::size_t at = line.find(kKind);
  return at != std::string_view::npos && line.substr(at + kKind.size(), 6) == "usage\"";
}

std::optional<double> cost_in(std::string_view line) {
  if (!is_usage(line)) return std::nullopt;
  Arena arena;
  const auto event = read_event(line, arena);
  if (!event) return std::nullopt;
  const auto* const usage = event->as<Usage>();
  return usage == nullptr ? std::nullopt : usage->cost_usd;
}

}  // namespace

std::optional<double> Costs::of(const task::Task& task) {
  Known known;
  {
    const Lock lock(mutex_);
    if (const auto found = known_.find(task.id); found != known_.end()) known = found->second;
  }
  const bool looked = known.over != 0 && known.over == task.revision;
  if (looked || task.started_at == 0) return known.usd;
  const std::string stream = task::event_stream(task.id);
  const auto last = log_.last(stream);
  if (!last) return known.usd;
  const std::uint64_t from = std::max(known.seq + 1, *last < kTail ? 1 : *last - kTail + 1);
  for (std::uint64_t next = from; next <= *last;) {
    const auto entries = log_.read(stream, next, *last - next + 1);
    if (!entries) return known.usd;
    if (entries->empty()) break;
    for (const auto& entry : *entries)
      if (const auto usd = cost_in(entry.body)) known.usd = usd;
    next = entries->back().seq + 1;
  }
  known.seq = *last;
  known.over = task.terminal() ? task.revision : 0;
  const Lock lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_[task.id] = known;
  return known.usd;
}

}  // namespace dragoman::web
