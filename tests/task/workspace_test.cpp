// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/workspace.hpp"

#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "dragoman/task/git_command.hpp"
#include "tests/log/engines.hpp"
#include "tests/support/files.hpp"

namespace dragoman::task {
namespace {

namespace fs = std::filesystem;
using test::value_of;
using test::write_file;

class WorkspaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Git("/").run({"version"})) GTEST_SKIP() << "git is not installed";
    fs::create_directories(source());
    git(source(), {"init", "--quiet", "--initial-branch=main"});
    write_file(source() / "a.txt", "one\n");
    write_file(source() / ".gitignore", "ignored\n");
    git(source(), {"add", "--all"});
    git(source(), {"commit", "--quiet", "-m", "first"});
    workspace_ = std::make_unique<Workspace>(io_, clone(), source().string(), "");
    bool ready = false;
    workspace_->prepare([&](const Result<void>& prepared) { ready = static_cast<bool>(prepared); });
    io_.run();
    ASSERT_TRUE(ready);
  }
  [[nodiscard]] fs::path source() const { return directory_.path() / "source"; }
  [[nodiscard]] fs::path clone() const { return directory_.path() / "work/T-1"; }
  [[nodiscard]] fs::path trap() const { return directory_.path() / "trap"; }
  // What a configuration has to say to be found out.
  [[nodiscard]] std::string set() const { return "touch " + trap().string() + "; cat"; }
  static std::string git(const fs::path& where, const std::vector<std::string>& words) {
    return value_of(Git(where.string())
                        .run(words, {"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
                                     "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}));
  }
  Result<std::string> collect() {
    Result<std::string> collected = std::string("nothing was said");
    workspace_->collect([&](const Result<std::string>& diff) { collected = diff; });
    io_.restart();
    io_.run();
    return collected;
  }

  test::TempDir directory_;
  boost::asio::io_context io_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(WorkspaceTest, CollectsWhatIsCommittedAndWhatIsNot) {
  write_file(clone() / "a.txt", "two\n");
  git(clone(), {"commit", "--quiet", "--all", "-m", "second"});
  write_file(clone() / "b.txt", "b\n");
  write_file(clone() / "ignored", "i\n");
  EXPECT_EQ(value_of(collect()),
            "diff --git a/a.txt b/a.txt\n"
            "index 5626abf..f719efd 100644\n"
            "--- a/a.txt\n"
            "+++ b/a.txt\n"
            "@@ -1 +1 @@\n"
            "-one\n"
            "+two\n"
            "diff --git a/b.txt b/b.txt\n"
            "new file mode 100644\n"
            "index 0000000..6178079\n"
            "--- /dev/null\n"
            "+++ b/b.txt\n"
            "@@ -0,0 +1 @@\n"
            "+b\n");
}

TEST_F(WorkspaceTest, NothingThatAnAgentPlantedInItsCloneIsStarted) {
  for (const char* name : {"filter.trap.clean", "diff.trap.textconv", "diff.trap.command",
                           "core.fsmonitor", "core.pager", "pager.diff"})
    git(clone(), {"config", name, set()});
  git(clone(), {"config", "filter.trap.required", "true"});
  write_file(clone() / ".git/info/attributes", "*.txt filter=trap diff=trap\n");
  write_file(clone() / ".git/hooks/post-index-change", "#!/bin/sh\ntouch " + trap().string());
  ::chmod((clone() / ".git/hooks/post-index-change").c_str(), 0755);
  write_file(clone() / "a.txt", "two\n");
  const std::string diff = value_of(collect());
  EXPECT_NE(diff.find("-one\n+two\n"), std::string::npos) << diff;
  EXPECT_FALSE(fs::exists(trap()));
}

TEST_F(WorkspaceTest, NorWhatItPlantedInARepositoryInside) {
  const fs::path inside = clone() / "inside";
  git(clone(), {"init", "--quiet", inside.string()});
  write_file(inside / "f.txt", "f\n");
  git(inside, {"add", "--all"});
  git(inside, {"commit", "--quiet", "-m", "inside"});
  git(clone(), {"add", "inside"});
  git(inside, {"config", "filter.trap.clean", set()});
  write_file(inside / ".gitattributes", "*.txt filter=trap\n");
  write_file(inside / "f.txt", "g\n");
  const std::string diff = value_of(collect());
  EXPECT_NE(diff.find("+Subproject commit "), std::string::npos) << diff;
  EXPECT_FALSE(fs::exists(trap()));
}

// It cannot be added, and git told of nothing else then.
TEST_F(WorkspaceTest, ARepositoryInsideWithoutACommitHidesNothingElse) {
  git(clone(), {"init", "--quiet", (clone() / "inside").string()});
  write_file(clone() / "inside/f.txt", "f\n");
  write_file(clone() / "a.txt", "two\n");
  const std::string diff = value_of(collect());
  EXPECT_NE(diff.find("-one\n+two\n"), std::string::npos) << diff;
  EXPECT_NE(workspace_->left_out().find("'inside/'"), std::string::npos) << workspace_->left_out();
}

TEST_F(WorkspaceTest, OfThoseThatAreKeptTheNewestStay) {
  const fs::path kept = directory_.path() / "work/kept";
  const auto now = fs::file_time_type::clock::now();
  for (int i = 1; i <= 9; ++i) {
    fs::create_directories(kept / std::to_string(i));
    fs::last_write_time(kept / std::to_string(i), now - std::chrono::hours(i));
  }
  EXPECT_EQ(workspace_->keep(), kept / "T-1");
  workspace_.reset();
  std::set<std::string> left;
  for (const auto& each : fs::directory_iterator(kept)) left.insert(each.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"1", "2", "3", "4", "5", "6", "7", "T-1"}));
  EXPECT_TRUE(fs::exists(kept / "T-1/a.txt"));
}

// As when it is cancelled meanwhile. No git can say where a directory of such a name is.
TEST_F(WorkspaceTest, OfACloneThatWasNotPreparedNothingIsCollected) {
  workspace_ =
      std::make_unique<Workspace>(io_, directory_.path() / "work/T\n2", source().string(), "");
  bool ready = true;
  workspace_->prepare([&](const Result<void>& prepared) { ready = prepared.has_value(); });
  io_.restart();
  io_.run();
  ASSERT_FALSE(ready);
  EXPECT_EQ(value_of(collect()), "");
}

}  // namespace
}  // namespace dragoman::task
