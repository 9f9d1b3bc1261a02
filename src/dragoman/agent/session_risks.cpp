// SPDX-License-Identifier: Apache-2.0
// A session's dangerous commands: refused, asked about, or at least reported.
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "dragoman/agent/session.hpp"

namespace dragoman::agent {

// The request may be read before the event that announces the same command, or behind it.
void Session::judge_request(const ControlRequest& request) {
  if (!plan_.judge || request.command.empty()) return;
  CommandRisk risk = plan_.judge(request.command);
  if (risk.level == CommandRisk::Level::none) return;
  unasked_.erase(request.tool_use_id);
  if (asked_tools_.size() < kMostWatched) asked_tools_.insert(request.tool_use_id);
  requests_.note(request.id, std::move(risk));
}

const CommandRisk* Session::risk_of(const Asked& asked) const {
  return requests_.risk_of(asked.request_id);
}

// Nobody is asked about what may not be done at all.
bool Session::refuse_at_once(const Asked& asked) {
  const CommandRisk* const risk = risk_of(asked);
  if (risk == nullptr || risk->level != CommandRisk::Level::refuse) return false;
  const std::string why = fmt::format("Denied: this destroys work ({}).", risk->what);
  diagnose("git_blocked", Level::warning, fmt::format("refused: {}", risk->what));
  take_answer(asked.id, Answer{{}, why});
  return true;
}

void Session::before_allowing(const Answered& answered) {
  const CommandRisk* const risk = risk_of(answered.asked);
  if (risk == nullptr || !plan_.before_risk) return;
  if (answered.answer.options != std::vector<std::size_t>{1}) return;
  const std::string done = plan_.before_risk(risk->what);
  if (!done.empty()) diagnose("git_checkpoint", Level::info, done);
}

void Session::see_tool(const ToolStarted& tool) {
  if (!plan_.judge || tool.command.absent() || asked_tools_.contains(tool.id)) return;
  if (tool.id.size() > OpenRequests::kLongestId) return;
  const CommandRisk risk = plan_.judge(tool.command.str());
  if (risk.level == CommandRisk::Level::none || unasked_.size() >= kMostWatched) return;
  unasked_.insert_or_assign(std::string(tool.id), risk.what);
}

void Session::see_tool(const ToolFinished& tool) {
  const auto found = unasked_.find(tool.id);
  if (found == unasked_.end()) return;
  std::string what = std::move(found->second);
  unasked_.erase(found);
  if (tool.outcome == Outcome::denied) return;
  boost::asio::post(io_, [this, what = std::move(what)] { warn_of(what); });
}

void Session::warn_of(const std::string& what) {
  diagnose("git_unasked", Level::warning,
           fmt::format("ran without asking: a git operation that can lose work ({})", what));
}

}  // namespace dragoman::agent
