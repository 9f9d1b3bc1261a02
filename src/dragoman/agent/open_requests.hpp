// SPDX-License-Identifier: Apache-2.0
// The control requests of an agent that wait for our response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/agent/control.hpp"

namespace dragoman::agent {

// What a command that the agent wants to run could destroy.
struct CommandRisk {
  enum class Level : std::uint8_t { none, ask, refuse };
  Level level = Level::none;
  std::string what;  // "reset --hard"
  friend bool operator==(const CommandRisk&, const CommandRisk&) = default;
};

// Law: what an agent asks for costs us no more than kMostBytes, however long nobody answers. An
// agent at work waits for a few; whoever asks for more is to be refused, not remembered.
class OpenRequests {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
  static constexpr std::size_t kLongestId = 1024;  // of the request, and of its tool's call

  // Gives back what there is no room for. One with the id of another takes its place.
  [[nodiscard]] std::optional<ControlRequest> keep(ControlRequest request);
  // What its command could do. Of a request that is not there nothing is noted.
  void note(std::string_view id, CommandRisk risk);

  [[nodiscard]] const ControlRequest* find(std::string_view id) const;
  [[nodiscard]] const CommandRisk* risk_of(std::string_view id) const;
  [[nodiscard]] std::optional<ControlRequest> take(std::string_view id);
  void clear();

  // Some request did not fit: a question that belongs to none of ours may have been refused.
  [[nodiscard]] bool refused_some() const { return refused_some_; }

 private:
  struct Open {
    ControlRequest request;
    std::optional<CommandRisk> risk;
  };
  std::map<std::string, Open, std::less<>> open_;
  std::size_t bytes_ = 0;
  bool refused_some_ = false;
};

}  // namespace dragoman::agent
