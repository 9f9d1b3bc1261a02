// SPDX-License-Identifier: Apache-2.0
// git as a tool of ours, in a workspace that somebody else may have prepared.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"

namespace dragoman::task {

// No hook, no pager, no file system monitor is started, and nothing is fetched, whatever the
// configuration says. Filters are: what reads or writes files of a working tree that an agent can
// configure goes through a GitTwin. Optional locks are not taken, so that nobody else has to wait.
class Git {
 public:
  // `settings` are words for git itself, `environment` comes on top of a bare one.
  explicit Git(std::string directory, std::vector<std::string> settings = {},
               std::vector<std::string> environment = {})
      : directory_(std::move(directory)),
        settings_(std::move(settings)),
        environment_(std::move(environment)) {}

  // What it printed. A failure says what git said; one that takes too long is ended. `environment`
  // comes on top of its own, `input` is its stdin, `also_fine` an exit code that is no failure.
  [[nodiscard]] Result<std::string> run(const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& environment = {},
                                        std::string_view input = {}, int also_fine = 0) const;

  // For whoever starts it in another way: everything behind "git", and all of its environment.
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::vector<std::string> surroundings(
      const std::vector<std::string>& environment = {}) const;

 private:
  std::string directory_;
  std::vector<std::string> settings_;  // "-c", "name=value", …
  std::vector<std::string> environment_;
};

// A second index for our own eyes. It keeps the time of the first: by that time git knows which of
// its entries are too young to be believed, and a copy that looked younger would hide a change.
// None is made of a file that is too large to be one.
void copy_index(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::task
