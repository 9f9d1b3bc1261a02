// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/running_tools.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace dragoman {

RunningTool& RunningTools::open(std::string_view id, std::string_view tool, std::string_view file,
                                std::string_view parent) {
  if (RunningTool* again = find(id); again != nullptr) close(*again);
  if (count_ == kMost) close(slots_.front());
  if (count_ == slots_.size()) slots_.emplace_back();
  RunningTool& slot = slots_[count_++];
  slot.id = id;
  slot.tool = tool;
  slot.file = file;
  slot.parent = parent;
  slot.denied = false;
  slot.hash = std::hash<std::string_view>{}(id);
  return slot;
}

RunningTool* RunningTools::find(std::string_view id) {
  const std::uint64_t hash = std::hash<std::string_view>{}(id);
  for (RunningTool& tool : all()) {
    if (tool.hash == hash && tool.id == id) return &tool;
  }
  return nullptr;
}

void RunningTools::close(RunningTool& tool) {
  const auto at = slots_.begin() + (&tool - slots_.data());
  std::rotate(at, std::next(at), slots_.begin() + static_cast<std::ptrdiff_t>(count_));
  --count_;
}

std::string_view relative_to(std::string_view cwd, std::string_view path) {
  while (cwd.size() > 1 && cwd.back() == '/') cwd.remove_suffix(1);
  if (cwd.size() < 2 || path.size() <= cwd.size() + 1) return path;
  if (path.substr(0, cwd.size()) != cwd || path[cwd.size()] != '/') return path;
  return path.substr(cwd.size() + 1);
}

}  // namespace dragoman
