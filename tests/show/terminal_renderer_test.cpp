// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/terminal_renderer.hpp"

#include <gtest/gtest.h>

namespace dragoman::show {
namespace {

Event said(std::string_view words, std::int64_t block, std::string_view parent = {}) {
  Event event;
  event.payload = DisplayText{{words}, block};
  event.origin.dialect = Dialect::claude;
  event.origin.channel =
      parent.data() == nullptr ? Channel::assistant_text : Channel::subagent_text;
  event.origin.at = 0;
  event.origin.parent = parent;
  return event;
}

Event fragment(std::string_view words, std::int64_t block) {
  Event event = said(words, block);
  event.origin.channel = Channel::partial;
  event.partial = true;
  return event;
}

Event printed(std::string_view words) {
  Event event;
  event.payload = DisplayText{{words}, std::nullopt};
  return event;
}

Event of(Payload payload, std::string_view parent = {}, Dialect dialect = Dialect::claude) {
  Event event;
  event.payload = payload;
  event.origin.dialect = dialect;
  event.origin.parent = parent;
  return event;
}

std::string shown(const std::vector<Event>& events, RenderOptions options = {}) {
  std::string out;
  TerminalRenderer renderer(options);
  renderer.begin(0, {}, out);
  for (const Event& event : events) renderer.event(0, event, out);
  renderer.end(0, out);
  renderer.finish(out);
  return out;
}

TEST(TerminalRenderer, AToolThatSucceedsIsOneLine) {
  EXPECT_EQ(shown({of(ToolStarted{.id = "1", .tool = "Bash", .command = {"ls"}}),
                   of(ToolFinished{.id = "1", .output = {"a\nb\n"}})}),
            "\u2713 $ ls \u2192 a \u2026\n");
}

TEST(TerminalRenderer, AnErrorIsNeverCollapsed) {
  EXPECT_EQ(shown({of(ToolStarted{.id = "1", .tool = "Bash", .command = {"make"}}),
                   of(ToolFinished{.id = "1",
                                   .outcome = Outcome::failed,
                                   .error = {"one\ntwo\nthree"},
                                   .exit_code = 2})}),
            "\u2717 $ make (exit 2)\n  \u2192 one\n    two\n    three\n");
}

TEST(TerminalRenderer, AWarningIsOneLineAndAnErrorIsToldToItsEnd) {
  const std::string_view why = "no output for 2 s; the limit is 2 s, it is ended: sh (pid 7)";
  const RenderOptions narrow{.width = 40};
  EXPECT_EQ(shown({of(Diagnostic{"watchdog", Level::warning, why})}, narrow),
            "\u00B7 watchdog: no output for 2 s; the limi\u2026\n");
  EXPECT_EQ(shown({of(Diagnostic{"watchdog", Level::error, why})}, narrow),
            "\u00B7 watchdog: no output for 2 s; the limit\nis 2 s, it is ended: sh (pid 7)\n");
}

TEST(TerminalRenderer, ABlockThatIsAskedHasOneCard) {
  Question asked{.id = "q", .kind = QuestionKind::blocked, .text = "no url"};
  const std::string told = shown({of(Blocked{.reason = "no url"})});
  EXPECT_EQ(shown({of(Blocked{.reason = "no url"}), of(asked)}), told);
  asked.text = "no key";
  EXPECT_NE(shown({of(Blocked{.reason = "no url"}), of(asked)}), told);
}

// Codex says "Reconnecting" whatever the reason is.
TEST(TerminalRenderer, ARetryIsCalledALimitOnlyWhenItIsOne) {
  RateLimited retry{.status = "retrying", .limit = "auth_required", .attempt = 1};
  EXPECT_EQ(shown({of(retry)}), "\u25F7 retrying \u00B7 auth required \u00B7 attempt 1\n");
  retry.limit = "overloaded";
  EXPECT_EQ(shown({of(retry)}), "\u25F7 overloaded \u00B7 attempt 1: retrying\n");
  retry.limit = "agent_error";  // any other status of the service
  EXPECT_EQ(shown({of(retry)}), "\u25F7 retrying \u00B7 agent error \u00B7 attempt 1\n");
  retry.limit = "rate_limited";
  EXPECT_EQ(shown({of(retry)}),
            "\u25F7 rate limited \u00B7 rate limited \u00B7 attempt 1: retrying\n");
}

TEST(TerminalRenderer, FragmentsAreNotShownTwice) {
  const std::vector<Event> whole = {said("First one.\n\nSecond one.\n\nThird.", 0)};
  const std::vector<Event> live = {fragment("First o", 0), fragment("ne.\n\nSecond", 0),
                                   fragment(" one.\n\nThi", 0), whole[0]};
  EXPECT_EQ(shown(live), shown(whole));
}

TEST(TerminalRenderer, AParagraphIsShownAsSoonAsItIsComplete) {
  std::string out;
  TerminalRenderer renderer({});
  renderer.begin(0, {}, out);
  renderer.event(0, fragment("First one.\n\nSec", 0), out);
  EXPECT_EQ(out, "First one.\n");
}

TEST(TerminalRenderer, AMessageThatBeganAnewIsShownWhole) {
  const std::string out = shown({fragment("Old words.\n\nMore", 0), said("New words.", 0)});
  EXPECT_EQ(out, "Old words.\n\nNew words.\n");
}

TEST(TerminalRenderer, HowTextIsCutDoesNotMatter) {
  const std::string text =
      "# Title\n\nA *para*graph\nof two lines.\n\n- one\n- two\n\n  more\n\n```c\nint "
      "x;\n```\nEnd.";
  std::vector<Event> pieces;
  Event marker = of(CommandStarted{.title = "T"}, {}, Dialect::wxcode);
  const std::string whole = shown({marker, printed(text)});
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(shown({marker, printed(std::string_view(text).substr(0, cut)),
                     printed(std::string_view(text).substr(cut))}),
              whole)
        << cut;
  }
}

TEST(TerminalRenderer, TextWithoutMarkersComesOutAsItIs) {
  const std::string text = "# no heading\n  * kept *  as <it> is\n\n\n\ttab\n1) x\n";
  std::string expected = text;
  expected.replace(expected.find('\t'), 1, "    ");
  EXPECT_EQ(shown({printed(text)}, {.wrap_plain_text = false}), expected);
}

// Text comes in pieces, and a line of a program may be many of them.
TEST(TerminalRenderer, ALongLineOfAProgramStaysOneLine) {
  const std::string piece(16 * 1024, 'x');
  std::vector<Event> events(100, printed(piece));
  events.push_back(printed("\n"));
  const std::string out = shown(events, {.wrap_plain_text = false});
  EXPECT_EQ(out.size(), 100 * piece.size() + 1);
  EXPECT_EQ(out.find('\n'), out.size() - 1);
}

TEST(TerminalRenderer, TheCarriageReturnOfALineEndIsNotShown) {
  EXPECT_EQ(shown({printed("one\r\ntwo\r\n"), printed("thr"), printed("ee\r\n")}),
            "one\ntwo\nthree\n");
}

TEST(TerminalRenderer, TheLineThatRepeatsAMarkerIsLeftOut) {
  const Event status = of(Status{.status = "completed", .message = {"Done"}}, {}, Dialect::wxcode);
  EXPECT_EQ(shown({status, printed("\n\n\u2705 Done\n\nAnd more.\n")}),
            "\u2713 Done\n\nAnd more.\n");
  EXPECT_EQ(shown({status, printed("\n\n\u2705 Done, mostly\n")}),
            "\u2713 Done\n\n\u2705 Done, mostly\n");
}

TEST(TerminalRenderer, MessagesThatFollowEachOtherAreApart) {
  EXPECT_EQ(shown({said("First.", 0), said("Second.", 1)}), "First.\n\nSecond.\n");
}

TEST(TerminalRenderer, ATableThatFitsInNoWayIsShownCellByCell) {
  const Event table = said(
      "| one | two | three | four |\n|---|---|---|---|\n| 1111 | a **b** c | | 4 |\n| x | y | z | "
      "`w` |\n",
      0);
  EXPECT_EQ(shown({table}, {.width = 30}),
            "one  │ two   │ three │ four\n"
            "─────┼───────┼───────┼─────\n"
            "1111 │ a b c │       │ 4\n"
            "x    │ y     │ z     │ `w`\n");
  EXPECT_EQ(shown({table}, {.width = 20}),
            "one: 1111\n"
            "two: a b c\n"
            "three:\n"
            "four: 4\n"
            "\n"
            "one: x\n"
            "two: y\n"
            "three: z\n"
            "four: `w`\n");
  EXPECT_EQ(shown({said("| one | two | three |\n|---|---|---|\n", 0)}, {.width = 14}),
            "one\ntwo\nthree\n");
  EXPECT_EQ(shown({said("- | a | b | c |\n  |---|---|---|\n  | long | words | here |\n", 0)},
                  {.width = 14}),
            "\u2022 a: long\n  b: words\n  c: here\n");
}

TEST(TerminalRenderer, AnAnswerIsNotShownAgainWithTheResult) {
  const std::string end = "\n\u2713 turn finished\n";
  const Event first = of(TurnFinished{.ok = true, .text = {"First."}});
  const Event second = of(TurnFinished{.ok = true, .text = {"Second."}});
  EXPECT_EQ(shown({said("First.", 0), first}), "First.\n" + end);
  EXPECT_EQ(shown({said("First.", 0), said("Second.", 1), first, second}),
            "First.\n\nSecond.\n" + end + end);
  EXPECT_EQ(shown({said("First.", 0), first, second}), "First.\n" + end + "\nSecond.\n" + end);
}

TEST(TerminalRenderer, AResultThatSaysMoreIsShown) {
  EXPECT_EQ(shown({said("Done", 0), of(TurnFinished{.ok = true, .text = {"Done, mostly."}})}),
            "Done\n\nDone, mostly.\n\n\u2713 turn finished\n");
}

TEST(TerminalRenderer, ATurnSaysItsOwnTokens) {
  const Event end = of(TurnFinished{.ok = true});
  const auto usage = [](std::int64_t output) {
    return of(Usage{.output_tokens = output, .scope = UsageScope::turn, .final = true});
  };
  EXPECT_EQ(shown({end, usage(61), end, usage(15)}),
            "\u2713 turn finished \u00B7 0 in \u00B7 61 out\n\n"
            "\u2713 turn finished \u00B7 0 in \u00B7 15 out\n");
}

TEST(TerminalRenderer, QuietlyLeavesWordsErrorsAndQuestions) {
  const RenderOptions quiet{.width = 40, .detail = Detail::quiet};
  const std::vector<Payload> left_out = {
      SessionStarted{.session_id = "s"},
      CommandStarted{.title = "T"},
      Status{.status = "in_progress", .message = {"Loading"}, .progress = Number{.real = 10}},
      Status{.status = "completed", .message = {"Done"}},
      FilesChanged{},
      NextAction{.command = "verify-work"},
      CompletionClaimed{.by = "codex_complete"},
      Finished{.verdict = "completed"},
      ArtifactUpdated{.artifact = "plan"},
      ServerReady{"http://localhost:1"},
      GoTo{"two"},
      TestResults{.passed = 3},
      LintWarnings{.summary = "one warning"},
      CommitSuggestion{"fix: it", "why"},
      QuotedMarker{"[PROGRESS] x", "fence"},
      Unknown{.type = "new"},
  };
  for (const Payload& payload : left_out) EXPECT_EQ(shown({of(payload)}, quiet), "");

  const std::vector<Payload> kept = {
      Status{.status = "failed", .message = {"No disk"}},
      Question{.id = "q", .text = "Which?"},
      Blocked{.reason = "no url"},
      ContextRequest{.query = "what"},
      Failure{.code = "E1"},
      Finished{.verdict = "failed"},
      TestResults{.failed = 1},
      Malformed{"[PROGRESS]", "empty_value"},
      Oversize{.bytes = 9},
      ToolFinished{.id = "1", .outcome = Outcome::failed},
      TurnFinished{.ok = false},
  };
  for (const Payload& payload : kept) {
    EXPECT_EQ(shown({of(payload)}, quiet), shown({of(payload)}, {.width = 40}));
  }
}

TEST(TerminalRenderer, QuietlyLeavesOutTheLineThatRepeatsAMarkerToo) {
  const Event status = of(Status{.status = "completed", .message = {"Done"}}, {}, Dialect::wxcode);
  EXPECT_EQ(shown({status, printed("\n\u2705 Done\n\nAnd more.\n")}, {.detail = Detail::quiet}),
            "And more.\n");
}

TEST(TerminalRenderer, TextAboveTheFirstMarkerIsMarkdownWhereTheDialectIsKnown) {
  std::string out;
  TerminalRenderer renderer({});
  renderer.begin(0, {}, out);
  renderer.expect(0, Dialect::wxcode);
  renderer.event(0, printed("Some **bold** text\n\n"), out);
  EXPECT_EQ(out, "Some bold text\n");
}

TEST(TerminalRenderer, SubagentsStandUnderTheirCall) {
  EXPECT_EQ(
      shown({of(ToolStarted{.id = "a", .tool = "Agent", .description = "Look around"}),
             said("Inside.", 0, "a"), of(ToolStarted{.id = "b", .tool = "Read", .file = "x"}, "a"),
             of(ToolFinished{.id = "b"}, "a"), of(ToolFinished{.id = "a"}), said("Outside.", 1)}),
      "\u2699 Agent Look around\n\u2502\n\u2502 Inside.\n\u2502\n\u2502 \u2713 Read x\n"
      "\u2713 Agent Look around\n\nOutside.\n");
}

TEST(TerminalRenderer, SeveralRunsHaveALabelEach) {
  std::string out;
  TerminalRenderer renderer({});
  renderer.begin(0, "api", out);
  renderer.begin(1, "web", out);
  renderer.event(0, of(GoTo{"one"}), out);
  renderer.event(1, of(GoTo{"two"}), out);
  EXPECT_EQ(out, "api \u2502 \u2192 go to one\nweb \u2502 \u2192 go to two\n");
}

TEST(TerminalRenderer, FramesStandStraightBesideWideCharacters) {
  EXPECT_EQ(
      shown({of(Blocked{.reason = "日本語 \U0001F468\u200D\U0001F469\u200D\U0001F467 e\u0301"})},
            {.width = 40}),
      "┌──────────────────────────────────────┐\n"
      "│  ⛔ Blocked: 日本語 \U0001F468\u200D\U0001F469\u200D\U0001F467 e\u0301             │\n"
      "└──────────────────────────────────────┘\n");
}

TEST(TerminalRenderer, ALineWithAWideSignKeepsToTheWidth) {
  const Question open{.id = "q", .header = "Auth", .text = "Which?"};
  Question again = open;
  again.state = QuestionState::unanswered;
  const std::string before = shown({of(open)}, {.width = 24});
  EXPECT_EQ(shown({of(open), of(again)}, {.width = 24}).substr(before.size()),
            "\n\u2753 still unanswered:\n   Auth\n");
}

// Whoever asked says so, and then the agent, when it has the answer.
TEST(TerminalRenderer, AnAnswerIsShownOnce) {
  const Question open{.id = "q", .text = "Which?"};
  Question answered = open;
  answered.state = QuestionState::answered;
  answered.answer = "SQLite";
  const std::string once = shown({of(open), of(answered)});
  EXPECT_NE(once.find("answered: SQLite"), std::string::npos) << once;
  EXPECT_EQ(shown({of(open), of(answered), of(answered)}), once);
  const std::string again = shown({of(open), of(answered), of(open), of(answered)});
  EXPECT_NE(again.find("answered: SQLite", again.find("answered: SQLite") + 1), std::string::npos);
}

TEST(TerminalRenderer, OneIterationIsNotCalledSeveral) {
  EXPECT_EQ(shown({of(CompletionClaimed{.iterations = 1})}),
            "\u2713 the agent says it is done after 1 iteration\n");
}

TEST(TerminalRenderer, AResultIsNotSaidAgainInALaterTurnOfAnotherStart) {
  const auto turn = [](std::string_view words) {
    return std::vector{of(SessionStarted{}), said(words, 1),
                       of(TurnFinished{.ok = true, .text = {words}})};
  };
  std::vector<Event> both = turn("One.");
  for (const Event& event : turn("Two.")) both.push_back(event);
  const std::string out = shown(both);
  EXPECT_EQ(out.find("Two."), out.rfind("Two.")) << out;
  EXPECT_NE(out.find("Two."), std::string::npos) << out;
}

TEST(TerminalRenderer, AReasonIsNotSaidAgainByItsDetail) {
  EXPECT_EQ(shown({of(Malformed{"x", "unterminated", "unterminated at byte 4 of the marker"})}),
            "\u00B7 not understood (unterminated: at byte 4 of the marker): x\n");
  EXPECT_EQ(shown({of(Malformed{"x", "bad_json", "expected ',' at byte 4"})}),
            "\u00B7 not understood (bad_json: expected ',' at byte 4): x\n");
}

TEST(TerminalRenderer, TextFromRightToLeftIsIsolatedInItsFrame) {
  const std::string out = shown({of(Blocked{.reason = "עברית"})}, {.width = 40});
  EXPECT_NE(out.find("\u2068\u26D4 Blocked: עברית\u2069"), std::string::npos) << out;
}

TEST(TerminalRenderer, CodeThatIsDrawnInPiecesStaysCode) {
  std::string code;
  std::string drawn;
  for (std::size_t i = 0; code.size() < 200 * 1024; ++i) {
    // Nothing in it is markup, and an empty line ends nothing.
    const std::string line = i % 7 == 0 ? "" : "- *line* " + std::to_string(i);
    code += line + "\n";
    drawn += line.empty() ? "\u258F\n" : "\u258F " + line + "\n";
  }
  const std::string words = "See [x]:\n```txt\n" + code + "```\nDone.";
  const std::string expected = "See [x]:\n\n\u258F txt\n" + drawn + "\nDone.\n";
  EXPECT_EQ(shown({said(words, 0)}), expected);
  const std::size_t cut = words.size() / 2;
  EXPECT_EQ(shown({said(words.substr(0, cut), 0), said(words.substr(cut), 0)}), expected);
}

}  // namespace
}  // namespace dragoman::show
