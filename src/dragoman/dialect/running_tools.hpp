// SPDX-License-Identifier: Apache-2.0
// Tool calls that have begun and not ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dialect/line_events.hpp"

namespace dragoman {

struct RunningTool {
  std::string id;
  std::string tool;
  std::string file;    // what it works on, when it said so
  std::string parent;  // the call whose subagent made it; empty on the main thread
  bool denied = false;
  bool spawns = false;      // an agent, which works on a thread of its own
  std::uint64_t order = 0;  // which one began first
};

// At most 1,024, and one of each id. Slots are used again, so that a call costs no allocation once
// the strings have grown.
class RunningTools {
 public:
  static constexpr std::size_t kMost = 1024;

  // Returns the tool that had to make room: the one of the same id, or the oldest of too many.
  std::optional<RunningTool> open(std::string_view id, std::string_view tool, std::string_view file,
                                  std::string_view parent);
  [[nodiscard]] RunningTool* find(std::string_view id);
  void close(RunningTool& tool);  // the reference ends here
  // In the order they began. Pointers are valid until the next call that changes anything.
  [[nodiscard]] std::vector<RunningTool*> all();

 private:
  [[nodiscard]] RunningTool* in_the_way_of(std::string_view id);

  std::vector<RunningTool> slots_;     // the first hashes_.size() are open
  std::vector<std::uint64_t> hashes_;  // of their ids, side by side to be looked through fast
  std::uint64_t opened_ = 0;
};

// Nobody will say any more how it ended. `where` is the record that made that clear.
void give_abandoned(const RunningTool& tool, const Origin& where, LineEvents& events);

}  // namespace dragoman
