// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/task/git_snapshot.hpp"

namespace dragoman::task {

namespace {

namespace fs = std::filesystem;

// "force push" as a part of a branch name.
std::string slug(std::string_view operation) {
  std::string out;
  for (const char c : operation) {
    if (ascii::is_alnum(c)) {
      out.push_back(ascii::lower(c));
    } else if (!out.empty() && out.back() != '-') {
      out.push_back('-');
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "operation" : out;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The working tree as a commit that no branch has; empty: it is as `head` left it.
Result<std::string> commit_working_tree(const Git& git, const std::string& top,
                                        const std::string& head, std::string_view operation,
                                        const fs::path& place) {
  DRAGOMAN_TRY(WorkTree tree, find_work_tree(git));
  DRAGOMAN_TRY(const auto twin,
               GitTwin::make(top, std::move(tree), place, GitTwin::Objects::theirs));
  // What it does not have is lost by what comes next.
  DRAGOMAN_TRY(const std::string now, twin->write_tree(".", GitTwin::Unreadable::refused));
  DRAGOMAN_TRY(const std::string before, twin->git().run({"rev-parse", head + "^{tree}"}));
  if (first_line(before) == now) return std::string();
  DRAGOMAN_TRY(
      const std::string commit,
      twin->git().run({"commit-tree", now, "-p", head, "-m",
                       fmt::format("The working tree before {}", operation)},
                      {"GIT_AUTHOR_NAME=dragoman", "GIT_AUTHOR_EMAIL=dragoman@localhost",
                       "GIT_COMMITTER_NAME=dragoman", "GIT_COMMITTER_EMAIL=dragoman@localhost"}));
  return first_line(commit);
}

}  // namespace

Result<std::optional<Checkpoint>> make_checkpoint(const std::string& directory,
                                                  std::string_view operation, std::string_view id,
                                                  const fs::path& place) {
  const auto top = Git(directory).run({"rev-parse", "--show-toplevel"});
  if (!top) return std::optional<Checkpoint>();
  const Git git(first_line(*top));
  const auto head = git.run({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
  if (!head) return std::optional<Checkpoint>();
  const std::string sha = first_line(*head);
  Checkpoint made;
  made.branch = fmt::format("safety/{}-{:%Y-%m-%dT%H-%M-%S}-{}", slug(operation),
                            fmt::gmtime(std::time(nullptr)), sha.substr(0, 7));
  DRAGOMAN_TRY(const std::string branched,
               git.run({"update-ref", "--create-reflog", "refs/heads/" + made.branch, sha}));
  (void)branched;
  DRAGOMAN_TRY(const std::string commit,
               commit_working_tree(git, first_line(*top), sha, operation, place));
  if (commit.empty()) return std::optional<Checkpoint>(std::move(made));
  made.ref = fmt::format("refs/dragoman/checkpoints/{}", id);
  DRAGOMAN_TRY(const std::string kept, git.run({"update-ref", made.ref, commit}));
  (void)kept;
  return std::optional<Checkpoint>(std::move(made));
}

}  // namespace dragoman::task
