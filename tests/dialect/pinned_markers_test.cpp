// SPDX-License-Identifier: Apache-2.0
// The pinned answers for bracket markers.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dragoman/dialect/text_reader.hpp"
#include "pinned.hpp"

namespace dragoman::test {
namespace {

class PinnedMarkers : public testing::TestWithParam<Pinned> {};

TEST_P(PinnedMarkers, ReadsAs) {
  expect_reads_as(GetParam().input, GetParam().events, GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Default, PinnedMarkers,
    testing::Values(
        Pinned{"Indented",
               "    [CODEX_COMPLETE] Task completed in 8 iterations",
               {"quoted indented"},
               "    [CODEX_COMPLETE] Task completed in 8 iterations"},
        Pinned{"LeadingSpace",
               "  [PROGRESS] x",
               {"status in_progress 'x'", "leading_space warning"},
               ""},
        Pinned{"InProse",
               "The script prints [CODEX_COMPLETE] when done",
               {"glued_marker info"},
               "The script prints [CODEX_COMPLETE] when done"},
        Pinned{"InADiff",
               "+[CODEX_COMPLETE] done",
               {"glued_marker warning"},
               "+[CODEX_COMPLETE] done"},
        Pinned{"Glued", "one.[PROGRESS] two", {"glued_marker warning"}, "one.[PROGRESS] two"},
        Pinned{"NoBlankBehind",
               "[CODEX_COMPLETE]ish",
               {"glued_marker warning"},
               "[CODEX_COMPLETE]ish"},
        Pinned{"ColonBehind", "[PROGRESS]: x", {"glued_marker warning"}, "[PROGRESS]: x"},
        Pinned{"GluedBehindAMarker",
               "[PROGRESS] done[CODEX_COMPLETE] x [WXCODE:SERVER_READY] y",
               {"status in_progress 'done[CODEX_COMPLETE] x [WXCODE:SERVER_READY] y'",
                "glued_marker warning", "glued_marker info"},
               ""},
        Pinned{"GluedTag",
               "see [WXCODE:SERVER_READY] y",
               {"glued_marker info"},
               "see [WXCODE:SERVER_READY] y"},
        Pinned{"GluedInABlock",
               "[BLOCKED] r\nwait.[PROGRESS] a\n    [PROGRESS] b\n> [PROGRESS] c\n",
               {"blocked 'r' [wait.[PROGRESS] a | [PROGRESS] b | > [PROGRESS] c]",
                "glued_marker warning", "quoted indented", "quoted block_quote"},
               ""},
        Pinned{"CommentInABlock",
               "[FILES_MODIFIED]\n- a.ts (created) <!-- FINISHED -->\n",
               {"files a.ts(created)#<!-- FINISHED -->", "glued_marker warning"},
               ""},
        Pinned{"CommentOnAMarkerLine",
               "[PROGRESS] x <!-- WXCODE:STATUS:{\"status\":\"completed\"} -->",
               {"status in_progress 'x <!-- WXCODE:STATUS:{\"status\":\"completed\"} -->'",
                "glued_marker warning"},
               ""},
        Pinned{"Alone", "[PROGRESS]", {"status in_progress ''"}, ""},
        Pinned{"LowerCase", "[progress] x", {}, "[progress] x"},
        Pinned{"OtherWord", "[PROGRESS_X] x", {}, "[PROGRESS_X] x"},
        Pinned{"Fenced",
               "```\n[CODEX_COMPLETE] x\n```",
               {"quoted fence"},
               "```\n[CODEX_COMPLETE] x\n```"},
        Pinned{"TildeFenced",
               "~~~\n[CODEX_COMPLETE] x\n~~~",
               {"quoted fence"},
               "~~~\n[CODEX_COMPLETE] x\n~~~"},
        Pinned{"Coloured",
               "\x1b[32m[CODEX_COMPLETE]\x1b[0m done",
               {"glued_marker warning"},
               "\x1b[32m[CODEX_COMPLETE]\x1b[0m done"},
        Pinned{"ZeroWidthBefore",
               "\xE2\x80\x8B[CODEX_COMPLETE] x",
               {"glued_marker warning"},
               "\xE2\x80\x8B[CODEX_COMPLETE] x"},
        Pinned{"NulBefore",
               std::string("\0[CODEX_COMPLETE] x", 19),
               {"glued_marker warning"},
               std::string("\0[CODEX_COMPLETE] x", 19)},
        Pinned{"FileSeparatorBefore",
               "\x1c[CODEX_COMPLETE] x",
               {"glued_marker warning"},
               "\x1c[CODEX_COMPLETE] x"},
        Pinned{"NextLineBefore",
               "\xC2\x85[CODEX_COMPLETE] x",
               {"glued_marker warning"},
               "\xC2\x85[CODEX_COMPLETE] x"},
        Pinned{"BomBefore", "\xEF\xBB\xBF[PROGRESS] p", {"status in_progress 'p'"}, ""},
        Pinned{"BomLater",
               "a\n\xEF\xBB\xBF[PROGRESS] p",
               {"glued_marker warning"},
               "a\n\xEF\xBB\xBF[PROGRESS] p"},
        Pinned{"CarriageReturns",
               "[PROGRESS] a\r\n[CODEX_COMPLETE] Task completed in 2 iterations\r\n",
               {"status in_progress 'a'", "claim codex_complete 2"},
               ""},
        Pinned{"LoneReturnDoesNotEndALine",
               "[PROGRESS] a\r[CODEX_COMPLETE] b",
               {"status in_progress 'a\r[CODEX_COMPLETE] b'", "glued_marker warning"},
               ""},
        Pinned{"FiveOptions",
               "[QUESTION] Which?\nOptions:\n1. a\n2. b\n3. c\n4. d\n10. j\n\nctx",
               {"question 'Which?' (a; b; c; d; j) [ctx]", "option_count warning"},
               "\nctx"},
        Pinned{"ContextAfterOptions",
               "[QUESTION] Which?\nOptions:\n1. a - x\n2. b\nLoginForm uses option 1.",
               {"question 'Which?' (a / x; b) [LoginForm uses option 1.]"},
               ""},
        Pinned{"BracketedContext",
               "[QUESTION] Which?\nOptions:\n1. a\n2. b\n[Additional context about why asking]",
               {"question 'Which?' (a; b) [[Additional context about why asking]]"},
               ""},
        Pinned{"VersionIsNoOption",
               "[QUESTION] Q\nOptions:\n1.5 is the version",
               {"question 'Q' () [1.5 is the version]"},
               ""},
        Pinned{"TextAfterOptionsColon",
               "[QUESTION] Q\nOptions: 1 or 2\n1.5 is the version",
               {"question 'Q' () [1 or 2 | 1.5 is the version]"},
               ""},
        Pinned{
            "DocumentExample",
            "[QUESTION] Should JWT tokens be stored in localStorage or sessionStorage?\nOptions:\n"
            "1. localStorage - Persists across browser sessions\n2. sessionStorage - Cleared when "
            "browser closes\n\n"
            "This affects logout behavior and security posture.",
            {"question 'Should JWT tokens be stored in localStorage or sessionStorage?' "
             "(localStorage / Persists across "
             "browser sessions; sessionStorage / Cleared when browser closes) [This affects logout "
             "behavior and security "
             "posture.]"},
            "\nThis affects logout behavior and security posture."},
        Pinned{
            "OnlyOneParagraphIsContext",
            "[QUESTION] Where?\nOptions:\n1. a\n2. b\n3. c\n\nLoginForm uses 1.\n\nI will go on.",
            {"question 'Where?' (a; b; c) [LoginForm uses 1.]"},
            "\nLoginForm uses 1.\n\nI will go on."},
        Pinned{"BracketsForOptions",
               "[QUESTION] Which?\n1) a\n2) b\n[PROGRESS] next",
               {"question 'Which?' (a; b)", "status in_progress 'next'"},
               ""},
        Pinned{"TextOnTwoLines",
               "[QUESTION] Which one\nof the two?\n\nOptions:\n1. a\n   more on a\n2. b",
               {"question 'Which one\nof the two?' (a / more on a; b)"},
               ""},
        Pinned{"FreeText",
               "[QUESTION] Name of the endpoint?\n\nI go on with the rest.",
               {"question 'Name of the endpoint?' ()"},
               "\nI go on with the rest."},
        Pinned{"BlockedWithBrackets",
               "[BLOCKED] no url\n[Specific information needed]\nmore",
               {"blocked 'no url' [[Specific information needed] | more]"},
               ""},
        Pinned{"BlockedThenAnUnknownMarker",
               "[BLOCKED] x\nctx\n[SOMETHING_NEW] y",
               {"blocked 'x' [ctx]"},
               "[SOMETHING_NEW] y"},
        Pinned{"QuestionThenAnUnknownMarker",
               "[QUESTION] Which?\n1. a\n2. b\n[NOTE:2]\n[X] ticked",
               {"question 'Which?' (a; b)"},
               "[NOTE:2]\n[X] ticked"},
        Pinned{"WhatHasNotTheShapeOfAMarker",
               "[BLOCKED] x\n[X] a\n[NEW]ish\n[Note] b\n[NOTE c\n[]\n    [NEW] d",
               {"blocked 'x' [[X] a | [NEW]ish | [Note] b | [NOTE c | [] | [NEW] d]"},
               ""},
        Pinned{"BlockedThenProgress",
               "[BLOCKED] no url\nctx\n[PROGRESS] p",
               {"blocked 'no url' [ctx]", "status in_progress 'p'"},
               ""},
        Pinned{"Files",
               "[FILES_MODIFIED]\n- ../../etc/passwd (modified)\n- /etc/shadow (modified)\n- src/a "
               "b.ts (created)\n-x (deleted)",
               {"files ../../etc/passwd(modified) /etc/shadow(modified) src/a b.ts(created) "
                "x(deleted)"},
               ""},
        Pinned{"FilesAfterABlankLine",
               "[FILES_MODIFIED]\n\n- src/a.ts (created)",
               {"files"},
               "\n- src/a.ts (created)"},
        Pinned{"NoFiles", "[FILES_MODIFIED]\n- none", {"files"}, ""},
        Pinned{"Denied",
               "I did not output [CODEX_COMPLETE] because tests fail",
               {"glued_marker info"},
               "I did not output [CODEX_COMPLETE] because tests fail"},
        Pinned{"InABlockQuote", "> [PROGRESS] x", {"quoted block_quote"}, "> [PROGRESS] x"},
        Pinned{"UnclosedFence",
               "```\n[PROGRESS] x",
               {"quoted fence", "unclosed_fence warning"},
               "```\n[PROGRESS] x"},
        Pinned{"NotUtf8", "a\xff\nb", {"invalid_utf8 warning"}, "a\xff\nb"}),
    [](const auto& row) { return row.param.name; });

TEST(PinnedMarkersStrict, WantsTheFirstColumnAndOneSpace) {
  using List = std::vector<std::string>;
  EXPECT_EQ(read_text("  [PROGRESS] x", Mode::strict).events, List{"malformed leading_space"});
  EXPECT_EQ(read_text("[PROGRESS]  x", Mode::strict).events, List{"malformed spacing"});
  EXPECT_EQ(read_text("[PROGRESS] x", Mode::strict).events, List{"status in_progress 'x'"});
  const Reading question =
      read_text("[QUESTION] Which?\nOptions:\n1. a\n2. b\n\nctx", Mode::strict);
  EXPECT_EQ(question.events, List{"question 'Which?' (a; b)"});
  EXPECT_EQ(question.shown, "\nctx");
}

TEST(PinnedMarkersCompat, AcceptsWhatThePrintedParsersAccept) {
  using List = std::vector<std::string>;
  EXPECT_EQ(read_text("    [CODEX_COMPLETE] Task completed in 8 iterations", Mode::compat).events,
            List{"claim codex_complete 8"});
  EXPECT_EQ(read_text("[PROGRESS]: x", Mode::compat).events, List{"status in_progress ': x'"});
  EXPECT_EQ(read_text("```\n[PROGRESS] x\n```", Mode::compat).events,
            List{"status in_progress 'x'"});
}

TEST(Idle, GivesOutAnOpenQuestionAndUpdatesItUnderTheSameId) {
  ReaderOptions options;
  const auto reader = make_text_reader(Dialect::text, options);
  struct Ids final : EventSink {
    std::vector<std::string> seen;
    void on_event(const Event& event) override {
      if (const auto* q = event.as<Question>())
        seen.push_back(std::string(q->id) + " " + std::to_string(q->options.size()));
    }
  } ids;
  reader->push("[QUESTION] Which?\n1. a\n2. b\n", ids);
  EXPECT_TRUE(ids.seen.empty());
  reader->idle(ids);
  ASSERT_EQ(ids.seen.size(), 1U);
  reader->push("3. c\n\n", ids);
  reader->finish(ids);
  ASSERT_EQ(ids.seen.size(), 2U);
  EXPECT_EQ(ids.seen[0].substr(0, 14), ids.seen[1].substr(0, 14));
  EXPECT_EQ(ids.seen[1].back(), '3');
}

class BriefSink final : public EventSink {
 public:
  void on_event(const Event& event) override {
    if (event.kind() != Kind::text) told_.push_back(brief(event));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(told_, {}); }

 private:
  std::vector<std::string> told_;
};

using Told = std::vector<std::vector<std::string>>;

// The pieces, with a silence behind each: what was told of each, and at the end.
Told read_with_pauses(const std::vector<std::string_view>& pieces, Mode mode = Mode::standard) {
  ReaderOptions options;
  options.mode = mode;
  const auto reader = make_text_reader(Dialect::text, options);
  BriefSink sink;
  Told told;
  for (const std::string_view piece : pieces) {
    reader->push(piece, sink);
    reader->idle(sink);
    told.push_back(sink.take());
  }
  reader->finish(sink);
  told.push_back(sink.take());
  return told;
}

// Whoever acts on events has each block once, however slowly its lines come.
TEST(Idle, GivesNoPartOfABlockToThoseWhoWantItWhole) {
  const std::string_view text =
      "[QUESTION] Which?\nOptions:\n1. a\n2. b\n\nwhy\n\n[BLOCKED] x\ny\n\n[FILES_MODIFIED]\n"
      "- a (created)\n- b (created)\n[GIT_COMMIT_SUGGESTION] s\n\nb\n[PROGRESS] p\n";
  ReaderOptions options;
  options.whole_blocks = true;
  const auto whole = make_text_reader(Dialect::text, options);
  const auto paused = make_text_reader(Dialect::text, options);
  BriefSink expected;
  whole->push(text, expected);
  whole->finish(expected);
  BriefSink told;
  for (const char& byte : text) {
    paused->push({&byte, 1}, told);
    paused->idle(told);
  }
  paused->finish(told);
  EXPECT_EQ(told.take(), expected.take());
}

TEST(Idle, KeepsRemarksAboutABlockUntilItIsOver) {
  EXPECT_EQ(read_with_pauses({"[QUESTION] Which?\n1. a\n", "2. b\n", "[PROGRESS] x\n"}),
            (Told{{"question 'Which?' (a)"},
                  {"question 'Which?' (a; b)"},
                  {"status in_progress 'x'"},
                  {}}));
  EXPECT_EQ(read_with_pauses({" [QUESTION] Which?\n1. [PROGRESS] a\n", "[PROGRESS] x\n"}),
            (Told{{"question 'Which?' ([PROGRESS] a)"},
                  {"leading_space warning", "option_count warning", "glued_marker info",
                   "status in_progress 'x'"},
                  {}}));
}

TEST(Idle, WaitsForTheFirstWordOfABlock) {
  EXPECT_EQ(read_with_pauses({"[FILES_MODIFIED]\n", "- a.ts (created)\n"}),
            (Told{{}, {"files a.ts(created)"}, {}}));
  EXPECT_EQ(read_with_pauses({"[FILES_MODIFIED]\n"}), (Told{{}, {"files"}}));
}

// Whether strict mode refuses a block is known at its end.
TEST(Idle, CallsNoOpenBlockMalformed) {
  EXPECT_EQ(read_with_pauses({" [BLOCKED] no url\n", "more\n"}, Mode::strict),
            (Told{{}, {}, {"malformed leading_space"}}));
  EXPECT_EQ(read_with_pauses({"[BLOCKED] no url\n", "\xFF\n"}, Mode::strict),
            (Told{{}, {}, {"malformed invalid_utf8"}}));
}

}  // namespace
}  // namespace dragoman::test
