// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_safety.hpp"

#include <gtest/gtest.h>

namespace dragoman::task {
namespace {

TEST(GitSafety, JudgesTaskTextsRowByRow) {
  struct Row {
    GitTier tier;
    const char* text;
  };
  for (const Row& row :
       std::vector<Row>{{GitTier::safe, "please explain how rebase works"},
                        {GitTier::safe, "Explain how `git rebase` works"},
                        {GitTier::safe, "document why we never use git reset --hard"},
                        {GitTier::safe, "What does git reset --hard do?"},
                        {GitTier::blocked, "Run git reset --hard HEAD~3 and rebuild"},
                        {GitTier::blocked, "Explain the diff, then run `git clean -fd`"},
                        {GitTier::blocked, "git push --force origin main"},
                        {GitTier::blocked, "git push origin +main"},
                        {GitTier::confirmation, "then git push --force-with-lease origin main"},
                        {GitTier::confirmation, "git push -f origin feature/x"},
                        {GitTier::confirmation, "$ git rebase -i HEAD~3"},
                        {GitTier::confirmation, "git branch -D old"},
                        {GitTier::safe, "git branch -d old"},
                        {GitTier::safe, "git reset HEAD file.c"},
                        {GitTier::safe, "git clean -n"},
                        {GitTier::safe, "git checkout -b force-login"},
                        {GitTier::safe, "rebase onto the new API"},
                        {GitTier::blocked, "Do this:\n```\nsudo git -C /w reset --hard\n```\n"},
                        {GitTier::blocked, "use /usr/bin/git stash drop to tidy up"},
                        {GitTier::blocked, "1. git worktree remove --force ../x"},
                        {GitTier::blocked, "run: git gc --prune=now"},
                        {GitTier::blocked, "git reflog expire --expire=now --all"},
                        {GitTier::blocked, "git checkout -f main"},
                        {GitTier::blocked, "rm -rf .git && git init"},
                        {GitTier::confirmation, "fix the typo and git commit --amend"},
                        {GitTier::safe, "git rebase --continue"},
                        {GitTier::safe, "Avoid git push --force at all cost"},
                        {GitTier::safe, "Build the legit --hard mode"}}) {
    EXPECT_EQ(judge_git(row.text).tier, row.tier) << row.text;
  }
}

TEST(GitSafety, BlockedStaysBlockedAndConfirmationCanBeGiven) {
  const GitRisk blocked = judge_git("git reset --hard");
  EXPECT_EQ(allow_git(blocked, true).error().reason, "git_blocked");
  const GitRisk risky = judge_git("git rebase main");
  const auto refused = allow_git(risky, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "git_confirmation_required");
  EXPECT_EQ(refused.error().details,
            R"({"requires_user_confirmation":true,"tier":"confirmation","operations":["rebase"],)"
            R"("confirmation_prompt":{"question":"The task asks for: rebase. Allow it?",)"
            R"("header":"Risky Git Op","options":[{"label":"approve"},{"label":"deny"}]}})");
  EXPECT_TRUE(allow_git(risky, true));
  EXPECT_TRUE(allow_git(judge_git("tidy up"), false));
}

TEST(GitSafety, ACommandIsJudgedWithoutCues) {
  EXPECT_EQ(judge_git_command("cd x && git reset --hard").tier, GitTier::blocked);
  EXPECT_EQ(judge_git_command("git status").tier, GitTier::safe);
}

TEST(GitSafety, NothingIsTooLongToBeJudged) {
  std::string many = "git -C /w";
  for (int i = 0; i < 100'000; ++i) many += " -c a=git";
  EXPECT_EQ(judge_git_command(many + " status x").tier, GitTier::safe);
  EXPECT_EQ(judge_git_command(many + " reset x --hard").tier, GitTier::blocked);
  EXPECT_EQ(judge_git("Tidy up, then run " + many + " reset x --hard").tier, GitTier::blocked);
  std::string files = "rm -r";
  for (int i = 0; i < 100'000; ++i) files += " rm";
  EXPECT_EQ(judge_git_command(files + " .git").tier, GitTier::blocked);
}

TEST(GitSafety, TellsWhatItFoundInTheOrderOfTheLine) {
  const GitRisk expected = {GitTier::blocked,
                            {"rebase", "reset --hard", "commit --amend", "removal of .git"}};
  EXPECT_EQ(judge_git_command("rm -r .git; git rebase x && git reset --hard | git commit --amend"),
            expected);
}

}  // namespace
}  // namespace dragoman::task
