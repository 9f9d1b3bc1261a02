// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/progress.hpp"

#include <algorithm>
#include <cmath>

#include "dragoman/base/utf8.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman {

namespace {

constexpr std::size_t kActivity = 100;
constexpr std::size_t kOpen = 4096;

std::string activity_of(const ToolStarted& tool) {
  if (!tool.command.absent()) return "Running: " + tool.command.str();
  if (!tool.mcp_tool.empty()) return "Calling " + std::string(tool.mcp_tool);
  if (tool.tool == "web_search" || tool.tool == "WebSearch")
    return "Searching: " + std::string(tool.description);
  if (!tool.file.empty()) return "Editing " + std::string(tool.file);
  return "Using " + std::string(tool.tool);
}

// An agent that does any of this no longer waits for its limit.
bool is_work(const Event& event) {
  return event.as<DisplayText>() != nullptr || event.as<Thinking>() != nullptr ||
         event.as<ToolStarted>() != nullptr || event.as<ToolFinished>() != nullptr ||
         event.as<TurnFinished>() != nullptr;
}

}  // namespace

void ProgressFold::see(const Status& status) {
  if (status.steps && status.steps->total > 0) steps_ = status.steps;
  if (status.progress) said_ = std::clamp(status.progress->real, 0.0, 100.0);
  if (status.message.absent() || status.message.bytes.empty()) return;
  if (status.activity.empty()) said_activity_ = status.message.str();
  if (status.activity == "waiting_limit") limit_ = status.message.str();
}

void ProgressFold::see(const ToolStarted& tool) {
  turn_ended_ = false;
  ++started_;
  if (open_.size() < kOpen) open_.emplace_back(std::string(tool.id), activity_of(tool));
}

void ProgressFold::see(const Question& question) {
  std::erase_if(questions_, [&](const auto& open) { return open.first == question.id; });
  if (question.state != QuestionState::open || questions_.size() >= kOpen) return;
  questions_.emplace_back(
      std::string(question.id),
      "Waiting for an answer: " +
          std::string(question.header.empty() ? question.text : question.header));
}

void ProgressFold::on_event(const Event& event) {
  if (event.partial || event.origin.channel == Channel::subagent_text) return;
  seen_ = true;
  if (is_work(event)) limit_.clear();
  if (const auto* status = event.as<Status>()) {
    see(*status);
  } else if (const auto* started = event.as<ToolStarted>()) {
    see(*started);
  } else if (const auto* finished = event.as<ToolFinished>()) {
    ++finished_;
    const auto is_it = [&](const auto& open) { return open.first == finished->id; };
    open_.erase(std::remove_if(open_.begin(), open_.end(), is_it), open_.end());
  } else if (const auto* question = event.as<Question>()) {
    see(*question);
  } else if (const auto* turn = event.as<TurnFinished>()) {
    turn_ended_ = true;
    finished_ = started_ + (turn->ok ? 1 : 0);
    open_.clear();
    said_activity_.clear();
  }
  count();
}

void ProgressFold::count() {
  double percent = 0;
  if (steps_) {
    percent = 100.0 * static_cast<double>(steps_->done) / static_cast<double>(steps_->total);
  } else if (said_) {
    percent = *said_;
  } else {
    const auto done = static_cast<double>(std::min(finished_, started_ + 1));
    percent = 100.0 * done / static_cast<double>(started_ + 1);
  }
  int rounded = static_cast<int>(std::lround(percent));
  rounded = turn_ended_ && finished_ > started_ ? 100 : std::min(rounded, 99);
  percent_ = std::max(percent_, rounded);
}

std::optional<Progress> ProgressFold::progress() const {
  if (!seen_) return std::nullopt;
  Progress progress;
  progress.percent = percent_;
  if (steps_) {
    progress.completed_steps = steps_->done;
    progress.total_steps = steps_->total;
  } else if (!said_) {
    progress.completed_steps = std::min(finished_, started_ + 1);
    progress.total_steps = started_ + 1;
  }
  std::string activity = questions_.empty() ? limit_ : questions_.back().second;
  if (activity.empty()) activity = said_activity_;
  if (activity.empty() && !open_.empty()) activity = open_.back().second;
  progress.current_activity = utf8::prefix(one_line(activity), kActivity);
  return progress;
}

void put_progress(json::Writer& w, const std::optional<Progress>& progress) {
  if (!progress) {
    w.null();
    return;
  }
  w.begin_object().name("percent").integer(progress->percent);
  if (progress->completed_steps) w.name("completed_steps").integer(*progress->completed_steps);
  if (progress->total_steps) w.name("total_steps").integer(*progress->total_steps);
  w.name("current_activity");
  if (progress->current_activity.empty()) {
    w.null();
  } else {
    w.string(progress->current_activity);
  }
  w.end_object();
}

}  // namespace dragoman
