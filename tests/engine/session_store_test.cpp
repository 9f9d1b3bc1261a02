// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/session_store.hpp"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace dragoman::engine {
namespace {

StoredSession example() {
  KeptQuestion asked;
  asked.id = "q-1";
  asked.text = "Which?";
  asked.header = "H";
  asked.options = {{"a", "first"}, {"b", ""}};
  asked.multi_select = true;
  return {
      "claude", "01a1e0cc-1d02-7023-8251-bb6257d0d124", "run-1", "/work", "abc", {"x", "y \"z\""},
      {asked}};
}

TEST(SessionStore, FindsASessionByItsIdAndByItsRun) {
  const test::TempDir dir;
  const SessionStore store(dir.path() / "sessions");
  ASSERT_TRUE(store.save(example()));
  EXPECT_EQ(store.find("run-1"), example());
  EXPECT_EQ(store.find(example().session_id), example());
  EXPECT_EQ(store.find("other"), std::nullopt);
  store.forget(example().session_id);
  EXPECT_EQ(store.find(example().session_id), std::nullopt);
}

TEST(SessionStore, KeepsASessionForItsOwnerAlone) {
  const test::TempDir dir;
  const SessionStore store(dir.path() / "sessions");
  const mode_t before = ::umask(0);
  EXPECT_TRUE(store.save(example()));
  ::umask(before);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(dir.path() / "sessions").permissions(), perms::owner_all);
  for (const auto& file : std::filesystem::directory_iterator(dir.path() / "sessions")) {
    EXPECT_EQ(file.status().permissions(), perms::owner_read | perms::owner_write) << file.path();
  }
}

TEST(SessionStore, MakesFileNamesOfHostileIds) {
  const test::TempDir dir;
  const SessionStore store(dir.path() / "sessions");
  StoredSession session = example();
  session.session_id = "../../evil";
  ASSERT_TRUE(store.save(session));
  EXPECT_EQ(store.find("../../evil"), session);
  EXPECT_FALSE(std::filesystem::exists(dir.path().parent_path() / "evil.json"));
}

// It was kept, and not found again.
TEST(SessionStore, AVeryLongQuestionIsFoundAgain) {
  const test::TempDir dir;
  const SessionStore store(dir.path() / "sessions");
  StoredSession session = example();
  session.pending.front().text = std::string(6'000'000, 'w');
  ASSERT_TRUE(store.save(session));
  EXPECT_EQ(store.find(session.run), session);
}

TEST(GitHead, IsReadFromTheFilesOfTheRepository) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path() / ".git/refs/heads");
  std::filesystem::create_directories(dir.path() / "src");
  test::write_file(dir.path() / ".git/HEAD", "ref: refs/heads/main\n");
  test::write_file(dir.path() / ".git/refs/heads/main", "0123abcd\n");
  EXPECT_EQ(git_head(dir.path() / "src"), "0123abcd");
}

// An agent could leave one there, and the run that had ended waited for ever.
TEST(GitHead, NobodyWaitsAtAPipe) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path() / ".git");
  ASSERT_EQ(::mkfifo((dir.path() / ".git/HEAD").c_str(), 0600), 0);
  EXPECT_EQ(git_head(dir.path()), "");
}

}  // namespace
}  // namespace dragoman::engine
