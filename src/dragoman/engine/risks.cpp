// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/risks.hpp"

#include <utility>

namespace dragoman::engine {
namespace {

constexpr std::size_t kMost = 1024;
constexpr std::size_t kLongestId = 1024;

}  // namespace

void Risks::see(const agent::OpenRequest& request) {
  if (!judge_ || judge_(request.command).level == CommandRisk::Level::none) return;
  unasked_.erase(request.tool_use_id);
  if (asked_tools_.size() < kMost) asked_tools_.insert(request.tool_use_id);
}

const CommandRisk* Risks::judge(const agent::Ask& ask) {
  if (!judge_ || ask.command.empty()) return nullptr;
  CommandRisk risk = judge_(ask.command);
  if (risk.level == CommandRisk::Level::none) return nullptr;
  return &asked_.insert_or_assign(ask.asked.id, std::move(risk)).first->second;
}

const CommandRisk* Risks::of(std::string_view question) const {
  const auto found = asked_.find(question);
  return found == asked_.end() ? nullptr : &found->second;
}

void Risks::settled(std::string_view question) {
  const auto found = asked_.find(question);
  if (found != asked_.end()) asked_.erase(found);
}

void Risks::see(const ToolStarted& tool) {
  if (!judge_ || tool.command.absent() || asked_tools_.contains(tool.id)) return;
  if (tool.id.size() > kLongestId || unasked_.size() >= kMost) return;
  CommandRisk risk = judge_(tool.command.str());
  if (risk.level == CommandRisk::Level::none) return;
  unasked_.insert_or_assign(std::string(tool.id), std::move(risk.what));
}

std::optional<std::string> Risks::see(const ToolFinished& tool) {
  const auto found = unasked_.find(tool.id);
  if (found == unasked_.end()) return std::nullopt;
  std::string what = std::move(found->second);
  unasked_.erase(found);
  if (tool.outcome == Outcome::denied) return std::nullopt;
  return what;
}

std::vector<std::string> Risks::take_rest() {
  std::vector<std::string> rest;
  for (auto& [id, what] : std::exchange(unasked_, {})) rest.push_back(std::move(what));
  return rest;
}

}  // namespace dragoman::engine
