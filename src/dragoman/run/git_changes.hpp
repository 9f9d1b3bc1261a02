// SPDX-License-Identifier: Apache-2.0
// What git says has changed since the start.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/event/payloads.hpp"

namespace dragoman {

struct GitChanges {
  // By their paths from the run's directory: created, modified, deleted.
  std::map<std::string, FileAction> files;
  std::optional<std::int64_t> lines_changed;
  friend bool operator==(const GitChanges&, const GitChanges&) = default;
};

// As the `finished` event carries them, in its field "git".
[[nodiscard]] std::string git_changes_json(const GitChanges& changes);
[[nodiscard]] std::optional<GitChanges> read_git_changes(std::string_view json);
// What two runs changed, one behind the other.
void add_changes(GitChanges& sum, const GitChanges& later);

}  // namespace dragoman
