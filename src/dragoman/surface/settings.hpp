// SPDX-License-Identifier: Apache-2.0
// The tables [ask] and [surface.NAME] of the configuration.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/config/config.hpp"

namespace dragoman::surface {

struct SurfaceSettings {
  std::string name;
  std::string kind;  // github, discord, slack, openclaw, command, desktop
  std::map<std::string, std::string, std::less<>> texts;    // "repo", "channel", …
  std::map<std::string, std::string, std::less<>> secrets;  // "token", …: values, not references
  std::vector<std::string> users;  // who may answer, as the surface names them
  std::vector<std::string> roles;
  bool anyone = false;
  std::vector<std::string> argv;              // command: the program and its arguments
  std::set<std::string, std::less<>> offers;  // question, block, failure, completion, progress
  int order = 1;
  std::chrono::milliseconds poll{std::chrono::seconds(15)};
  std::optional<std::chrono::milliseconds> write_gap;

  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] const std::string& secret(std::string_view key) const;
  [[nodiscard]] bool may_answer(std::string_view user,
                                const std::vector<std::string>& roles_of_user) const;
};

// When and where questions are offered.
struct Policy {
  bool in_order = false;  // by `order` of the surfaces, one step after the other
  std::chrono::milliseconds escalate_after{std::chrono::minutes(10)};
  std::optional<std::pair<int, int>> quiet;  // minutes of the day, UTC: offered afterwards
  std::string default_answer;                // empty: nobody answers but people
  std::chrono::milliseconds default_after{std::chrono::hours(1)};
};

struct Settings {
  Policy policy;
  std::vector<SurfaceSettings> surfaces;

  [[nodiscard]] const SurfaceSettings* find(std::string_view name) const;
};

// Reads `secret = "env:NAME"` and "file:PATH". Everything that is missing or wrong is named with
// its place.
[[nodiscard]] Result<Settings> read_settings(const config::Config& config,
                                             const std::vector<std::string>& environment);

// The reference as such: what "env:NAME" or "file:PATH" stands for.
[[nodiscard]] Result<std::string> resolve_secret(const std::string& reference,
                                                 const std::vector<std::string>& environment);

}  // namespace dragoman::surface
