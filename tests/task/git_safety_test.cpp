// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_safety.hpp"

#include <gtest/gtest.h>

#include "tests/support/scale.hpp"

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
                        {GitTier::safe, "Build the legit --hard mode"},
                        {GitTier::blocked, "Run git checkout . and start again"},
                        {GitTier::blocked, "git restore ."},
                        {GitTier::blocked, "Then run git checkout -- ."},
                        {GitTier::safe, "Run git checkout -- src/a.c and build"},
                        {GitTier::safe, "Run `git restore Makefile`, then build"},
                        {GitTier::confirmation, "git push origin --delete old"},
                        {GitTier::blocked, "env git stash clear"},
                        {GitTier::blocked, "```\ngit reset \\\n  --hard\n```"},
                        {GitTier::blocked, "- ```\n  why git reset --hard\n  ```\n"},
                        {GitTier::safe, "- ```\n  make\n  ```\nwhy git reset --hard?"},
                        {GitTier::safe, "- ```\n  make\nwhy git reset --hard?"},
                        {GitTier::safe, "Run git checkout main and build it"},
                        {GitTier::safe, "Use git switch main. Then add . to the index"},
                        {GitTier::safe, "Use git restore to undo the change in a.c"},
                        {GitTier::safe, "git restore --staged ."}}) {
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

struct CommandRow {
  GitTier tier;
  const char* command;
};

void expect_rows(const std::vector<CommandRow>& rows) {
  for (const CommandRow& row : rows)
    EXPECT_EQ(judge_git_command(row.command).tier, row.tier) << row.command;
}

TEST(GitSafety, WhatThrowsWorkAwayForGoodIsBlocked) {
  for (const char* const command : {"git checkout .",
                                    "git checkout -- .",
                                    "git checkout HEAD -- .",
                                    "git checkout main -- :/",
                                    "git checkout -qf",
                                    "git checkout --forc x",
                                    "git restore .",
                                    "git restore -SW .",
                                    "git restore --source=HEAD~1 --staged --worktree ':/'",
                                    "git switch -f main",
                                    "git switch --discard-changes main",
                                    "git reset --har",
                                    "git reset --merge",
                                    "git reset @~2",
                                    "git reset --soft HEAD@{1}",
                                    "git clean -fdx -enode_modules",
                                    "git clean --force",
                                    "git stash clear",
                                    "git stash -q drop stash@{1}",
                                    "git worktree remove -f ../x",
                                    "git gc --prune=all",
                                    "git prune",
                                    "git reflog delete HEAD",
                                    "git reflog expire --expire-unreachable=now --all",
                                    "git checkout-index -fa",
                                    "git read-tree --reset -u HEAD",
                                    "git submodule deinit --force x",
                                    "git push origin :main",
                                    "git push --delete origin master",
                                    "git push -fu origin trunk"}) {
    EXPECT_EQ(judge_git_command(command).tier, GitTier::blocked) << command;
  }
}

TEST(GitSafety, WhatACheckpointSavesIsAskedAbout) {
  for (const char* const command :
       {"git checkout -B main origin/main", "git switch -C x", "git branch -df old",
        "git branch -f main HEAD~3", "git branch -M main", "git update-ref -d refs/heads/x",
        "git submodule update --init -f", "git push origin :old", "git push -d origin old",
        "git push --mirror backup", "git commit --amen"}) {
    EXPECT_EQ(judge_git_command(command).tier, GitTier::confirmation) << command;
  }
}

// An agent can write into them, or remove them, without git.
TEST(GitSafety, FilesThatAreNamedAreTheAgentsBusiness) {
  for (const char* const command :
       {"git checkout -- src/a.c", "git checkout HEAD~1 a.c", "git checkout src/a.c",
        "git restore Makefile", "git restore -s HEAD~2 a.c", "git rm -rf src"}) {
    EXPECT_EQ(judge_git_command(command).tier, GitTier::safe) << command;
  }
}

TEST(GitSafety, WhatLosesNothingPasses) {
  for (const char* const command : {"git checkout main",
                                    "git checkout -b fix",
                                    "git checkout -bfix origin/main",
                                    "git checkout -b fix main",
                                    "git checkout v1.2.3",
                                    "git checkout 2.x",
                                    "git checkout feature/x",
                                    "git checkout --detach HEAD~2",
                                    "git checkout --ours a.c",
                                    "git checkout -t origin/x",
                                    "git restore --staged .",
                                    "git restore -S a.c",
                                    "git restore --theirs a.c",
                                    "git switch main",
                                    "git switch -cfix",
                                    "git reset HEAD a.c",
                                    "git reset",
                                    "git clean -nfd",
                                    "git clean -fd --dry-run",
                                    "git stash",
                                    "git stash pop",
                                    "git stash push -m drop",
                                    "git worktree remove ../x",
                                    "git worktree prune",
                                    "git remote prune origin",
                                    "git branch -d old",
                                    "git branch -m new",
                                    "git push -nf",
                                    "git push origin HEAD:main",
                                    "git rm a.c",
                                    "git rm --cached -f a.c",
                                    "git gc",
                                    "git add .",
                                    "git diff -- .",
                                    "git log -- .",
                                    "git commit -am x",
                                    "git fetch --prune"}) {
    EXPECT_EQ(judge_git_command(command).tier, GitTier::safe) << command;
  }
}

TEST(GitSafety, ACommandIsFoundHoweverItIsStarted) {
  expect_rows({{GitTier::blocked, "git -C /w reset --hard"},
               {GitTier::blocked, "git -C \"/a b\" reset --hard"},
               {GitTier::blocked, "git -c a=b --no-pager --git-dir x reset --hard"},
               {GitTier::blocked, "env A=b git reset --hard"},
               {GitTier::blocked, "sudo -u x /usr/bin/git reset --hard"},
               {GitTier::blocked, "/bin/bash -lc 'git reset --hard'"},
               {GitTier::blocked, "sh -c \"cd x && git reset --hard\""},
               {GitTier::blocked, "bash -c \"sh -c 'git reset --hard'\""},
               {GitTier::blocked, "git reset \"--hard\""},
               {GitTier::blocked, "\\git re's'et --hard"},
               {GitTier::blocked, "git reset \\\n  --hard"},
               {GitTier::blocked, "git reset >/dev/null 2>&1 --hard"},
               {GitTier::blocked, "echo $(git reset --hard)"},
               {GitTier::blocked, "echo \"`git reset --hard`\""},
               {GitTier::blocked, "if true; then git reset --hard; fi"},
               {GitTier::blocked, "(cd x; git reset --hard)"},
               {GitTier::blocked, "timeout 5 git reset --hard"},
               {GitTier::blocked, "find . -name git -exec git clean -fd {} \\;"},
               {GitTier::blocked, "bash <<'EOF'\ngit reset --hard\nEOF"},
               {GitTier::blocked, "cat <<EOF | sh\ngit reset --hard\nEOF"},
               {GitTier::blocked, "cat <<EOF |\ngit reset --hard\nEOF\n  sh"},
               {GitTier::blocked, "echo 'git reset --hard' | sudo bash"},
               {GitTier::blocked, "echo 'git reset --hard' | tee x | cat | sh"},
               {GitTier::blocked, "ssh host git reset --hard"},
               {GitTier::blocked, "git -c alias.x='reset --hard' x"},
               {GitTier::blocked, "git -c 'alias.x=!git reset --hard' x"},
               {GitTier::blocked, "git submodule foreach 'git reset --hard'"},
               {GitTier::blocked, "python3 -c \"import os; os.system('git reset --hard')\""},
               {GitTier::blocked, "echo . | xargs git checkout -f"},
               {GitTier::confirmation, "git branch | xargs -n 1 git branch -D"},
               {GitTier::blocked, "sudo rm -rf \"$PWD/.git\""}});
}

TEST(GitSafety, WhatACommandOnlyPrintsOrKeepsIsNotRun) {
  expect_rows({{GitTier::safe, "git commit -m \"Say why git reset --hard is wrong\""},
               {GitTier::safe,
                "git commit -m \"$(cat <<'EOF'\nDon't git push --force\n\ngit clean -fd\nEOF\n)\""},
               {GitTier::safe, "grep -rn 'git reset --hard' docs"},
               {GitTier::safe, "echo \"git checkout .\" > notes.txt"},
               {GitTier::safe, "cat > run.sh <<EOF\ngit reset --hard\nEOF"},
               {GitTier::safe, "make # git reset --hard"},
               {GitTier::blocked, "cat > a <<EOF\nx\nEOF\ngit reset --hard"},
               {GitTier::blocked, "git commit -m \"$(git reset --hard)\""}});
}

TEST(GitSafety, NothingIsTooLongToBeJudged) {
  const std::size_t count = 100'000 / test::step_with_sanitizers(4);
  std::string many = "git -C /w";
  for (std::size_t i = 0; i < count; ++i) many += " -c a=git";
  EXPECT_EQ(judge_git_command(many + " status x").tier, GitTier::safe);
  EXPECT_EQ(judge_git_command(many + " reset x --hard").tier, GitTier::blocked);
  EXPECT_EQ(judge_git("Tidy up, then run " + many + " reset x --hard").tier, GitTier::blocked);
  std::string files = "rm -r";
  for (std::size_t i = 0; i < count; ++i) files += " rm";
  EXPECT_EQ(judge_git_command(files + " .git").tier, GitTier::blocked);
  for (const char* const part :
       {"$(", "`", "\"", "'", "(", "|sh", "<<A\n", "\\", "sh -c '", "a;", "a|", "<<A;"}) {
    std::string script;
    for (std::size_t i = 0; i < count; ++i) script += part;
    EXPECT_EQ(judge_git_command(script).tier, GitTier::safe) << part;
  }
}

TEST(GitSafety, TellsWhatItFoundInTheOrderOfTheLine) {
  const GitRisk expected = {GitTier::blocked,
                            {"removal of .git", "rebase", "reset --hard", "commit --amend"}};
  EXPECT_EQ(judge_git_command("rm -r .git; git rebase x && git reset --hard | git commit --amend"),
            expected);
}

}  // namespace
}  // namespace dragoman::task
