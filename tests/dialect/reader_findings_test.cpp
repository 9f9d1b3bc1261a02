// SPDX-License-Identifier: Apache-2.0
// What readers remark about a marker that they read all the same, and what strict mode makes of it.
#include <gtest/gtest.h>

#include "dragoman/json/writer.hpp"
#include "structured.hpp"

namespace dragoman::test {
namespace {

Heard text(const std::string& input, Mode mode = Mode::standard) {
  ReaderOptions options;
  options.mode = mode;
  return hear(Dialect::text, input, std::move(options));
}

TEST(ReaderFindings, EqualKeysAreFoundAtEveryDepth) {
  const std::vector<std::string> rows = {
      R"(<!-- WXCODE:STATUS:{"status":"completed","message":"m","message":"n"} -->)",
      R"(<!-- WXCODE:STATUS:{"status":"completed","message":"m","x":{"a":1,"a":2}} -->)",
      R"(<!-- WXCODE:STATUS:{"status":"completed","message":"m","x":[{"y":{"a":1,"\u0061":2}}]} -->)",
      R"(<!--QUESTION:{"questions":[{"question":"Q","question":"R","options":["a","b"]}]}-->)",
      R"(<!--QUESTION:{"questions":[{"question":"Q"}],"questions":[{"question":"R"}]}-->)",
  };
  for (const std::string& row : rows) {
    EXPECT_EQ(text(row + "\n").rules(), Lines{"duplicate_key"}) << row;
    EXPECT_EQ(text(row + "\n", Mode::strict).count<Malformed>(), 1u) << row;
  }
}

TEST(ReaderFindings, OfTwoListsOfQuestionsTheLastCounts) {
  const Heard heard =
      text(R"(<!--QUESTION:{"questions":[{"question":"Q"}],"questions":[{"question":"R"}]}-->)"
           "\n");
  ASSERT_EQ(heard.count<Question>(), 1u);
  EXPECT_NE(heard.data(Kind::question)[0].find(R"("text":"R")"), std::string::npos);
}

TEST(ReaderFindings, OfTwoEqualKeysThatNobodyKnowsTheLastIsKept) {
  const Heard heard =
      text(R"(<!--QUESTION:{"questions":[{"question":"Q","new":1,"other":2,"new":3}]}-->)"
           "\n");
  ASSERT_EQ(heard.count<Question>(), 1u);
  EXPECT_NE(heard.data(Kind::question)[0].find(R"("blocking":true,"new":3,"other":2})"),
            std::string::npos)
      << heard.data(Kind::question)[0];
}

TEST(ReaderFindings, FieldsOfAQuestionHaveTheirTypes) {
  for (const std::string_view field :
       {R"("options":"ab")", R"("header":3)", R"("multiSelect":1)"}) {
    const std::string marker =
        R"(<!--QUESTION:{"questions":[{"question":"Q",)" + std::string(field) + "}]}-->\n";
    EXPECT_EQ(text(marker).rules(), Lines{"field_type"}) << field;
    EXPECT_EQ(text(marker, Mode::strict).count<Malformed>(), 1u) << field;
  }
  EXPECT_EQ(text(R"(<!--QUESTION:{"questions":[{"question":"Q","options":null}]}-->)"
                 "\n")
                .rules(),
            Lines{});
}

TEST(ReaderFindings, NamesEachFieldOfAQuestionThatWasLeftOutOnce) {
  const Heard heard = text(
      R"(<!--QUESTION:{"questions":[{"question":"Q","header":3,"options":"ab"},{"question":"R","header":4}]}-->)"
      "\n");
  Lines messages;
  for (const Diagnostic* diagnostic : heard.all<Diagnostic>())
    messages.emplace_back(diagnostic->message);
  EXPECT_EQ(messages, (Lines{"header is not a string and was left out",
                             "options is not a list and was left out"}));
}

TEST(ReaderFindings, BytesThatAreNotUtf8AreReportedInEveryMarker) {
  const std::vector<std::string> rows = {
      "[PROGRESS] a\xFF"
      "b\n",
      "[CODEX_COMPLETE] Task completed in 8 iterations \xFF\n",
      "[BLOCKED] no\nwords\xC3\n\n",
      "[QUESTION] Which\xFF?\nOptions:\n1. a\n2. b\n\n",
      "[FILES_MODIFIED]\n- a\xFF.txt (created)\n\n",
      "[WXCODE:SERVER_READY] http://localhost/\xFF\n",
  };
  for (const std::string& row : rows) {
    EXPECT_EQ(text(row).rules(), Lines{"invalid_utf8"}) << row;
    EXPECT_EQ(text(row, Mode::strict).count<Malformed>(), 1u) << row;
  }
}

TEST(ReaderFindings, ABooleanInQuotesIsReadAndReported) {
  const Heard heard =
      text("<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":\"true\"} -->\n");
  EXPECT_EQ(heard.data(Kind::tool_finished), Lines{R"({"tool":"Bash","outcome":"ok"})"});
  EXPECT_EQ(heard.rules(), Lines{"field_type"});
}

TEST(ReaderFindings, WordsMayFollowTheNumberOfIterations) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"8 iterations", R"({"by":"codex_complete","iterations":8})"},
      {"1 iteration", R"({"by":"codex_complete","iterations":1})"},
      {"8 iterations.",
       R"({"by":"codex_complete","iterations":8,"text":"Task completed in 8 iterations."})"},
  };
  for (const auto& [words, data] : rows) {
    const Heard heard = text("[CODEX_COMPLETE] Task completed in " + words + "\n");
    EXPECT_EQ(heard.data(Kind::completion_claimed), Lines{data});
    EXPECT_EQ(heard.rules(), Lines{}) << words;
  }
  EXPECT_EQ(text("[CODEX_COMPLETE] Task completed in 8 iterationsx\n").rules(),
            Lines{"complete_count"});
}

TEST(ReaderFindings, AQuotedMarkerBelongsToItsOwnDialect) {
  const Heard heard = text("```\n[WXCODE:SERVER_READY] http://x\n[PROGRESS] p\n```\n");
  std::vector<Dialect> dialects;
  for (const Event& event : heard.events()) {
    if (event.as<QuotedMarker>() != nullptr) dialects.push_back(event.origin.dialect);
  }
  EXPECT_EQ(dialects, (std::vector{Dialect::wxcode, Dialect::markers}));
}

TEST(ReaderFindings, TheTextOfABlockComesInOnePieceHoweverLong) {
  std::string words;
  while (words.size() < 100000) words += "words and words\n";
  std::string line = R"({"type":"assistant","message":{"content":[{"type":"text","text":)";
  json::append_string(line, words);
  EXPECT_EQ(hear(Dialect::claude, line + "}]}}\n", {}).count<DisplayText>(), 1u);
}

// A marker that strict mode refuses has no effect, also not on the tools that wait for a result.
// What is too long to be held is no marker, and its words stay where they are.
TEST(ReaderFindings, ACommentOverTheLineCapIsTextAndOversize) {
  const std::string good = R"(<!-- WXCODE:STATUS:{"status":"completed","message":"m"} -->)";
  const std::string input = R"(a <!-- WXCODE:STATUS:{"status":"completed","message":")" +
                            std::string(2000, 'x') + R"("} --> b)" + "\n" + good + "\n";
  for (const std::size_t piece : {input.size(), std::size_t{1}, std::size_t{100}}) {
    ReaderOptions options;
    options.line_cap = 1024;
    const auto reader = make_reader(Dialect::text, std::move(options));
    EventList list;
    for (std::size_t at = 0; at < input.size(); at += piece) {
      reader->push(std::string_view(input).substr(at, piece), list);
    }
    reader->finish(list);
    std::string shown;
    Lines rest;
    for (const Event& event : list.events()) {
      if (const auto* words = event.as<DisplayText>()) {
        shown += words->text.str();
      } else if (const auto* found = event.as<Diagnostic>()) {
        rest.emplace_back(found->rule);
      } else {
        rest.emplace_back(name(event.kind()));
      }
    }
    EXPECT_EQ(shown, input.substr(0, input.find('\n') + 1) + "\n") << piece;
    EXPECT_EQ(rest, (Lines{"oversize", "status"})) << piece;
  }
}

TEST(ReaderFindings, ARefusedMarkerPairsNothing) {
  const std::string bad_tool = R"(<!-- WXCODE:TOOL:{"tool":"Bash"} -->)"
                               "\n";
  const std::string tool = R"(<!-- WXCODE:TOOL:{"tool":"Bash","description":"d"} -->)"
                           "\n";
  const std::string bad_result = R"(<!-- WXCODE:TOOL_RESULT:{"tool":"Bash"} -->)"
                                 "\n";
  const std::string bad_header = R"(<!-- WXCODE:HEADER:{"command":"c"} -->)"
                                 "\n";
  const std::string result = R"(<!-- WXCODE:TOOL_RESULT:{"tool":"Bash","success":true} -->)"
                             "\n";
  for (const std::string& between : {bad_result, bad_header, std::string()}) {
    const Heard heard = text(bad_tool + tool + between + result, Mode::strict);
    ASSERT_EQ(heard.count<ToolStarted>(), 1u) << between;
    ASSERT_EQ(heard.count<ToolFinished>(), 1u) << between;
    EXPECT_EQ(heard.all<ToolFinished>()[0]->id, heard.all<ToolStarted>()[0]->id) << between;
  }
}

TEST(ReaderFindings, TestResultsAreReadAsTheirFrameworkPrintsThem) {
  struct Row {
    std::string_view line;
    std::int64_t passed, failed, skipped;
  };
  constexpr Row kRows[] = {
      {"47 tests completed, 2 failed, 1 skipped", 44, 2, 1},
      {"Tests run: 47, Failures: 0, Errors: 0, Skipped: 3", 44, 0, 3},
      {"100% tests passed, 0 tests failed out of 10", 10, 0, 0},
      {"[  PASSED  ] 12 tests.", 12, 0, 0},
      {"Tests:       1 failed, 2 skipped, 44 passed, 47 total", 44, 1, 2},
      {"12 examples, 1 failure, 2 pending", 9, 1, 2},
      {"3 doctests, 5 tests, 1 failure", 7, 1, 0},
      {"45 passed, 2 failed", 45, 2, 0},
      {"45 passed framework=jest", 45, 0, 0},
      {"passed=3 failed=1 - 3 passed, 1 failed", 3, 1, 0},
  };
  for (const auto& [line, passed, failed, skipped] : kRows) {
    const Heard heard = text("[TEST_RESULTS] " + std::string(line) + "\n\n");
    ASSERT_EQ(heard.count<TestResults>(), 1u) << line;
    const TestResults& results = *heard.all<TestResults>()[0];
    EXPECT_EQ(results.passed, passed) << line;
    EXPECT_EQ(results.failed, failed) << line;
    EXPECT_EQ(results.skipped, skipped) << line;
    EXPECT_EQ(heard.rules(), Lines{}) << line;
  }
}

}  // namespace
}  // namespace dragoman::test
