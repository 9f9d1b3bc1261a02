// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/run/make_events.hpp"

namespace dragoman::test {
namespace {

using ::testing::Contains;

const ProcessEnd kUnknown{};
ProcessEnd exits(int code) { return {.exit_code = code}; }
ProcessEnd dies_of(int signal) { return {.signal = signal}; }
ProcessEnd ended_by(EndedBy by) { return {.exit_code = 143, .ended_by = by}; }

struct Row {
  std::string_view name;
  std::vector<Event> events;
  ProcessEnd end;
  VerdictKind kind;
  int exit_code;
  int rule;
  std::string_view reason;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

Failure failure(std::string_view reason) { return {.code = "x", .reason = reason}; }
Question question(QuestionState state) { return {.id = "q-1", .state = state, .text = "Which?"}; }
Failure error(Recoverable recoverable) { return {.code = "E", .recoverable = recoverable}; }

std::vector<Row> table() {
  using K = VerdictKind;
  const Event good = claude(turn(true, "success"));
  const Event bad = claude(turn(false, "error_during_execution"));
  return {
      // The rows of the specification.
      {"ClaudeResultSuccessExit0", {good}, exits(0), K::completed, 0, 6, "terminal_event"},
      {"ClaudeSuccessThatIsAnError529",
       {claude(failure("overloaded")), claude(turn(false, "success"))},
       exits(1),
       K::failed,
       1,
       3,
       "overloaded"},
      {"ClaudeInterruptedThenGood", {bad, good}, exits(0), K::completed, 0, 6, "result_ok"},
      {"ClaudeQuestionThenSuccess",
       {carried(question(QuestionState::open)), good},
       exits(0),
       K::question,
       4,
       5,
       "question"},
      {"ClaudeTerminatedWithoutResult",
       {claude(session("s"))},
       exits(143),
       K::failed,
       143,
       3,
       "signal"},
      {"ClaudeExit0WithoutResult",
       {claude(session("s"))},
       exits(0),
       K::incomplete,
       1,
       7,
       "no_terminal_event"},
      {"CodexTurnFailedAfterReconnecting",
       {codex(RateLimited{.status = "reconnecting"}), codex(turn(false, "turn.failed"))},
       exits(1),
       K::failed,
       1,
       3,
       "turn_failed"},
      {"CodexReconnectingThenCompleted",
       {codex(RateLimited{.status = "reconnecting"}), codex(turn(true, "turn.completed"))},
       exits(0),
       K::completed,
       0,
       6,
       "turn_ok"},
      {"ExecutorBlockedThenComplete",
       {markers(Blocked{.reason = "no url"}), markers(claim("codex_complete"))},
       exits(0),
       K::blocked,
       5,
       4,
       "blocked"},
      {"ExecutorCompleteExit1",
       {markers(claim("codex_complete"))},
       exits(1),
       K::failed,
       1,
       3,
       "exit_nonzero"},
      {"TextThatSpeaksOfAnExitCodeMeansNothing",
       {from(Dialect::text, DisplayText{.text = {"Exit Code: 5"}})},
       exits(0),
       K::completed,
       0,
       6,
       "exit_zero"},
      // How we ended it comes first.
      {"TimeoutOutweighsAGoodResult",
       {good},
       ended_by(EndedBy::timeout),
       K::timeout,
       124,
       1,
       "timeout"},
      {"CancelOutweighsAnError",
       {bad},
       ended_by(EndedBy::cancel),
       K::cancelled,
       130,
       2,
       "cancelled"},
      {"EndedAfterAGoodResultIgnoresTheExit",
       {good},
       ended_by(EndedBy::after_result),
       K::completed,
       0,
       6,
       "ended_after_result"},
      {"EndedAfterABadResultStillFails",
       {bad},
       ended_by(EndedBy::after_result),
       K::failed,
       1,
       3,
       "result_error"},
      // Rule 3.
      {"ASignalGives128PlusN", {good}, dies_of(9), K::failed, 137, 3, "signal"},
      {"Exit0AfterSigintIsStillAnError", {bad}, exits(0), K::failed, 1, 3, "result_error"},
      {"AUsageLimitGives75",
       {codex(failure("usage_limit")), codex(turn(false, "turn.failed"))},
       exits(1),
       K::failed,
       75,
       3,
       "usage_limit"},
      {"ARateLimitGives75",
       {claude(failure("rate_limit")), claude(turn(false, "success"))},
       exits(1),
       K::failed,
       75,
       3,
       "rate_limit"},
      {"AUsedUpQuotaGives75", {claude(failure("quota")), bad}, exits(1), K::failed, 75, 3, "quota"},
      {"AnEarlierRateLimitDoesNot",
       {claude(failure("rate_limit")), claude(turn(false, "success")), good},
       exits(2),
       K::failed,
       1,
       3,
       "exit_nonzero"},
      {"ExecutorExit3WithBlockedFails",
       {markers(Blocked{.reason = "no url"})},
       exits(3),
       K::failed,
       1,
       3,
       "blocked"},
      {"AReasonCalledTimeoutIsNotOurTimeout",
       {claude(failure("timeout")), bad},
       exits(1),
       K::failed,
       1,
       3,
       "timeout"},
      {"AReasonCalledSignalIsNoSignal",
       {codex(turn(true, "t")), codex(failure("signal"))},
       exits(0),
       K::completed,
       0,
       6,
       "signal"},
      {"AnEnvelopeKnowsThatItsTaskTookTooLong",
       {from(Dialect::delegator, turn(false, "timeout"))},
       {},
       K::timeout,
       124,
       1,
       "timeout"},
      {"AnEnvelopeKnowsThatItsTaskWasCancelled",
       {from(Dialect::delegator, turn(false, "cancelled"))},
       {},
       K::cancelled,
       130,
       2,
       "cancelled"},
      {"AnEnvelopeWhoseTaskIsBlockedIsBlocked",
       {from(Dialect::delegator,
             Question{.id = "q", .kind = QuestionKind::blocked, .text = "no url"})},
       {},
       K::blocked,
       5,
       4,
       "blocked"},
      // Rules 4 and 5.
      {"AResumedBlockIsNone",
       {codex(session("t")), codex(Blocked{.reason = "no url"}), codex(session("t")),
        codex(turn(true, "t"))},
       exits(0),
       K::completed,
       0,
       6,
       "turn_ok"},
      {"ASessionThatIsNamedLateHasNotBeenResumed",
       {claude(Blocked{.reason = "no url"}), claude(session("s")), good},
       exits(0),
       K::blocked,
       5,
       4,
       "blocked"},
      {"AnUnansweredQuestionIsPending",
       {claude(question(QuestionState::unanswered)), good},
       exits(0),
       K::question,
       4,
       5,
       "question"},
      {"AnAnsweredQuestionIsNot",
       {claude(question(QuestionState::open)), claude(question(QuestionState::answered)), good},
       exits(0),
       K::completed,
       0,
       6,
       "result_ok"},
      {"AWithdrawnQuestionIsNot",
       {claude(question(QuestionState::withdrawn)), good},
       exits(0),
       K::completed,
       0,
       6,
       "result_ok"},
      // Rule 6, dialect by dialect.
      {"MarkersClaimExit0",
       {markers(claim("codex_complete"))},
       exits(0),
       K::completed,
       0,
       6,
       "completion_claimed"},
      {"MarkersWithoutClaimExit0",
       {markers(status("in_progress"))},
       exits(0),
       K::incomplete,
       1,
       7,
       "no_terminal_event"},
      {"AGluedClosingMarkerIsNoClaim",
       {markers(Diagnostic{.rule = "glued_marker", .level = Level::info})},
       exits(0),
       K::incomplete,
       1,
       7,
       "no_terminal_event"},
      {"WxcodeStatusCompletedExit0",
       {wxcode(status("completed"))},
       exits(0),
       K::completed,
       0,
       6,
       "status_completed"},
      {"WxcodeCompletedThenInProgress",
       {wxcode(status("completed")), wxcode(status("in_progress"))},
       exits(0),
       K::incomplete,
       1,
       7,
       "no_terminal_event"},
      {"WxcodeFinishedExit0",
       {wxcode(status("in_progress")), from(Dialect::question, claim("finished"))},
       exits(0),
       K::completed,
       0,
       6,
       "completion_claimed"},
      {"NoStatusAtAllExit0",
       {wxcode(CommandStarted{.command = "help"})},
       exits(0),
       K::completed,
       0,
       6,
       "terminal_event"},
      {"NothingAtAllExit0", {}, exits(0), K::completed, 0, 6, "exit_zero"},
      // A file has no exit code.
      {"AFileWithAStructuredEnd", {good}, kUnknown, K::completed, 0, 6, "exit_unknown"},
      {"AFileWithAClaim",
       {markers(claim("codex_complete"))},
       kUnknown,
       K::incomplete,
       1,
       7,
       "exit_unknown"},
      {"AFileWithStatusCompleted",
       {wxcode(status("completed"))},
       kUnknown,
       K::incomplete,
       1,
       7,
       "exit_unknown"},
      {"AnEmptyFile", {}, kUnknown, K::incomplete, 1, 7, "exit_unknown"},
      // What the agent reports about itself.
      {"ReportedFailureWithAGoodEnd",
       {carried(status("failed")), good},
       exits(0),
       K::completed,
       0,
       6,
       "reported_failure"},
      {"ReportedFailureWithoutOne",
       {wxcode(status("failed"))},
       exits(0),
       K::incomplete,
       1,
       7,
       "reported_failure"},
      {"ANonRecoverableErrorWithAGoodEnd",
       {carried(error(Recoverable::false_)), good},
       exits(0),
       K::completed,
       0,
       6,
       "reported_failure"},
      {"PausedIsIncomplete",
       {carried(status("paused")), good},
       exits(0),
       K::incomplete,
       1,
       7,
       "paused"},
      // Loose ends are told.
      {"ATruncatedTailIsAFact",
       {claude(Malformed{.reason = "truncated_tail"})},
       exits(0),
       K::incomplete,
       1,
       7,
       "truncated_tail"},
      {"ADanglingToolIsAFact",
       {claude(ToolStarted{.id = "t1", .tool = "Bash"}), good},
       exits(0),
       K::completed,
       0,
       6,
       "dangling_tools"},
  };
}

class VerdictTable : public ::testing::TestWithParam<Row> {};

TEST_P(VerdictTable, IsDecided) {
  const Row& row = GetParam();
  const Verdict verdict = judge(fold(row.events), row.end);
  EXPECT_EQ(name(verdict.kind), name(row.kind));
  EXPECT_EQ(verdict.exit_code, row.exit_code);
  EXPECT_EQ(verdict.rule, row.rule);
  EXPECT_THAT(verdict.reasons(), Contains(row.reason)) << explain(verdict);
}

INSTANTIATE_TEST_SUITE_P(Rows, VerdictTable, ::testing::ValuesIn(table()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Verdict, WarnsOfAReportedFailureOnlyWhenItIsCompleted) {
  const std::vector<Event> failed = {carried(status("failed")), claude(turn(true, "success"))};
  EXPECT_EQ(judge(fold(failed), exits(0)).warnings, std::vector<std::string>{"reported_failure"});
  EXPECT_EQ(judge(fold(failed), exits(1)).warnings, std::vector<std::string>{});
}

TEST(Verdict, SaysThatProcessesCouldNotBeEnded) {
  ProcessEnd end = exits(0);
  end.survivors = 2;
  const Verdict verdict = judge(fold({claude(turn(true, "success"))}), end);
  EXPECT_EQ(verdict.kind, VerdictKind::completed);
  EXPECT_EQ(verdict.warnings, std::vector<std::string>{"survivors"});
  EXPECT_THAT(explain(verdict), ::testing::HasSubstr("processes that could not be ended: 2"));
}

TEST(Verdict, ARecoverableErrorIsNoReportedFailure) {
  const Verdict verdict =
      judge(fold({carried(error(Recoverable::true_)), claude(turn(true, "success"))}), exits(0));
  EXPECT_FALSE(verdict.has("reported_failure"));
}

TEST(Verdict, AKnownMarkersRunNeedsItsMarker) {
  RunFold run(Dialect::markers);
  EXPECT_EQ(judge(run.summary(), exits(0)).kind, VerdictKind::incomplete);
}

TEST(Verdict, ListsEveryFactNotOnlyTheDecidingOne) {
  const Verdict verdict =
      judge(fold({markers(Blocked{.reason = "no url"}), markers(claim("codex_complete"))}),
            {.exit_code = 3});
  EXPECT_EQ(verdict.reasons(), (std::vector<std::string>{"exit_nonzero", "blocked",
                                                         "completion_claimed", "terminal_event"}));
}

TEST(Verdict, AnAgentsWordsCannotDisturbTheExplanation) {
  const Verdict verdict =
      judge(fold({markers(Blocked{.reason = "a\nrule 6\x1b[2J\u202e\xff"})}), exits(0));
  EXPECT_NE(explain(verdict).find("blocked: a rule 6 [2J \uFFFD\n"), std::string::npos)
      << explain(verdict);
}

TEST(Verdict, NamesTheConditionThatReallyHeld) {
  const Event good = claude(turn(true, "success"));
  const auto condition = [](const std::vector<Event>& events, const ProcessEnd& end) {
    return condition_of(judge(fold(events), end));
  };
  EXPECT_EQ(condition({good}, exits(0)), "exit code 0 and a positive terminal event");
  EXPECT_EQ(condition({good}, kUnknown),
            "a positive terminal event of a structured stream, which needs no exit code");
  EXPECT_EQ(condition({good}, ended_by(EndedBy::after_result)),
            "a positive terminal event, after which we ended it");
  EXPECT_EQ(condition({}, exits(0)), "exit code 0, and it never reported a status");
  EXPECT_EQ(condition({carried(status("paused")), good}, exits(0)), "its last STATUS is paused");
  EXPECT_EQ(condition({claude(session("s"))}, exits(0)), "there is no positive terminal event");
  EXPECT_EQ(condition({wxcode(status("completed"))}, kUnknown),
            "what the agent itself claims needs exit code 0, and no exit code is known");
}

TEST(Verdict, NamesWhatMadeItFail) {
  const Event bad = claude(turn(false, "error_during_execution"));
  const auto condition = [](const std::vector<Event>& events, const ProcessEnd& end) {
    return condition_of(judge(fold(events), end));
  };
  EXPECT_EQ(condition({bad}, dies_of(9)), "ended by a signal");
  EXPECT_EQ(condition({bad}, exits(3)), "its exit code is not 0");
  EXPECT_EQ(condition({bad}, kUnknown), "its last result is an error");
  EXPECT_EQ(condition({codex(turn(false, "failed"))}, kUnknown), "its last turn is an error");
}

TEST(Verdict, SaysWhyInTheWordsThatCameWithTheFailure) {
  const std::string explained =
      explain(judge(fold({claude(Failure{.code = "x",
                                         .message = std::string_view("nobody\nknows"),
                                         .reason = "agent_error"}),
                          claude(Failure{.code = "api_error",
                                         .message = std::string_view("API Error: 529 Overloaded"),
                                         .reason = "overloaded"}),
                          claude(TurnFinished{
                              .ok = false, .subtype = "success", .terminal_reason = "api_error"})}),
                    kUnknown));
  EXPECT_NE(explained.find("the last result is an error (api_error)\n"), std::string::npos);
  EXPECT_NE(
      explained.find("overloaded         why the last turn failed: API Error: 529 Overloaded\n"),
      std::string::npos)
      << explained;
  EXPECT_EQ(explained.find("agent_error"), std::string::npos) << explained;
}

TEST(Verdict, IsExplainedWithTheRuleAndTheFacts) {
  EXPECT_EQ(explain(judge(fold({claude(turn(true, "success"))}), {})),
            "completed (exit code 0)\n"
            "rule 6: a positive terminal event of a structured stream, which needs no exit code\n"
            "  exit_unknown       no exit code is known\n"
            "  result_ok          the last result is good (success)\n"
            "  terminal_event     there is a positive terminal event\n");
}

}  // namespace
}  // namespace dragoman::test
