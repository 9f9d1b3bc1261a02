// SPDX-License-Identifier: Apache-2.0
// The pinned answers for WXCODE comments. `WX:` stands for `<!-- WXCODE:`.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pinned.hpp"

namespace dragoman::test {
namespace {

std::string expand(std::string text) {
  for (std::size_t at = text.find("WX:"); at != std::string::npos; at = text.find("WX:", at + 12)) {
    text.replace(at, 3, "<!-- WXCODE:");
  }
  return text;
}

class PinnedWxcode : public testing::TestWithParam<Pinned> {};

TEST_P(PinnedWxcode, ReadsAs) {
  expect_reads_as(expand(GetParam().input), GetParam().events, expand(GetParam().shown));
}

const std::vector<std::string> kOneStatus = {"status in_progress ''"};

INSTANTIATE_TEST_SUITE_P(
    Default, PinnedWxcode,
    testing::Values(
        Pinned{
            "ArrowInAString",
            R"(WX:STATUS:{"status":"in_progress","message":"see {x} --> done","progress":1} -->)",
            {"status in_progress 'see {x} --> done' 1"},
            ""},
        Pinned{"BraceAndArrowInAString",
               R"(WX:STATUS:{"status":"in_progress","message":"a} --> b"} -->)",
               {"status in_progress 'a} --> b'"},
               ""},
        Pinned{"LineSeparatorInAString",
               "WX:STATUS:{\"status\":\"pending\",\"message\":\"a\xE2\x80\xA8z\"} -->",
               {"status pending 'a\xE2\x80\xA8z'"},
               ""},
        Pinned{"LoneReturnBetweenTokens",
               "WX:STATUS:{\"status\":\"pending\",\r\"message\":\"m\"} -->",
               {"status pending 'm'"},
               ""},
        Pinned{"NewlineBetweenTokens",
               "a WX:STATUS:{\"status\":\"pending\",\n\"message\":\"m\"} --> b",
               {"malformed newline"},
               "a  b"},
        Pinned{"AccentInTheType",
               R"(WX:STÁTUS:{"a":1} -->)",
               {"near_miss warning"},
               R"(WX:STÁTUS:{"a":1} -->)"},
        Pinned{"NoSpaces",
               R"(<!--WXCODE:STATUS:{"status":"completed"}-->)",
               {"near_miss warning"},
               R"(<!--WXCODE:STATUS:{"status":"completed"}-->)"},
        Pinned{"TwoSpacesBeforeTheEnd",
               R"(WX:STATUS:{"status":"pending","message":"m"}  --> x)",
               {"malformed no_terminator"},
               " x"},
        Pinned{"NotANumber",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":NaN} -->)",
               {"malformed bad_json"},
               ""},
        Pinned{"TooLargeANumber",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":1e400} -->)",
               {"malformed number_range"},
               ""},
        Pinned{"TemplateInBrackets",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":[0-100]} -->)",
               {"malformed bad_json"},
               ""},
        Pinned{"TemplateInBraces",
               R"(WX:STATUS:{"status":"pending","message":"m","phase":{Z}} -->)",
               {"malformed bad_json"},
               ""},
        Pinned{"RawTabInAString",
               "WX:STATUS:{\"status\":\"pending\",\"message\":\"a\tb\"} -->",
               {"malformed bad_json"},
               ""},
        Pinned{
            "ExactInteger",
            R"(WX:TOOL_RESULT:{"tool":"Bash","success":true,"duration_ms":9007199254740993} -->)",
            {"tool_result Bash ok 9007199254740993"},
            ""},
        Pinned{"DuplicateKey",
               R"(WX:STATUS:{"status":"failed","status":"completed","message":"m"} -->)",
               {"status completed 'm'", "duplicate_key warning"},
               ""},
        Pinned{"LoneSurrogate",
               R"(WX:STATUS:{"status":"pending","message":"\ud800"} -->)",
               {"status pending '\xEF\xBF\xBD'", "lone_surrogate warning"},
               ""},
        Pinned{"NulEscape",
               R"(WX:STATUS:{"status":"pending","message":"\u0000"} -->)",
               {std::string("status pending '\0'", 18)},
               ""},
        Pinned{"TwoOnALine",
               R"(WX:STATUS:{"a":1} -->WX:STATUS:{"b":2} -->)",
               {"status  ''", "missing_field warning", "status  ''", "missing_field warning"},
               ""},
        Pinned{"BrokenThenGood",
               R"(WX:STATUS:{"a":} --> text WX:STATUS:{"b":2} -->)",
               {"malformed bad_json", "status  ''", "missing_field warning"},
               " text "},
        Pinned{"UnclosedThenGood",
               R"(WX:STATUS:{"a":1 text WX:STATUS:{"b":2} -->)",
               {"malformed bad_json", "status  ''", "missing_field warning"},
               ""},
        Pinned{
            "TrailingComma", R"(WX:STATUS:{"m":"a --> b",} --> x)", {"malformed bad_json"}, " x"},
        Pinned{"LowerCaseType", R"(WX:status:{"a":1} -->)", {R"(unknown status {"a":1})"}, ""},
        Pinned{
            "UnknownType", R"(WX:CHECKPOINT:{"a":1} -->)", {R"(unknown CHECKPOINT {"a":1})"}, ""},
        Pinned{"NoFields", "WX:STATUS:{} -->", {"status  ''", "missing_field warning"}, ""},
        Pinned{"Proto",
               R"(WX:STATUS:{"__proto__":{"x":1},"status":"completed","message":"m"} -->)",
               {"status completed 'm'"},
               ""},
        Pinned{"InAFence",
               "```\nWX:STATUS:{\"a\":1} -->\n```\n",
               {"quoted fence"},
               "```\nWX:STATUS:{\"a\":1} -->\n```\n"},
        Pinned{"InACodeSpan",
               "`WX:STATUS:{\"a\":1} -->`",
               {"quoted code_span"},
               "`WX:STATUS:{\"a\":1} -->`"},
        Pinned{"InABlockQuote",
               "> WX:STATUS:{\"a\":1} -->",
               {"quoted block_quote"},
               "> WX:STATUS:{\"a\":1} -->"},
        Pinned{"BlankLinesStay",
               "# A\n\nWX:STATUS:{\"status\":\"pending\",\"message\":\"m\"} -->\n\n# B",
               {"status pending 'm'"},
               "# A\n\n\n\n# B"},
        Pinned{"ProgressBelow",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":-5} -->)",
               {"status pending 'm' 0", "progress_range warning"},
               ""},
        Pinned{"ProgressAbove",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":1e9} -->)",
               {"status pending 'm' 100", "progress_range warning"},
               ""},
        Pinned{"ProgressFraction",
               R"(WX:STATUS:{"status":"pending","message":"m","progress":62.5} -->)",
               {"status pending 'm' 62.5"},
               ""},
        Pinned{
            "CutByTheEnd", R"(WX:STATUS:{"status":"in_progress")", {"malformed unterminated"}, ""},
        Pinned{"TagMilestone",
               "[WXCODE:DASHBOARD_UPDATED] .planning/dashboard_v1-auth.json\n",
               {"artifact dashboard milestone v1-auth .planning/dashboard_v1-auth.json"},
               ""},
        Pinned{"TagEmpty", "[WXCODE:SERVER_READY]\n", {"malformed empty_value"}, ""},
        Pinned{"QuestionDots", "a <!--QUESTION:...--> b", {"malformed not_an_object"}, "a  b"},
        Pinned{"Finished",
               "<!-- FINISHED -->x<!--GOTO: step two -->",
               {"claim finished", "goto 'step two'"},
               "x"}),
    [](const auto& row) { return row.param.name; });

TEST(PinnedWxcodeOffsets, CountBytes) {
  const auto offset_of = [](std::string_view input) {
    const Reading reading = read_text(input);
    const std::string& line = reading.json.back();
    return line.substr(line.find("\"offset\":"), 12);
  };
  const std::string marker = "<!-- WXCODE:STATUS:{\"status\":\"pending\",\"message\":\"m\"} -->";
  EXPECT_EQ(offset_of("▶▶ é" + marker), "\"offset\":9,\"");
  EXPECT_EQ(offset_of("🟣" + marker), "\"offset\":4,\"");
}

TEST(PinnedWxcodeStrict, FormMakesAMarkerMalformed) {
  const auto events = [](const std::string& text) {
    return read_text(expand(text), Mode::strict).events;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(events(R"(WX:CHECKPOINT:{"a":1} -->)"), List{"malformed unknown"});
  EXPECT_EQ(events("WX:STATUS:{} -->"), List{"malformed missing_field"});
  EXPECT_EQ(events(R"(WX:STATUS:{"status":"pending","message":"m","progress":-5} -->)"),
            List{"malformed progress_range"});
  EXPECT_EQ(events(R"(WX:STATUS:{"status":"pending","message":"m","progress":1e9} -->)"),
            List{"malformed progress_range"});
  EXPECT_EQ(events(R"(WX:STATUS:{"status":"pending","message":"m"} -->)"),
            List{"status pending 'm'"});
}

TEST(PinnedWxcodeCompat, QuotingMeansNothing) {
  const auto events = [](const std::string& text) {
    return read_text(expand(text), Mode::compat).events;
  };
  const std::vector<std::string> one = {"status pending 'm'"};
  const std::string marker = R"(WX:STATUS:{"status":"pending","message":"m"} -->)";
  EXPECT_EQ(events("```\n" + marker + "\n```"), one);
  EXPECT_EQ(events("`" + marker), one);
  EXPECT_EQ(events("> " + marker), one);
}

TEST(PinnedWxcodeLoad, AMillionOpenersAreAMillionMalformed) {
  constexpr int kOpeners = 50000;
  std::string input;
  for (int i = 0; i < kOpeners; ++i) input += "<!-- WXCODE:X:{";
  EXPECT_EQ(read_text(input).events.size(), static_cast<std::size_t>(kOpeners));
}

}  // namespace
}  // namespace dragoman::test
