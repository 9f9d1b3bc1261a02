// SPDX-License-Identifier: Apache-2.0
// Somebody's working tree, seen through a git directory of our own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/process/descriptor.hpp"
#include "dragoman/task/git_command.hpp"

namespace dragoman::task {

// What has to be known of a repository to look at its working tree.
struct WorkTree {
  std::string top;
  std::string index;
  std::string objects;
  std::string exclude;     // info/exclude
  std::string attributes;  // info/attributes
  std::string format;      // of its object names: "sha1"
  // "name=value", of those that say how files become objects. None of them names a program.
  std::vector<std::string> settings;
  friend bool operator==(const WorkTree&, const WorkTree&) = default;
};
// The words for git that ask for it, and what git answers: the second answer may be missing.
[[nodiscard]] std::vector<std::string> ask_for_work_tree();
[[nodiscard]] std::vector<std::string> ask_for_settings();
[[nodiscard]] Result<WorkTree> read_work_tree(std::string_view answer, std::string_view settings);
[[nodiscard]] Result<WorkTree> find_work_tree(const Git& git);

// An entry of an index that is the commit of a repository inside of the working tree.
struct GitLink {
  std::string id;
  std::string path;
  bool merged = true;
  friend bool operator==(const GitLink&, const GitLink&) = default;
};

// Which programs git starts, it learns from a configuration: filters, monitors, hooks, the
// transport of objects that are missing. Theirs can be written by an agent at any moment, also
// while git runs and by a process that was left behind, so it is not read at all: the git
// directory, its configuration and its index are ours. They lie where no agent writes, and go with
// this object.
class GitTwin {
 public:
  enum class Objects : std::uint8_t { ours, theirs };  // where new ones go
  // What git cannot read, such as a repository inside of the tree that has no commit.
  enum class Unreadable : std::uint8_t { left_out, refused };

  // `directory` is where git runs. `place` is made when it is not there, and what dead processes
  // left in it is removed; empty: among temporary files, which an agent may be able to write.
  [[nodiscard]] static Result<std::unique_ptr<GitTwin>> make(const std::string& directory,
                                                             WorkTree tree,
                                                             const std::filesystem::path& place,
                                                             Objects objects);
  ~GitTwin();
  GitTwin(const GitTwin&) = delete;
  GitTwin& operator=(const GitTwin&) = delete;

  [[nodiscard]] const Git& git() const { return git_; }
  // The tree of what is on the disk, ignored files left out, below `path` of the directory.
  [[nodiscard]] Result<std::string> write_tree(const std::string& path,
                                               Unreadable unreadable) const;

  // write_tree() in steps, for whoever starts git in another way.
  // Their index as it is now: it knows which files need not be read again.
  void take_index() const;
  // For each link `git add` would start a second git inside of that repository, with the
  // configuration that is there. Without them it finds these repositories anew, and starts nothing.
  [[nodiscard]] static std::vector<std::string> list_entries();
  [[nodiscard]] static std::vector<GitLink> links_among(std::string_view entries);
  [[nodiscard]] static std::vector<std::string> change_entries();  // as its input says
  [[nodiscard]] static std::string without(const std::vector<GitLink>& links);
  // Adds what can be read; kSomeLeftOut is its exit code when that was not all.
  static constexpr int kSomeLeftOut = 1;
  [[nodiscard]] static std::vector<std::string> add_all(const std::string& path);
  // Those that `git add` cannot find anew: nothing is checked out there.
  [[nodiscard]] std::string again(const std::vector<GitLink>& links) const;

 private:
  GitTwin(Git git, WorkTree tree, std::filesystem::path own, process::Descriptor lock)
      : git_(std::move(git)),
        tree_(std::move(tree)),
        own_(std::move(own)),
        lock_(std::move(lock)) {}

  Git git_;
  WorkTree tree_;
  std::filesystem::path own_;
  process::Descriptor lock_;  // says that somebody uses the directory
};

}  // namespace dragoman::task
