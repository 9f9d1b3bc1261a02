// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_snapshot.hpp"

#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "dragoman/task/artifacts.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::value_of;
using test::write_file;

class GitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Git("/").run({"version"})) GTEST_SKIP() << "git is not installed";
    git({"init", "--quiet", "--initial-branch=main"});
    write_file(root() / "a.txt", "one\ntwo\n");
    write_file(root() / "b.txt", "b\n");
    write_file(root() / "dirty.txt", "clean\n");
    write_file(root() / ".gitignore", "ignored\n");
    commit("first");
    write_file(root() / "dirty.txt", "dirty\n");
    write_file(root() / "untracked.txt", "u\n");
  }
  [[nodiscard]] fs::path root() const { return directory_.path(); }
  [[nodiscard]] fs::path place() const { return ours_.path() / "git"; }
  std::string git(const std::vector<std::string>& words) const {
    return value_of(Git(root().string())
                        .run(words, {"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
                                     "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}));
  }
  void commit(const std::string& message) const {
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", message});
  }
  // Everything that a checkpoint or a snapshot must leave alone.
  [[nodiscard]] std::string untouched() const {
    return read_file(root() / ".git/index") + read_file(root() / ".git/config") +
           git({"status", "--porcelain"}) + git({"for-each-ref"});
  }

  test::TempDir directory_;
  test::TempDir ours_;
};

TEST_F(GitTest, NothingHasChangedWhereNothingHappened) {
  const std::string before = untouched();
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  GitChanges nothing;
  nothing.lines_changed = 0;
  EXPECT_EQ(value_of(snapshots->changes()), nothing);
  EXPECT_EQ(untouched(), before);
}

TEST_F(GitTest, ComparesByContentWhatIsOnTheDisk) {
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  write_file(root() / "a.txt", "one\nTWO\nthree\n");  // committed below
  fs::remove(root() / "b.txt");                       // removed
  write_file(root() / "dirty.txt", "dirtier\n");      // was dirty before
  write_file(root() / "new.txt", "n\n");              // made
  write_file(root() / "ignored", "i\n");              // nobody's business
  write_file(root() / "gone.txt", "for a moment\n");  // not there before, not there after
  fs::remove(root() / "gone.txt");
  git({"add", "a.txt"});
  git({"commit", "--quiet", "-m", "second"});
  const GitChanges changes = value_of(snapshots->changes());
  const std::map<std::string, FileAction> expected = {{"a.txt", FileAction::modified},
                                                      {"b.txt", FileAction::deleted},
                                                      {"dirty.txt", FileAction::modified},
                                                      {"new.txt", FileAction::created}};
  EXPECT_EQ(changes.files, expected);
  EXPECT_EQ(changes.lines_changed, 3 + 1 + 2 + 1);
  EXPECT_EQ(read_git_changes(git_changes_json(changes)), changes);
}

TEST_F(GitTest, PathsAreRelativeToTheDirectoryOfTheTask) {
  fs::create_directories(root() / "part");
  const auto snapshots = value_of(GitSnapshots::begin((root() / "part").string(), place()));
  ASSERT_NE(snapshots, nullptr);
  write_file(root() / "part/x y.txt", "x\n");
  write_file(root() / "outside.txt", "x\n");
  const std::map<std::string, FileAction> expected = {{"x y.txt", FileAction::created}};
  EXPECT_EQ(value_of(snapshots->changes()).files, expected);
}

TEST_F(GitTest, NothingThatTheRepositoryNamesIsStarted) {
  const fs::path trap = root() / "trap";
  write_file(root() / ".gitattributes", "*.txt filter=trap\n");
  const std::string set = "touch " + trap.string() + "; cat";
  git({"config", "filter.trap.clean", set});
  git({"config", "filter.trap.required", "true"});
  git({"config", "core.fsmonitor", set});
  write_file(root() / ".git/hooks/reference-transaction", "#!/bin/sh\ntouch " + trap.string());
  ::chmod((root() / ".git/hooks/reference-transaction").c_str(), 0755);
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  write_file(root() / "a.txt", "changed\n");
  EXPECT_EQ(value_of(snapshots->changes()).files.size(), 1U);
  EXPECT_TRUE(value_of(make_checkpoint(root().string(), "rebase", "T-1", place())).has_value());
  EXPECT_FALSE(fs::exists(trap));
}

TEST_F(GitTest, WhatIsPlantedBetweenTheSnapshotsIsNotStarted) {
  const fs::path trap = root() / "trap";
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  const std::string set = "touch " + trap.string() + "; cat";
  write_file(root() / ".git/more", "[filter \"late\"]\n\tclean = " + set + "\n");
  git({"config", "include.path", "more"});
  git({"config", "filter.later.process", set});
  git({"config", "filter.later.required", "true"});
  write_file(root() / ".gitattributes", "*.txt filter=late\nb.txt filter=later\n");
  write_file(root() / "a.txt", "changed\n");
  write_file(root() / "b.txt", "changed\n");
  const std::map<std::string, FileAction> expected = {{".gitattributes", FileAction::created},
                                                      {"a.txt", FileAction::modified},
                                                      {"b.txt", FileAction::modified}};
  EXPECT_EQ(value_of(snapshots->changes()).files, expected);
  EXPECT_FALSE(fs::exists(trap));
}

// Its configuration is read by a git that runs in there.
TEST_F(GitTest, ARepositoryInsideOfTheWorkingTreeStartsNothing) {
  const test::TempDir elsewhere;
  const fs::path trap = elsewhere.path() / "trap";
  const std::string inside = (root() / "inside").string();
  git({"init", "--quiet", inside});
  write_file(root() / "inside/f.txt", "f\n");
  git({"-C", inside, "add", "--all"});
  git({"-C", inside, "commit", "--quiet", "-m", "inside"});
  commit("with a link");
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  git({"-C", inside, "config", "filter.trap.clean", "touch " + trap.string() + "; cat"});
  write_file(root() / "inside/.gitattributes", "*.txt filter=trap\n");
  write_file(root() / "inside/f.txt", "g\n");
  EXPECT_EQ(value_of(snapshots->changes()).files.size(), 0U);
  EXPECT_TRUE(value_of(make_checkpoint(root().string(), "rebase", "T-1", place())).has_value());
  EXPECT_FALSE(fs::exists(trap));
  git({"-C", inside, "-c", "filter.trap.clean=", "commit", "--quiet", "--all", "-m", "more"});
  fs::remove(trap);
  const std::map<std::string, FileAction> expected = {{"inside", FileAction::modified}};
  EXPECT_EQ(value_of(snapshots->changes()).files, expected);
  EXPECT_FALSE(fs::exists(trap));
}

TEST_F(GitTest, ARepositoryInsideWithoutACommitHidesNoOtherChange) {
  git({"init", "--quiet", (root() / "before").string()});
  write_file(root() / "before/f.txt", "f\n");
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  git({"init", "--quiet", (root() / "later").string()});
  write_file(root() / "a.txt", "changed\n");
  const std::map<std::string, FileAction> expected = {{"a.txt", FileAction::modified}};
  EXPECT_EQ(value_of(snapshots->changes()).files, expected);
  EXPECT_FALSE(make_checkpoint(root().string(), "rebase", "T-1", place()))
      << "what could be lost then is not kept";
}

TEST_F(GitTest, ASubmoduleThatIsNotCheckedOutIsNoChange) {
  const std::string head = git({"rev-parse", "HEAD"});
  git({"update-index", "--add", "--cacheinfo", "160000," + head.substr(0, 40) + ",absent"});
  fs::create_directories(root() / "absent");
  git({"commit", "--quiet", "-m", "link"});
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  EXPECT_EQ(value_of(snapshots->changes()).files.size(), 0U);
  const auto made = value_of(make_checkpoint(root().string(), "rebase", "T-local-3", place()));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(git({"rev-parse", made->ref + ":absent"}), head);
}

TEST_F(GitTest, FilesAreReadAsTheRepositoryIsSetUp) {
  git({"config", "core.autocrlf", "input"});
  git({"config", "core.splitIndex", "true"});
  git({"config", "core.excludesFile", (root() / ".git/also").string()});
  write_file(root() / ".git/info/exclude", "hidden\n");
  write_file(root() / ".git/also", "veiled\n");
  commit("split");
  const auto snapshots = value_of(GitSnapshots::begin(root().string(), place()));
  ASSERT_NE(snapshots, nullptr);
  write_file(root() / "a.txt", "one\r\ntwo\r\n");
  write_file(root() / "hidden", "h\n");
  write_file(root() / "veiled", "v\n");
  EXPECT_EQ(value_of(snapshots->changes()).files.size(), 0U);
}

TEST_F(GitTest, PatternsThatWouldFillOurDiskAreRefused) {
  fs::resize_file(root() / ".git/info/exclude", std::uintmax_t{1} << 40U);
  const auto refused = GitSnapshots::begin(root().string(), place());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("info/exclude has 1099511627776 bytes"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(fs::is_empty(place())) << "nothing is left of it";
}

TEST_F(GitTest, OurOwnFilesGoWithUsOrWithWhoeverComesNext) {
  fs::create_directories(place() / "dragoman-git-killed");
  fs::create_directories(place() / "dragoman-git-young");
  fs::last_write_time(place() / "dragoman-git-killed",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  (void)value_of(GitSnapshots::begin(root().string(), place()));
  std::vector<std::string> left;
  for (const auto& each : fs::directory_iterator(place()))
    left.push_back(each.path().filename().string());
  EXPECT_EQ(left, std::vector<std::string>{"dragoman-git-young"});
}

TEST_F(GitTest, NoRepositoryIsRefused) {
  const test::TempDir elsewhere;
  EXPECT_FALSE(GitSnapshots::begin(elsewhere.path().string(), place()));
  EXPECT_FALSE(
      value_of(make_checkpoint(elsewhere.path().string(), "rebase", "T-1", place())).has_value());
}

TEST_F(GitTest, ACheckpointKeepsHeadAndTheWorkingTreeAndTouchesNothing) {
  const std::string index = read_file(root() / ".git/index");
  const std::string config = read_file(root() / ".git/config");
  const std::string status = git({"status", "--porcelain"});
  const auto made = value_of(make_checkpoint(root().string(), "force push", "T-local-1", place()));
  ASSERT_TRUE(made.has_value());
  const std::string head = git({"rev-parse", "HEAD"});
  EXPECT_TRUE(made->branch.starts_with("safety/force-push-")) << made->branch;
  EXPECT_TRUE(made->branch.ends_with("-" + head.substr(0, 7))) << made->branch;
  EXPECT_EQ(git({"rev-parse", made->branch}), head);
  EXPECT_EQ(made->ref, "refs/dragoman/checkpoints/T-local-1");
  EXPECT_EQ(git({"show", made->ref + ":dirty.txt"}), "dirty\n");
  EXPECT_EQ(git({"show", made->ref + ":untracked.txt"}), "u\n");
  EXPECT_EQ(git({"rev-parse", made->ref + "^"}), head);
  EXPECT_EQ(read_file(root() / ".git/index"), index);
  EXPECT_EQ(read_file(root() / ".git/config"), config);
  EXPECT_EQ(git({"status", "--porcelain"}), status);
}

TEST_F(GitTest, ACleanTreeNeedsOnlyTheBranch) {
  commit("all");
  const auto made = value_of(make_checkpoint(root().string(), "rebase", "T-local-2", place()));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->ref, "");
}

TEST(CopyOfAnIndex, IsNotMadeOfAHole) {
  const test::TempDir directory;
  const fs::path index = directory.path() / "index";
  const fs::path ours = directory.path() / "ours";
  write_file(index, "DIRC");
  copy_index(index, ours);
  EXPECT_EQ(read_file(ours), "DIRC");
  fs::resize_file(index, std::uintmax_t{1} << 40U);
  copy_index(index, ours);
  EXPECT_FALSE(fs::exists(ours));
}

TEST(GitChangesOfTwoStarts, AreAddedUp) {
  GitChanges sum;
  sum.files = {{"made", FileAction::created},
               {"made and gone", FileAction::created},
               {"back", FileAction::deleted},
               {"lost", FileAction::modified}};
  sum.lines_changed = 3;
  GitChanges later;
  later.files = {{"made", FileAction::modified},
                 {"made and gone", FileAction::deleted},
                 {"back", FileAction::created},
                 {"lost", FileAction::deleted},
                 {"new", FileAction::created}};
  later.lines_changed = 4;
  add_changes(sum, later);
  GitChanges expected;
  expected.files = {{"made", FileAction::created},
                    {"back", FileAction::modified},
                    {"lost", FileAction::deleted},
                    {"new", FileAction::created}};
  expected.lines_changed = 7;
  EXPECT_EQ(sum, expected);
}

TEST(Artifacts, AreRegularFilesOfTheWorkspaceOnly) {
  const test::TempDir directory;
  const fs::path root = directory.path() / "work";
  fs::create_directories(root);
  write_file(directory.path() / "secret", "outside");
  write_file(root / "a.txt", "abc");
  fs::create_symlink(directory.path() / "secret", root / "link");
  fs::create_symlink(directory.path(), root / "up");
  ::mkfifo((root / "pipe").c_str(), 0600);
  FileOperations files;
  files.added_files = {"a.txt",      "link", "up/secret", "../secret",
                       "/etc/hosts", "pipe", "missing",   "."};
  EXPECT_EQ(artifacts_of(root.string(), files),
            R"([{"type":"file","ref":"a.txt","size":3,)"
            R"("sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}])");
}

}  // namespace
}  // namespace dragoman::task
