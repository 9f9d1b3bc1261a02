// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/running_tools.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace dragoman {

std::optional<RunningTool> RunningTools::open(std::string_view id, std::string_view tool,
                                              std::string_view file, std::string_view parent) {
  std::optional<RunningTool> pushed_out;
  if (RunningTool* const older = in_the_way_of(id); older != nullptr) {
    pushed_out = std::move(*older);
    close(*older);
  }
  if (hashes_.size() == slots_.size()) slots_.emplace_back();
  RunningTool& slot = slots_[hashes_.size()];
  hashes_.push_back(std::hash<std::string_view>{}(id));
  slot.id = id;
  slot.tool = tool;
  slot.file = file;
  slot.parent = parent;
  slot.denied = slot.spawns = false;
  slot.order = ++opened_;
  return pushed_out;
}

RunningTool* RunningTools::in_the_way_of(std::string_view id) {
  if (RunningTool* const again = find(id); again != nullptr) return again;
  if (hashes_.size() < kMost) return nullptr;
  return &*std::min_element(slots_.begin(), slots_.end(),
                            [](const auto& a, const auto& b) { return a.order < b.order; });
}

RunningTool* RunningTools::find(std::string_view id) {
  const std::uint64_t hash = std::hash<std::string_view>{}(id);
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i] == hash && slots_[i].id == id) return &slots_[i];
  }
  return nullptr;
}

void RunningTools::close(RunningTool& tool) {
  const auto at = static_cast<std::size_t>(&tool - slots_.data());
  if (at + 1 != hashes_.size()) std::swap(slots_[at], slots_[hashes_.size() - 1]);
  hashes_[at] = hashes_.back();
  hashes_.pop_back();
}

std::vector<RunningTool*> RunningTools::all() {
  std::vector<RunningTool*> tools;
  tools.reserve(hashes_.size());
  for (std::size_t i = 0; i < hashes_.size(); ++i) tools.push_back(&slots_[i]);
  std::sort(tools.begin(), tools.end(),
            [](const auto* a, const auto* b) { return a->order < b->order; });
  return tools;
}

void give_abandoned(const RunningTool& tool, const Origin& where, LineEvents& events) {
  ToolFinished finished;
  finished.id = tool.id;
  finished.tool = tool.tool;
  finished.outcome = Outcome::abandoned;
  Origin origin = where;
  origin.parent = {};
  if (!tool.parent.empty()) origin.parent = tool.parent;
  events.emit_at(finished, origin);
}

}  // namespace dragoman
