// SPDX-License-Identifier: Apache-2.0
// Claude's control requests that wait for our response.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/agent/claude_control.hpp"

namespace dragoman::agent {

// Law: what an agent asks for costs us no more than kMostBytes, however long no answer comes. An
// agent at work waits for a few; one that asks for more is refused.
class ClaudeRequests {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
  static constexpr std::size_t kLongestId = 1024;  // of the request, and of its tool's call

  // Gives back what there is no room for. One with the id of another takes its place.
  [[nodiscard]] std::optional<ControlRequest> keep(ControlRequest request);

  [[nodiscard]] const ControlRequest* find(std::string_view id) const;
  [[nodiscard]] std::optional<ControlRequest> take(std::string_view id);
  void clear();

  // Some request did not fit: a question that belongs to none of ours may have been refused.
  [[nodiscard]] bool refused_some() const { return refused_some_; }

 private:
  std::map<std::string, ControlRequest, std::less<>> open_;
  std::size_t bytes_ = 0;
  bool refused_some_ = false;
};

}  // namespace dragoman::agent
