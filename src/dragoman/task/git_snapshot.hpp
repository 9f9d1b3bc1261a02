// SPDX-License-Identifier: Apache-2.0
// What a workspace looked like, and what became of it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/result.hpp"
#include "dragoman/run/git_changes.hpp"
#include "dragoman/task/git_twin.hpp"

namespace dragoman::task {

// Takes the state of a directory in a repository as it is on disk, committed or not, without what
// is ignored. The repository is only read: index and objects of a snapshot are files of our own,
// which go with this object. Nothing that the repository names is started, now or at the end.
class GitSnapshots {
 public:
  // Refused: no repository, no git, or far too much in it that git does not know yet. `place` is
  // where our own files go: nowhere that an agent may write.
  [[nodiscard]] static Result<std::unique_ptr<GitSnapshots>> begin(
      const std::string& directory, const std::filesystem::path& place);

  // What is different now from when it began. Paths are relative to the directory.
  [[nodiscard]] Result<GitChanges> changes() const;

 private:
  explicit GitSnapshots(std::unique_ptr<GitTwin> twin) : twin_(std::move(twin)) {}

  std::unique_ptr<GitTwin> twin_;
  std::string before_;  // a tree
};

struct Checkpoint {
  std::string branch;  // safety/rebase-2026-11-16T04-50-00-1a2b3c4
  std::string ref;     // refs/dragoman/checkpoints/ID; empty: nothing was uncommitted
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};
// Keeps what a risky operation could lose: a branch at HEAD and a commit of the working tree.
// Index, working tree and configuration stay as they are. Absent: no repository, or nothing
// committed yet. `place` as above.
[[nodiscard]] Result<std::optional<Checkpoint>> make_checkpoint(const std::string& directory,
                                                                std::string_view operation,
                                                                std::string_view id,
                                                                const std::filesystem::path& place);

}  // namespace dragoman::task
