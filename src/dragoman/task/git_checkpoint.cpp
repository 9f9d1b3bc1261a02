// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

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

// The working tree as a commit that no branch has.
Result<std::string> commit_working_tree(const Git& git, const std::string& head,
                                        const std::string& index, std::string_view operation) {
  std::string own = index + ".dragoman-XXXXXX";
  const int fd = ::mkstemp(own.data());
  if (fd < 0) return Error{ErrorCode::internal, "no file for a second index to be had"};
  ::close(fd);
  copy_index(index, own);
  const std::vector<std::string> places = {
      "GIT_INDEX_FILE=" + own, "GIT_AUTHOR_NAME=dragoman", "GIT_AUTHOR_EMAIL=dragoman@localhost",
      "GIT_COMMITTER_NAME=dragoman", "GIT_COMMITTER_EMAIL=dragoman@localhost"};
  const auto make = [&]() -> Result<std::string> {
    DRAGOMAN_TRY(const std::string added, git.run({"add", "--all", "--ignore-errors"}, places));
    (void)added;
    DRAGOMAN_TRY(const std::string tree, git.run({"write-tree"}, places));
    DRAGOMAN_TRY(const std::string commit,
                 git.run({"commit-tree", first_line(tree), "-p", head, "-m",
                          fmt::format("The working tree before {}", operation)},
                         places));
    return first_line(commit);
  };
  auto commit = make();
  std::error_code ignored;
  fs::remove(own, ignored);
  return commit;
}

}  // namespace

Result<std::optional<Checkpoint>> make_checkpoint(const std::string& directory,
                                                  std::string_view operation, std::string_view id) {
  const auto top = Git(directory).run({"rev-parse", "--show-toplevel"});
  if (!top) return std::optional<Checkpoint>();
  Git git(first_line(*top));
  const auto head = git.run({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
  if (!head) return std::optional<Checkpoint>();
  DRAGOMAN_CHECK(git.switch_filters_off());
  const std::string sha = first_line(*head);
  Checkpoint made;
  made.branch = fmt::format("safety/{}-{:%Y-%m-%dT%H-%M-%S}-{}", slug(operation),
                            fmt::gmtime(std::time(nullptr)), sha.substr(0, 7));
  DRAGOMAN_TRY(const std::string branched,
               git.run({"update-ref", "--create-reflog", "refs/heads/" + made.branch, sha}));
  (void)branched;
  DRAGOMAN_TRY(const std::string dirty, git.run({"status", "--porcelain", "-z"}));
  if (dirty.empty()) return std::optional<Checkpoint>(std::move(made));
  DRAGOMAN_TRY(const std::string index,
               git.run({"rev-parse", "--path-format=absolute", "--git-path", "index"}));
  DRAGOMAN_TRY(const std::string commit,
               commit_working_tree(git, sha, first_line(index), operation));
  made.ref = fmt::format("refs/dragoman/checkpoints/{}", id);
  DRAGOMAN_TRY(const std::string kept, git.run({"update-ref", made.ref, commit}));
  (void)kept;
  return std::optional<Checkpoint>(std::move(made));
}

}  // namespace dragoman::task
