// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/commit_message.hpp"

#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

ChangedFile file(std::string path, FileAction action) {
  return {std::move(path), action, "", "", false, true};
}

TEST(CommitMessage, IsTheSuggestionWhereThereIsOne) {
  RunSummary run;
  run.commit_suggestion = SuggestedCommit{"feat: Add login", "Why it is needed."};
  EXPECT_EQ(commit_message(run), "feat: Add login\n\nWhy it is needed.\n");
}

TEST(CommitMessage, HasNothingHiddenInItsBodyAndKeepsItsLines) {
  RunSummary run;
  run.commit_suggestion = SuggestedCommit{
      "a\x1b[31mb", "one\u061c\r\n\n  \t- two\x1b]0;x\x07\u202e\n\tthree\U000E0041\u009b\xff"};
  EXPECT_EQ(commit_message(run),
            "a [31mb\n\none\\u{061c}\n\n  \t- two\u241b]0;x\u2407\\u{202e}\n"
            "\tthree\\u{e0041}\\u{009b}\uFFFD\n");
}

TEST(CommitMessage, TakesItsSubjectFromTheLastWords) {
  RunSummary run;
  run.files = {file("src/a.ts", FileAction::created), file("b.ts", FileAction::deleted)};
  run.turns.last =
      FinishedTurn{true, "", "", "\n## Added the login form. It has two fields.\n", {}};
  run.tests = TestCounts{45, 2, 1, ""};
  EXPECT_EQ(commit_message(run),
            "Added the login form\n\n- src/a.ts (created)\n- b.ts (deleted)\n\n"
            "Tests: 45 passed, 2 failed, 1 skipped\n");
}

TEST(CommitMessage, NamesTheFilesWhereNothingWasSaid) {
  RunSummary run;
  run.files = {file("a.ts", FileAction::modified)};
  EXPECT_EQ(commit_message(run), "Update a.ts\n\n- a.ts (modified)\n");
  run.files.push_back(file("b.ts", FileAction::created));
  run.files.push_back(file("c.ts", FileAction::created));
  EXPECT_EQ(commit_message(run),
            "Change a.ts and 2 more\n\n- a.ts (modified)\n- b.ts (created)\n- c.ts (created)\n");
}

TEST(CommitMessage, MarksWhatWasOnlyClaimed) {
  RunSummary run;
  run.files = {{"new.ts", FileAction::renamed, "old.ts", "moved", true, false}};
  EXPECT_EQ(commit_message(run),
            "Rename new.ts\n\n- new.ts (renamed from old.ts, claimed) moved\n");
}

TEST(CommitMessage, ALongSubjectIsCutAtAWord) {
  RunSummary run;
  run.files = {file("a", FileAction::created)};
  run.turns.last =
      FinishedTurn{true,
                   "",
                   "",
                   "Changed the way in which every single one of the forms validates its input",
                   {}};
  EXPECT_EQ(commit_message(run),
            "Changed the way in which every single one of the forms validates its…\n\n"
            "- a (created)\n");
}

TEST(CommitMessage, ControlCharactersOfAPathDoNotReachTheMessage) {
  RunSummary run;
  run.files = {file("a\x1b[31m\nb", FileAction::created)};
  EXPECT_EQ(commit_message(run), "Add a [31m b\n\n- a [31m b (created)\n");
}

TEST(CommitMessage, IsEmptyWhenNothingChanged) { EXPECT_EQ(commit_message(RunSummary{}), ""); }

}  // namespace
}  // namespace dragoman::test
