// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/fold.hpp"

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"
#include "dragoman/event/keep.hpp"
#include "tests/run/make_events.hpp"

namespace dragoman::test {
namespace {

Event background(std::string_view activity, std::string_view task, std::string_view word = {}) {
  return claude(Status{.status = word, .task = task, .activity = activity});
}

TEST(RunFold, TheLastSessionIdWins) {
  EXPECT_EQ(fold({claude(session("a")), claude(session("b"))}).session_id, "b");
}

TEST(RunFold, KnowsTheCarryingDialect) {
  EXPECT_EQ(fold({carried(status("completed"))}).dialect, Dialect::claude);
  EXPECT_EQ(fold({markers(status("in_progress"))}).dialect, Dialect::markers);
  EXPECT_EQ(fold({markers(status("in_progress")), wxcode(status("completed"))}).dialect,
            Dialect::wxcode);
  EXPECT_EQ(fold({from(Dialect::text, DisplayText{})}).dialect, Dialect::text);
}

TEST(RunFold, TheLastStatusIsTheCurrentOneAndActivityIsNone) {
  const RunSummary run = fold({wxcode(Status{.status = "completed", .message = {"done"}}),
                               wxcode(Status{.status = "in_progress",
                                             .message = {"again"},
                                             .progress = Number::of(std::int64_t{25})}),
                               background("compacting", {}, "completed")});
  EXPECT_EQ(run.status, (CurrentStatus{"in_progress", "again", 25.0, std::nullopt, "", ""}));
}

TEST(RunFold, ToolsStayOpenUntilTheyFinish) {
  const RunSummary run = fold({claude(ToolStarted{.id = "1", .tool = "Bash"}),
                               claude(ToolStarted{.id = "2", .tool = "Read"}),
                               claude(ToolStarted{.id = "3", .tool = "Edit"}),
                               claude(ToolFinished{.id = "1", .outcome = Outcome::denied}),
                               claude(ToolFinished{.id = "3", .outcome = Outcome::ok}),
                               claude(ToolFinished{.id = "9", .outcome = Outcome::failed})});
  EXPECT_EQ(run.open_tools, (std::vector<OpenTool>{{"2", "Read", ""}}));
  EXPECT_EQ(run.tools, (ToolCounts{.started = 3, .ok = 1, .failed = 1, .denied = 1}));
}

TEST(RunFold, TellsClaimedFilesFromObservedOnes) {
  const std::vector<FileChange> observed = {{"/w/src/a.ts", FileAction::created, {}, {}},
                                            {"/w/src/a.ts", FileAction::modified, {}, {}},
                                            {"/etc/hosts", FileAction::modified, {}, {}}};
  const std::vector<FileChange> claimed = {{"src/a.ts", FileAction::deleted, {}, "gone"},
                                           {"b.ts", FileAction::renamed, "c.ts", {}}};
  SessionStarted start = session("s");
  start.cwd = "/w";
  const RunSummary run = fold({claude(start), claude(FilesChanged{.files = observed}),
                               carried(FilesChanged{.files = claimed, .claimed = true})});
  EXPECT_EQ(run.files,
            (std::vector<ChangedFile>{{"src/a.ts", FileAction::created, "", "gone", true, true},
                                      {"/etc/hosts", FileAction::modified, "", "", false, true},
                                      {"b.ts", FileAction::renamed, "c.ts", "", true, false}}));
}

TEST(RunFold, WhatGitHasSeenIsObserved) {
  const std::vector<FileChange> observed = {{"/w/made.ts", FileAction::created, {}, {}}};
  const std::vector<FileChange> claimed = {{"said.ts", FileAction::created, {}, "by the agent"}};
  RunFold fold(Dialect::codex);
  fold.know_directory("/w");
  fold.on_event(claude(FilesChanged{.files = observed}));
  fold.on_event(carried(FilesChanged{.files = claimed, .claimed = true}));
  fold.see_changes({{{"made.ts", FileAction::modified},
                     {"quiet.ts", FileAction::deleted},
                     {"said.ts", FileAction::modified}},
                    std::nullopt});
  EXPECT_EQ(
      fold.summary().files,
      (std::vector<ChangedFile>{{"made.ts", FileAction::created, "", "", false, true},
                                {"said.ts", FileAction::modified, "", "by the agent", true, true},
                                {"quiet.ts", FileAction::deleted, "", "", false, true}}));
}

TEST(RunFold, AQuestionIsKnownByItsId) {
  const std::vector<Option> options = {{"JWT", {}}, {"Session", {}}};
  const Question asked{.id = "q", .header = "Auth", .text = "Which?", .options = options};
  const Question answered{.id = "q", .state = QuestionState::answered, .answer = "JWT"};
  EXPECT_EQ(fold({claude(asked), claude(answered)}).questions,
            (std::vector<AskedQuestion>{{"q",
                                         QuestionKind::question,
                                         QuestionState::answered,
                                         "Auth",
                                         "Which?",
                                         {"JWT", "Session"},
                                         true,
                                         "JWT"}}));
}

TEST(RunFold, ASecretAnswerIsNotKept) {
  const Question answered{
      .id = "q", .state = QuestionState::answered, .text = "Key?", .secret = true, .answer = "x"};
  EXPECT_EQ(fold({claude(answered)}).questions[0].answer, "");
}

TEST(RunFold, AnAnsweredBlockIsResumed) {
  const Question answer{
      .id = "q", .kind = QuestionKind::blocked, .state = QuestionState::answered, .text = "no url"};
  EXPECT_TRUE(fold({markers(Blocked{.reason = "no url"}), markers(answer)}).blocked[0].resumed);
}

TEST(RunFold, ABlockThatComesAgainHasGrown) {
  const std::vector<std::string_view> context = {"not in .env"};
  const auto at = [](std::uint64_t offset, std::uint64_t length, const Blocked& blocked) {
    Event event = markers(blocked);
    event.origin.offset = offset;
    event.origin.length = length;
    return event;
  };
  EXPECT_EQ(
      fold({at(4, 10, {"no url", {}}), at(4, 22, {"no url", context}), at(30, 10, {"no key", {}})})
          .blocked,
      (std::vector<BlockedNote>{{"no url", {"not in .env"}, false}, {"no key", {}, false}}));
}

TEST(RunFold, BackgroundTasksAreInFlightUntilTheyEnd) {
  EXPECT_EQ(fold({background("task_started", "a"), background("task_started", "b"),
                  background("task_started", "c"), background("task_progress", "a"),
                  background("task_updated", "a", "running"),
                  background("task_updated", "b", "completed"),
                  background("task_notification", "c", "failed")})
                .in_flight,
            std::vector<std::string>{"a"});
}

TEST(RunFold, AnEmptyListOfBackgroundTasksEndsThemAll) {
  const std::vector<Extra> none = {{"tasks", Raw{"[]"}}};
  const std::vector<Extra> one = {{"tasks", Raw{R"([{"task_id":"a"}])"}}};
  Event changed = background("background_tasks_changed", {});
  changed.extra = one;
  EXPECT_EQ(fold({background("task_started", "a"), changed}).in_flight,
            std::vector<std::string>{"a"});
  changed.extra = none;
  EXPECT_EQ(fold({background("task_started", "a"), changed}).in_flight, std::vector<std::string>{});
}

TEST(RunFold, AListOfBackgroundTasksIsWhatIsInFlight) {
  const std::vector<Extra> two = {{"tasks", Raw{R"([{"task_id":"b"},{"task_id":"c\u0021"}])"}}};
  Event changed = background("background_tasks_changed", {});
  changed.extra = two;
  EXPECT_EQ(
      fold({background("task_started", "a"), background("task_started", "b"), changed}).in_flight,
      (std::vector<std::string>{"b", "c!"}));
  const std::vector<Extra> nameless = {{"tasks", Raw{R"([{"description":"x"},7])"}}};
  changed.extra = nameless;
  EXPECT_EQ(fold({background("task_started", "a"), changed}).in_flight,
            std::vector<std::string>{"a"});
}

TEST(RunFold, AStatusThatNobodyKnowsLeavesTheLastOneThatIsKnown) {
  EXPECT_EQ(fold({wxcode(status("completed")), wxcode(status("almost"))}).status->status,
            "completed");
  EXPECT_EQ(fold({wxcode(status("almost")), wxcode(status("paused"))}).status->status, "paused");
  // Unknown is no success, but it is not nothing either.
  EXPECT_EQ(fold({wxcode(status("almost"))}).status->status, "almost");
}

TEST(RunFold, TurnsAreAddedAndTheLastIsKept) {
  TurnFinished first = turn(false, "error_during_execution");
  first.num_turns = 2;
  first.duration_ms = Number::of(std::int64_t{40});
  TurnFinished second = turn(true, "success");
  second.num_turns = 3;
  second.duration_ms = Number::of(std::int64_t{2});
  second.text = {"a \\\"b\\\"", true};
  EXPECT_EQ(fold({claude(Failure{.reason = "interrupted"}), claude(first), claude(second)}).turns,
            (Turns{2, 1, 5, 42.0, FinishedTurn{true, "success", "", "a \"b\"", {}}}));
}

TEST(RunFold, AFailureBelongsToTheTurnThatItIsToldWith) {
  Event result = claude(turn(false, "success"));
  result.origin.offset = 100;
  Event after = claude(Failure{.code = "529"});
  after.origin.offset = 100;
  EXPECT_EQ(fold({result, after}).turns.last->reasons, std::vector<std::string>{"overloaded"});
  after.origin.offset = 200;
  EXPECT_EQ(fold({result, after}).open_reasons, std::vector<std::string>{"overloaded"});
}

TEST(RunFold, LongListsAndTextsAreBounded) {
  const std::string text(RunSummary::kKeptText * 2, 'x');
  RunFold run;
  for (std::size_t i = 0; i < RunSummary::kKeptItems + 5; ++i) run.on_event(markers(claim(text)));
  EXPECT_EQ(run.summary().claims.size(), RunSummary::kKeptItems);
  EXPECT_EQ(run.summary().claims[0].by.size(), RunSummary::kKeptText);
  EXPECT_EQ(run.summary().left_out, 5u);
}

// The law: a fold of what was written down equals the fold of what was seen.
TEST(RunFold, TheSameEventsGiveTheSameSummaryFromAFile) {
  const std::vector<FileChange> files = {{"a.ts", FileAction::created, {}, {}}};
  const std::vector<Event> live = {
      claude(session("s")),
      claude(ToolStarted{.id = "1", .tool = "Bash", .description = "x"}),
      carried(Status{.status = "in_progress", .message = {"line\\n", true}}),
      claude(FilesChanged{.files = files}),
      carried(Question{.id = "q", .text = "Which?"}),
      claude(Failure{.code = "529", .message = {"API Error"}, .reason = "overloaded"}),
      claude(Usage{.input_tokens = 84, .output_tokens = 130, .cost_usd = 0.0040972, .final = true}),
      claude(turn(false, "success")),
  };
  RunFold from_file;
  for (const Event& event : live) {
    Arena arena;
    const std::string line = to_json(event);
    const Result<Event> read = read_event(line, arena);
    ASSERT_TRUE(read) << read.error().message;
    from_file.on_event(*read);
  }
  EXPECT_EQ(from_file.summary(), fold(live));
}

}  // namespace
}  // namespace dragoman::test
