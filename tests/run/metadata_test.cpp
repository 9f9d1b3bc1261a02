// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/metadata.hpp"

#include <gtest/gtest.h>

#include "dragoman/run/fold.hpp"
#include "dragoman/run/progress.hpp"
#include "tests/run/make_events.hpp"

namespace dragoman::test {
namespace {

Metadata metadata_of(const std::vector<Event>& events, const RunFacts& facts = {}) {
  MetadataFold metadata;
  RunFold run;
  for (const Event& event : events) {
    metadata.on_event(event);
    run.on_event(event);
  }
  return metadata.metadata(run.summary(), facts);
}

std::string summary_of(const std::vector<Event>& events, const RunFacts& facts = {}) {
  MetadataFold metadata;
  RunFold run;
  for (const Event& event : events) {
    metadata.on_event(event);
    run.on_event(event);
  }
  return metadata.summary(metadata.metadata(run.summary(), facts), facts);
}

Event says(std::string_view text) {
  Event event = codex(DisplayText{.text = text, .block = 1});
  event.origin.channel = Channel::assistant_text;
  return event;
}
Event on_stdout(std::string_view text) {
  Event event = codex(DisplayText{.text = text});
  event.origin.channel = Channel::stdout_;
  return event;
}
Event on_stderr(std::string_view text) {
  Event event = codex(DisplayText{.text = text});
  event.origin.stream = Stream::stderr_;
  event.origin.channel = Channel::stderr_;
  return event;
}
Event ran(std::string_view id, std::string_view command) {
  return codex(ToolStarted{.id = id, .tool = "command_execution", .command = command});
}
Event printed(std::string_view id, std::string_view output, Outcome outcome = Outcome::ok) {
  return codex(ToolFinished{.id = id, .outcome = outcome, .output = output});
}
RunFacts failed(int exit_code) {
  RunFacts facts;
  facts.state = TaskState::failed;
  facts.exit_code = exit_code;
  facts.reason = "exit_nonzero";
  return facts;
}

TEST(ErrorText, IsReadRowByRow) {
  struct Row {
    const char* input;
    ErrorText expected;
  };
  for (const Row& row : std::vector<Row>{
           {"TypeError: Cannot read property 'name' of null\n    at get "
            "(src/crud/workspace.service.ts:42:15)",
            {"TypeError",
             "Cannot read property 'name' of null",
             {{"src/crud/workspace.service.ts", 42, 15}}}},
           {"src/main.cpp:7:3: error: expected ';'",
            {"", "expected ';'", {{"src/main.cpp", 7, 3}}}},
           {"Traceback …\n  File \"app.py\", line 7, in f\nValueError: bad",
            {"ValueError", "bad", {{"app.py", 7, std::nullopt}}}},
           {"Exception in thread \"main\" java.lang.NullPointerException: x\n\tat A.b(A.java:31)",
            {"NullPointerException", "x", {{"A.java", 31, std::nullopt}}}},
           {"error[E0382]: borrow of moved value\n --> src/f.rs:1:62",
            {"", "borrow of moved value", {{"src/f.rs", 1, 62}}}},
           {"f.cpp(12,5): error C2143: syntax", {"", "", {{"f.cpp", 12, 5}}}},
           {"panic: runtime error: index out of range\n\t/w/main.go:8 +0x1d",
            {"", "runtime error: index out of range", {{"/w/main.go", 8, std::nullopt}}}},
           {"listening on 127.0.0.1:8080", {}},
           {"12:30:05 done", {}},
           {"all good", {}}}) {
    EXPECT_EQ(read_error_text(row.input), row.expected) << row.input;
  }
}

TEST(FileText, IsReadRowByRow) {
  const auto files = read_git_output(
      "\tmodified:   src/api.ts\n\tnew file:   a b.txt\n\tdeleted:    old.c\n\trenamed:    a.c -> "
      "b.c\n");
  EXPECT_EQ(files, (FilesInText{{"src/api.ts"}, {"a b.txt", "b.c"}, {"a.c", "old.c"}, {}}));
  for (const char* nothing : {"Changes: modified: none", "modified: nothing", "added: (none)",
                              "modified: (none)", "modified: src"}) {
    EXPECT_EQ(read_git_output(nothing), FilesInText{}) << nothing;
  }
  EXPECT_EQ(read_git_output("modified: Makefile", [](const std::string&) { return true; }).modified,
            (std::set<std::string>{"Makefile"}));
  EXPECT_EQ(read_git_output(R"(modified: src/a.ts\nmodified: src/b.ts)").modified.size(), 1U);
  EXPECT_EQ(read_git_output(" 4 files changed, 145 insertions(+), 67 deletions(-)").lines_changed,
            212);
  EXPECT_EQ(read_git_output(" 1 file changed, 5 insertions(+)").lines_changed, 5);
  EXPECT_EQ(read_git_output(" 1 file changed, 3 deletions(-)").lines_changed, 3);
}

TEST(Metadata, TakesTestsFromTheLastCommandThatHadSome) {
  const auto metadata =
      metadata_of({ran("1", "npm test"), printed("1", "Tests:  1 failed, 1 total"),
                   ran("2", "npm test"), printed("2", "Tests:  2 passed, 2 total"), ran("3", "ls"),
                   printed("3", "a.txt"), says("Tests:  9 passed, 9 total")});
  ASSERT_TRUE(metadata.test_results);
  EXPECT_EQ(*metadata.test_results, (TestOutcome{2, 0, 0, {}}));
}

TEST(Metadata, MergesFilesOfEventsAndOfGit) {
  const FileChange changes[] = {{.path = "/w/a.ts", .action = FileAction::modified},
                                {.path = "/w/ignored.log", .action = FileAction::created}};
  RunFacts facts;
  facts.git = GitChanges{{{"a.ts", FileAction::created},
                          {"made-by-shell.txt", FileAction::created},
                          {"gone.txt", FileAction::deleted}},
                         12};
  const auto metadata = metadata_of({codex(SessionStarted{.session_id = "t", .cwd = "/w"}),
                                     codex(FilesChanged{.files = changes})},
                                    facts);
  EXPECT_EQ(metadata.file_operations,
            (FileOperations{{}, {"a.ts", "ignored.log", "made-by-shell.txt"}, {"gone.txt"}, 12}));
}

TEST(Metadata, AClaimThatNobodyConfirmsIsNotListed) {
  const FileChange claim[] = {{.path = "hello.txt", .action = FileAction::created}};
  const auto metadata = metadata_of(
      {says("Created hello.txt."), codex(FilesChanged{.files = claim, .claimed = true})});
  EXPECT_EQ(metadata.file_operations, FileOperations{});
}

TEST(Metadata, TextOfGitCountsOnlyWhereEventsAndGitKnowNothing) {
  const std::vector<Event> events = {ran("1", "git status"),
                                     printed("1", "\tmodified:   src/a.ts\n"),
                                     ran("2", "cat notes"), printed("2", "modified: src/other.ts")};
  EXPECT_EQ(metadata_of(events).file_operations.modified_files,
            (std::vector<std::string>{"src/a.ts"}));
  RunFacts facts;
  facts.git = GitChanges{};
  EXPECT_EQ(metadata_of(events, facts).file_operations, FileOperations{});
}

TEST(Metadata, KnowsTheShareOfCachedInput) {
  EXPECT_EQ(cache_hit_rate({.total_input = 12000, .cached_input = 11160}), 0.93);
  EXPECT_EQ(cache_hit_rate({.total_input = 11373, .cached_input = 11008}), 0.97);
  EXPECT_EQ(cache_hit_rate({}), std::nullopt);
}

TEST(Metadata, SaysWhereAFailureIsAndWhatToDo) {
  const auto metadata =
      metadata_of({on_stderr("TypeError: Cannot read property 'name' of null\n    at get "
                             "(src/crud/workspace.service.ts:42:15)\n")},
                  failed(1));
  ASSERT_TRUE(metadata.error_context);
  EXPECT_EQ(metadata.error_context->error_type, "TypeError");
  EXPECT_EQ(metadata.error_context->failed_files,
            (std::vector<std::string>{"src/crud/workspace.service.ts"}));
  EXPECT_EQ(metadata.error_context->suggestions,
            (std::vector<std::string>{"Start investigation at workspace.service.ts:42",
                                      "Check variable types and null/undefined values",
                                      "Review command output for specific error messages"}));
}

TEST(Metadata, WithoutAnEndingThatIsKnownThereIsNoErrorContext) {
  RunFacts facts;
  facts.state = TaskState::failed;
  EXPECT_EQ(metadata_of({on_stderr("TypeError: x")}, facts).error_context, std::nullopt);
}

TEST(Metadata, ATimeoutSaysWhichAndAfterWhat) {
  RunFacts facts;
  facts.state = TaskState::timeout;
  facts.reason = "idle";
  facts.limit = std::chrono::minutes(5);
  facts.duration = std::chrono::milliseconds(301'900);
  const auto metadata = metadata_of({}, facts);
  ASSERT_TRUE(metadata.error_context);
  EXPECT_EQ(metadata.error_context->error_message,
            "Task exceeded idle timeout (5 minutes with no output)");
  EXPECT_EQ(metadata.error_context->elapsed_seconds, 301);
  EXPECT_EQ(metadata.duration, 301);
  EXPECT_EQ(timeout_message("hard", std::chrono::seconds(90)),
            "Task exceeded hard timeout (90 seconds total)");
  EXPECT_EQ(timeout_message("idle", std::chrono::milliseconds(1500)),
            "Task exceeded idle timeout (1.5 seconds with no output)");
}

TEST(Metadata, SumsItselfUpInASentence) {
  RunFacts facts;
  facts.git = GitChanges{
      {{"a", FileAction::modified}, {"b", FileAction::modified}, {"c", FileAction::created}}, 3};
  EXPECT_EQ(summary_of({ran("1", "t"), printed("1", "Tests:  47 passed, 47 total")}, facts),
            "Modified 2 files, added 1 file; 47 tests passed");
  EXPECT_EQ(summary_of({ran("1", "t"), printed("1", "Tests:  1 failed, 3 passed, 4 total")}),
            "3 tests passed, 1 test failed");
  EXPECT_EQ(summary_of({says("All done.\nMore words.")}), "All done.");
  EXPECT_EQ(summary_of({says("\n## Done #1\n\nMore words.")}), "Done #1");
  EXPECT_EQ(summary_of({says("#1 is mended")}), "#1 is mended");
  EXPECT_EQ(summary_of({}), "Task completed successfully");
  // The first line of what a program printed, however much it was.
  std::vector<Event> lines(60'000, on_stdout("one line of many\n"));
  lines.front() = on_stdout("\n");
  lines[1] = on_stdout("the first line\n");
  EXPECT_EQ(summary_of(lines), "the first line");
  EXPECT_EQ(summary_of({on_stderr("TypeError: x\n at f (w.ts:4:1)")}, failed(1)),
            "Task failed: TypeError at w.ts:4");
  EXPECT_EQ(summary_of({on_stderr("fatal: no disk")}, failed(1)), "Task failed: no disk");
  RunFacts cancelled;
  cancelled.state = TaskState::cancelled;
  EXPECT_EQ(summary_of({}, cancelled), "Task cancelled");
  cancelled.cancel_reason = "changed my mind";
  EXPECT_EQ(summary_of({}, cancelled), "Task cancelled: changed my mind");
}

TEST(Progress, CountsTheToolsOfATurnAndNeverFalls) {
  ProgressFold fold;
  EXPECT_EQ(fold.progress(), std::nullopt);
  const auto after = [&](const Event& event) {
    fold.on_event(event);
    return *fold.progress();
  };
  EXPECT_EQ(after(codex(session("t"))), (Progress{0, 0, 1, ""}));
  EXPECT_EQ(after(codex(ToolStarted{.id = "1", .tool = "file_change", .file = "src/a.ts"})),
            (Progress{0, 0, 2, "Editing src/a.ts"}));
  EXPECT_EQ(after(printed("1", "")), (Progress{50, 1, 2, ""}));
  EXPECT_EQ(after(ran("2", "npm test")), (Progress{50, 1, 3, "Running: npm test"}));
  EXPECT_EQ(after(printed("2", "", Outcome::failed)), (Progress{67, 2, 3, ""}));
  EXPECT_EQ(after(codex(turn(true, ""))), (Progress{100, 3, 3, ""}));
}

TEST(Progress, BelievesTheAgentsOwnListFirst) {
  ProgressFold fold;
  fold.on_event(codex(Status{.steps = Steps{3, 4}}));
  fold.on_event(ran("1", "x"));
  EXPECT_EQ(fold.progress()->percent, 75);
  EXPECT_EQ(fold.progress()->total_steps, 4);
}

TEST(Progress, SaysWhatTheRunWaitsForAsLongAsItDoes) {
  ProgressFold fold;
  const auto after = [&](const Event& event) {
    fold.on_event(event);
    return fold.progress()->current_activity;
  };
  const auto asked = [](std::string_view id, QuestionState state) {
    return codex(Question{.id = id, .state = state, .header = "Storage", .text = "Where to?"});
  };
  const auto said = [](std::string_view words, std::string_view activity = {}) {
    return codex(Status{.message = json::Text(words), .activity = activity});
  };
  EXPECT_EQ(after(said("Writing tests")), "Writing tests");
  EXPECT_EQ(after(asked("1", QuestionState::open)), "Waiting for an answer: Storage");
  EXPECT_EQ(after(said("still here")), "Waiting for an answer: Storage");
  EXPECT_EQ(after(asked("2", QuestionState::open)), "Waiting for an answer: Storage");
  EXPECT_EQ(after(asked("1", QuestionState::answered)), "Waiting for an answer: Storage");
  EXPECT_EQ(after(asked("2", QuestionState::withdrawn)), "still here");
  EXPECT_EQ(after(said("until noon", "waiting_limit")), "until noon");
  EXPECT_EQ(after(ran("1", "npm test")), "still here");
}

TEST(OutputPolicy, IncludesByStateAndByWhatIsAsked) {
  for (const TaskState state : {TaskState::failed, TaskState::timeout}) {
    EXPECT_TRUE(includes_output(state, std::nullopt));
    EXPECT_TRUE(includes_output(state, false));
  }
  for (const TaskState state :
       {TaskState::completed, TaskState::cancelled, TaskState::working, TaskState::queued}) {
    EXPECT_FALSE(includes_output(state, std::nullopt));
    EXPECT_FALSE(includes_output(state, false));
    EXPECT_TRUE(includes_output(state, true));
  }
}

TEST(OutputPolicy, CutsByTheRuleRowByRow) {
  struct Row {
    std::size_t out, err, limit, kept_out, kept_err;
    bool truncated;
  };
  for (const Row& row : std::vector<Row>{{250000, 0, 65536, 65536, 0, true},
                                         {100000, 100000, 65536, 32768, 32768, true},
                                         {60000, 10000, 65536, 55536, 10000, true},
                                         {10000, 60000, 65536, 10000, 55536, true},
                                         {100, 0, 10, 10, 0, true},
                                         {40000, 20000, 65536, 40000, 20000, false}}) {
    const auto cut = cut_output(std::string(row.out, 'o'), std::string(row.err, 'e'), row.limit);
    EXPECT_EQ(cut.stdout_text.size(), row.kept_out);
    EXPECT_EQ(cut.stderr_text.size(), row.kept_err);
    EXPECT_EQ(cut.truncated, row.truncated);
    EXPECT_EQ(cut.original_size, row.out + row.err);
  }
}

TEST(OutputPolicy, NeverCutsACodePoint) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "é";
  std::string half;
  for (int i = 0; i < 251; ++i) half += "é";
  EXPECT_EQ(cut_output(text, "", 1025).stdout_text, half + "\n... [truncated] ...\n" + half);
}

}  // namespace
}  // namespace dragoman::test
