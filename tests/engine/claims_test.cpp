// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/claims.hpp"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace dragoman::engine {
namespace {

struct Row {
  std::string path;
  FileAction action;
  ClaimState state;
};

TEST(Claims, AreLookedForInTheWorkspaceAndNowhereElse) {
  const test::TempDir dir;
  const std::filesystem::path root = dir.path() / "app";
  std::filesystem::create_directories(root / "src");
  std::filesystem::create_directories(dir.path() / "app-evil");
  test::write_file(root / "src/a.cpp", "a");
  test::write_file(dir.path() / "app-evil/x", "x");
  std::filesystem::create_symlink("/etc/passwd", root / "link");
  std::filesystem::create_symlink("src/a.cpp", root / "inner");
  std::filesystem::create_symlink("..", root / "up");
  ASSERT_EQ(::mkfifo((root / "fifo").c_str(), 0600), 0);
  using enum ClaimState;
  const std::vector<Row> table = {
      {"src/a.cpp", FileAction::created, there},
      {root / "src/a.cpp", FileAction::modified, there},
      {"./src/../src/a.cpp", FileAction::modified, there},
      {"inner", FileAction::modified, there},
      {"fifo", FileAction::created, there},
      {"src/b.cpp", FileAction::created, missing},
      {"src/b.cpp", FileAction::deleted, there},
      {"src/a.cpp", FileAction::deleted, still_there},
      {"../../etc/passwd", FileAction::modified, outside_workspace},
      {"/etc/shadow", FileAction::modified, outside_workspace},
      {"link", FileAction::modified, outside_workspace},
      {"up/app-evil/x", FileAction::modified, outside_workspace},
      {dir.path() / "app-evil/x", FileAction::modified, outside_workspace},
      {"C:\\x", FileAction::modified, missing},
      {"src/..%2f..%2fx", FileAction::modified, missing},
      {std::string("a\0b", 3), FileAction::modified, not_a_path},
      {"", FileAction::modified, not_a_path},
  };
  for (const Row& row : table) {
    EXPECT_EQ(name(check_claim(root, row.path, row.action)), name(row.state)) << row.path;
  }
}

TEST(Claims, OfFilesThatAToolWasSeenToChangeNeedNoProof) {
  RunSummary run;
  run.files = {{"a", FileAction::created, {}, {}, true, true},
               {"b", FileAction::created, {}, {}, true, false}};
  const test::TempDir dir;
  EXPECT_EQ(check_claims(run, dir.path()), (std::vector<Claim>{{"b", ClaimState::missing}}));
}

}  // namespace
}  // namespace dragoman::engine
