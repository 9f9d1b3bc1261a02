// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/progress_teller.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"

namespace dragoman::mcp {
namespace {

struct Seen {
  std::optional<std::int64_t> percent;
  std::string activity;
};

Seen progress_of(const task::Task& task) {
  Seen seen;
  json::Cursor cursor(task.progress.json);
  if (task.progress.json.empty() || !cursor.next_is(json::Kind::object)) return seen;
  std::string_view key;
  for (json::Members members(cursor); members.next(key);) {
    const bool is_percent = key == "percent";
    const bool is_activity = key == "current_activity";
    const json::Value value = cursor.take();
    if (is_percent && value.is(json::Kind::number))
      seen.percent = json::parse_number(value.raw).value.whole();
    if (is_activity && value.is(json::Kind::string)) seen.activity = value.text().str();
  }
  return seen;
}

}  // namespace

void ProgressTeller::send(double value, const std::string& message) {
  if (value <= last_) value = last_ + 0.01;
  last_ = value;
  context_.progress(value, *percent_ ? std::optional<double>(100) : std::nullopt, message);
}

void ProgressTeller::tell(const task::Task& task, Clock::time_point now) {
  if (!context_.wants_progress()) return;
  const Seen seen = progress_of(task);
  const bool first = !percent_;
  if (first) percent_ = seen.percent.has_value();
  const auto since = now - told_;
  if (!first && since < std::chrono::seconds(1)) return;
  const std::int64_t elapsed = task.duration(task::now_ms()).count() / 1000;
  const std::string activity = !seen.activity.empty()   ? seen.activity
                               : task.state == "queued" ? std::string("Waiting for a free slot")
                                                        : std::string("Working");
  const std::int64_t percent = std::clamp<std::int64_t>(seen.percent.value_or(0), 0, 99);
  std::string message = seen.percent ? fmt::format("{}% - {}", percent, activity)
                                     : fmt::format("{} s - {}", elapsed, activity);
  // The seconds of a message run by themselves; what counts as news is what stands behind them.
  const std::string news = seen.percent ? message : activity;
  if (!first && news == said_ && since < std::chrono::seconds(15)) return;
  said_ = news;
  told_ = now;
  send(static_cast<double>(*percent_ ? percent : elapsed), message);
}

void ProgressTeller::end(const task::Task& task) {
  if (!context_.wants_progress() || !percent_) return;
  const bool well = task.task_state() == TaskState::completed;
  if (*percent_ && well) {
    if (last_ < 100) send(100, "100% - done");
    return;
  }
  const auto elapsed = static_cast<double>(task.duration(task::now_ms()).count()) / 1000;
  send(*percent_ ? last_ : elapsed, well ? "done" : task.state);
}

}  // namespace dragoman::mcp
