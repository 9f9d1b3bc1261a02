// SPDX-License-Identifier: Apache-2.0
// git as a tool of ours, in a workspace that somebody else may have prepared.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::task {

// Nothing that the repository's configuration names is started by it: no hook, no pager, no file
// system monitor, no filter. Optional locks are not taken, so that nobody else has to wait.
class Git {
 public:
  explicit Git(std::string directory) : directory_(std::move(directory)) {}

  // What it printed. A failure says what git said; one that takes too long is ended. `environment`
  // comes on top of a bare one.
  [[nodiscard]] Result<std::string> run(const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& environment = {}) const;

  // Learns which filters the repository names, so that they can be switched off.
  [[nodiscard]] Result<void> switch_filters_off();

 private:
  std::string directory_;
  std::vector<std::string> settings_;  // "-c", "name=value", …
};

// A second index for our own eyes. It keeps the time of the first: by that time git knows which of
// its entries are too young to be believed, and a copy that looked younger would hide a change.
void copy_index(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::task
