// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_snapshot.hpp"

#include <sys/stat.h>

#include <fmt/format.h>

#include "dragoman/json/number.hpp"

namespace dragoman::task {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostUnknownBytes = std::uintmax_t{256} << 20U;
constexpr std::size_t kMostUnknownFiles = 20'000;
constexpr std::size_t kMostChanges = 10'000;

// Calls `use` with each of the texts that a NUL ends.
template <typename Use>
void for_each_text(std::string_view list, Use&& use) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('\0'), list.size());
    use(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// What git would have to read in full.
Result<void> refuse_too_much(const Git& git, const std::string& directory) {
  DRAGOMAN_TRY(const std::string unknown,
               git.run({"ls-files", "-z", "--others", "--exclude-standard", "--", "."}));
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  for_each_text(unknown, [&](std::string_view path) {
    struct stat status {};
    const std::string file = directory + "/" + std::string(path);
    if (++files <= kMostUnknownFiles && ::lstat(file.c_str(), &status) == 0)
      bytes += static_cast<std::uintmax_t>(status.st_size);
  });
  if (files <= kMostUnknownFiles && bytes <= kMostUnknownBytes) return {};
  return Error{ErrorCode::unsupported, "git: too many files that are not committed"};
}

std::int64_t number_in(std::string_view text) {
  return json::parse_number(text).value.whole().value_or(0);  // "-": a binary file
}

// Every working tree has a .git at its top. Looking for it costs less than asking git.
bool may_be_repository(const std::string& directory) {
  std::error_code failed;
  fs::path at = fs::canonical(directory, failed);
  if (failed) return true;
  for (;; at = at.parent_path()) {
    if (fs::exists(at / ".git", failed) || failed) return true;
    if (!at.has_relative_path()) return false;
  }
}

}  // namespace

Result<std::unique_ptr<GitSnapshots>> GitSnapshots::begin(const std::string& directory,
                                                          const fs::path& place) {
  if (!may_be_repository(directory))
    return Error{ErrorCode::unsupported, "git: this is no working tree"};
  DRAGOMAN_TRY(WorkTree tree, find_work_tree(Git(directory)));
  DRAGOMAN_TRY(auto twin, GitTwin::make(directory, std::move(tree), place, GitTwin::Objects::ours));
  twin->take_index();
  DRAGOMAN_CHECK(refuse_too_much(twin->git(), directory));
  std::unique_ptr<GitSnapshots> snapshots(new GitSnapshots(std::move(twin)));
  DRAGOMAN_TRY(snapshots->before_,
               snapshots->twin_->write_tree(".", GitTwin::Unreadable::left_out));
  return snapshots;
}

Result<GitChanges> GitSnapshots::changes() const {
  GitChanges changes;
  DRAGOMAN_TRY(const std::string now, twin_->write_tree(".", GitTwin::Unreadable::left_out));
  changes.lines_changed = 0;
  if (now == before_) return changes;
  const Git& git = twin_->git();
  DRAGOMAN_TRY(const std::string names, git.run({"diff-tree", "-r", "-z", "--no-renames",
                                                 "--name-status", "--relative", before_, now}));
  std::string_view action;
  for_each_text(names, [&](std::string_view text) {
    if (action.empty()) {
      action = text;
      return;
    }
    const FileAction did = action == "A"   ? FileAction::created
                           : action == "D" ? FileAction::deleted
                                           : FileAction::modified;
    if (changes.files.size() < kMostChanges) changes.files.emplace(text, did);
    action = {};
  });
  DRAGOMAN_TRY(const std::string counts,
               git.run({"diff-tree", "-r", "-z", "--no-renames", "--no-textconv", "--no-ext-diff",
                        "--numstat", "--relative", before_, now}));
  for_each_text(counts, [&](std::string_view text) {
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos) return;
    const std::string_view rest = text.substr(tab + 1);
    *changes.lines_changed +=
        number_in(text.substr(0, tab)) + number_in(rest.substr(0, rest.find('\t')));
  });
  return changes;
}

}  // namespace dragoman::task
