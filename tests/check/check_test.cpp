// SPDX-License-Identifier: Apache-2.0
#include "dragoman/check/check.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/check/report.hpp"
#include "dragoman/check/rules.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"
#include "tests/support/files.hpp"

namespace dragoman::check {
namespace {

// "line:column level rule"
std::vector<std::string> findings(std::string_view input, Mode mode = Mode::standard,
                                  std::optional<Dialect> from = std::nullopt) {
  std::vector<std::string> found;
  Checker checker({from, mode}, [&found](const Finding& f) {
    found.push_back(fmt::format("{}:{} {} {}", f.line, f.column, name(f.level), f.rule));
  });
  checker.push(input);
  checker.finish();
  return found;
}
using List = std::vector<std::string>;

List findings_cut(std::string_view input, std::size_t cut) {
  List found;
  Checker checker({}, [&found](const Finding& f) {
    found.push_back(fmt::format("{}:{} {} {}", f.line, f.column, name(f.level), f.rule));
  });
  checker.push(input.substr(0, cut));
  checker.push(input.substr(cut));
  checker.finish();
  return found;
}

const std::string kHeader =
    "<!-- WXCODE:HEADER:{\"command\":\"progress\",\"args\":\"\",\"title\":\"WXCODE ▶ PROJECT "
    "PROGRESS\"} -->\n"
    "## WXCODE ▶ PROJECT PROGRESS\n";

TEST(Check, AGoodDocumentHasNoFindings) {
  EXPECT_EQ(
      findings(
          kHeader +
          "<!-- WXCODE:STATUS:{\"status\":\"completed\",\"message\":\"Done\",\"progress\":100} "
          "-->\n"),
      List{});
}

TEST(Check, WantsAHeaderFirst) {
  EXPECT_EQ(findings("<!-- WXCODE:STATUS:{\"status\":\"pending\",\"message\":\"m\"} -->\n"
                     "<!-- WXCODE:STATUS:{\"status\":\"pending\",\"message\":\"m\"} -->\n"),
            List{"1:1 warning no_header"});
}

TEST(Check, NotesAHeaderWithoutItsTitle) {
  const std::string header = kHeader.substr(0, kHeader.find('\n'));
  EXPECT_EQ(findings(header + "\n\n## WXCODE ▶ PROJECT PROGRESS\n"), List{"1:1 info header_gap"});
  EXPECT_EQ(findings(header), List{"1:1 info header_gap"});
}

std::string headed(std::string_view title, std::string_view behind) {
  return fmt::format(
      "<!-- WXCODE:HEADER:{{\"command\":\"x\",\"args\":\"\",\"title\":\"{}\"}} -->{}", title,
      behind);
}

TEST(Check, NotesATitleLineThatIsNotTheTitle) {
  const List gap = {"1:1 info header_gap"};
  EXPECT_EQ(findings(headed("T", "\n## Other title\n")), gap);
  EXPECT_EQ(findings(headed("T", "\n## T and more\n"), Mode::strict), gap);
  EXPECT_EQ(findings(headed("T and more", "\n## T")), gap);
  EXPECT_EQ(findings(headed("T", "\n## " + std::string(100'000, 'x') + "\n")), gap);
}

TEST(Check, KnowsATitleByItsWords) {
  for (const std::string_view behind :
       {"\n## A ▶ T\n", "\n## A ▶ T", "\r\n## A ▶ T\r\n", "\n##  A ▶ T \n", "\n## A ► T\n"}) {
    EXPECT_EQ(findings(headed("A ▶ T", behind)), List{}) << behind;
    EXPECT_EQ(findings(headed(" A ► T ", behind)), List{}) << behind;
  }
  // As our own writer spells a title that would be a marker or more than one line.
  EXPECT_EQ(findings(headed("see <!-- GOTO: x", "\n## see &lt;!-- GOTO: x\n")), List{});
  EXPECT_EQ(findings(headed("a\\nb", "\n## a b\n")), List{});
}

TEST(Check, ATitleMayComeInPieces) {
  for (const std::string_view behind : {"\r\n## Title\r\ntext\n", "\r\n## Other\r\ntext\n"}) {
    const std::string input = headed("Title", behind);
    const List whole = findings(input);
    for (std::size_t cut = 1; cut < input.size(); ++cut) {
      EXPECT_EQ(findings_cut(input, cut), whole) << "cut at " << cut;
    }
  }
}

TEST(Check, CountsColumnsInCharacters) {
  EXPECT_EQ(
      findings(kHeader + "▶▶ é <!-- WXCODE:STATUS:{\"status\":\"nope\",\"message\":\"m\"} -->\n"),
      List{"3:6 warning unknown_value"});
}

struct Row {
  std::string name;
  std::string input;
  List standard;
  List strict;
};

class CheckRule : public testing::TestWithParam<Row> {};

TEST_P(CheckRule, Finds) {
  EXPECT_EQ(findings(GetParam().input), GetParam().standard);
  EXPECT_EQ(findings(GetParam().input, Mode::strict), GetParam().strict);
}

std::string status(std::string_view payload) {
  return fmt::format("{}<!-- WXCODE:STATUS:{} -->\n", kHeader, payload);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckRule,
    testing::Values(
        Row{"BadJson", status("{\"status\":}"), {"3:1 error malformed"}, {"3:1 error malformed"}},
        Row{"MissingField",
            status("{\"status\":\"pending\"}"),
            {"3:1 warning missing_field"},
            {"3:1 error missing_field"}},
        Row{"FieldType",
            status("{\"status\":\"pending\",\"message\":1}"),
            {"3:1 warning field_type"},
            {"3:1 error field_type"}},
        Row{"ProgressRange",
            status("{\"status\":\"pending\",\"message\":\"m\",\"progress\":101}"),
            {"3:1 warning progress_range"},
            {"3:1 error progress_range"}},
        Row{"UnknownType",
            kHeader + "<!-- WXCODE:METRIC:{\"a\":1} -->\n",
            {"3:1 warning unknown"},
            {"3:1 error unknown"}},
        Row{"OutputTooLong",
            kHeader + "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":true,\"output\":\"" +
                std::string(201, 'x') + "\"} -->\n",
            {"3:1 warning output_too_long"},
            {"3:1 error output_too_long"}},
        Row{"NearMiss",
            kHeader + "<!--WXCODE:STATUS:{}-->\n",
            {"3:1 warning near_miss"},
            {"3:1 error near_miss"}},
        Row{"NearMissOfAQuestion",
            "<!--QUESTION {\"questions\":[{\"question\":\"q?\"}]}-->\n<!--GOTO: a/b-->\n",
            {"1:1 warning near_miss", "2:1 warning near_miss"},
            {"1:1 error near_miss", "2:1 error near_miss"}},
        Row{"MarkerNotInColumnOne",
            " [PROGRESS] x\n",
            {"1:1 warning leading_space"},
            {"1:1 error leading_space"}},
        Row{"GluedAfterABlank",
            "see [PROGRESS] x\n",
            {"1:5 info glued_marker"},
            {"1:5 info glued_marker"}},
        Row{"Glued",
            "done.[PROGRESS] x\n",
            {"1:6 warning glued_marker"},
            {"1:6 error glued_marker"}},
        Row{"OptionCount",
            "[QUESTION] Which?\n1. a\n",
            {"1:1 warning option_count"},
            {"1:1 error option_count"}},
        Row{"FileEntry",
            "[FILES_MODIFIED]\n- a.ts\n",
            {"2:3 warning file_entry"},
            {"2:3 error file_entry"}},
        Row{"CompleteCount",
            "[CODEX_COMPLETE] all done\n",
            {"1:1 warning complete_count"},
            {"1:1 error complete_count"}},
        Row{"QuestionShape",
            "<!--QUESTION:{\"question\":\"Q?\",\"options\":[\"a\",\"b\"]}-->\n",
            {"1:1 warning question_shape"},
            {"1:1 error question_shape"}},
        Row{"Quoted",
            "```\n[PROGRESS] x\n```\n",
            {"2:1 warning quoted_marker"},
            {"2:1 warning quoted_marker"}},
        Row{"UnclosedFence",
            "```\nx\n",
            {"1:1 warning unclosed_fence"},
            {"1:1 warning unclosed_fence"}},
        Row{"InvalidUtf8", "a\xffz\n", {"1:2 warning invalid_utf8"}, {"1:2 error invalid_utf8"}}),
    [](const auto& row) { return row.param.name; });

// What `emit` refuses to write, `check` does not pass in silence.
TEST(Check, WantsRequiredTextToSaySomething) {
  const List brackets = {
      "[QUESTION]\nOptions:\n1. x\n2. y\n", "[BLOCKED]\n",           "[PROGRESS]\n",
      "[NEED_CONTEXT] type=context7\n",     "[DEPENDENCY_NEEDED]\n", "[GIT_COMMIT_SUGGESTION]\n",
  };
  for (const std::string& input : brackets) {
    EXPECT_EQ(findings(input), List{"1:1 warning missing_field"}) << input;
    EXPECT_EQ(findings(input, Mode::strict), List{"1:1 error missing_field"}) << input;
  }
  const List comments = {
      R"(STATUS:{"status":"pending","message":" "})",
      R"(TOOL:{"tool":"","description":"d"})",
      R"(TOOL:{"tool":"Bash","description":""})",
      R"(TOOL_RESULT:{"tool":"","success":true})",
      R"(NEXT_ACTION:{"command":"","description":"d","priority":"optional"})",
      R"(NEXT_ACTION:{"command":"c","description":"","priority":"optional"})",
      R"(ERROR:{"code":"","message":"m","recoverable":true})",
      R"(ERROR:{"code":"c","message":"","recoverable":true})",
  };
  for (const std::string& comment : comments) {
    const std::string input = fmt::format("{}<!-- WXCODE:{} -->\n", kHeader, comment);
    EXPECT_EQ(findings(input), List{"3:1 warning missing_field"}) << input;
    EXPECT_EQ(findings(input, Mode::strict), List{"3:1 error missing_field"}) << input;
  }
  EXPECT_EQ(findings("<!--QUESTION:{\"questions\":[{\"question\":\"\"}]}-->\n"),
            List{"1:1 warning missing_field"});
}

TEST(Check, HoldsAnEnvelopeAgainstItsSchema) {
  const std::string envelope =
      R"({"version":"3.6","schema_id":"codex/v3.6/execution_ack/v1","tool":"_codex_local_exec",)"
      R"("tool_category":"execution_ack","request_id":"0b9f7c1e-0000-4000-8000-000000000000",)"
      R"("ts":"2025-11-18T10:05:22Z","status":"ok","meta":{},"data":{"accepted":true}})";
  const List found = findings(envelope + "\n");
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().find("error schema"), std::string::npos) << found.front();
}

TEST(Check, SaysWhereInASpreadEnvelopeTheFaultIs) {
  const std::string envelope =
      "  {\n"
      "  \"version\": \"3.6\", \"schema_id\": \"codex/v3.6/execution_ack/v1\",\n"
      "  \"tool\": \"_codex_local_exec\", \"tool_category\": \"execution_ack\",\n"
      "  \"request_id\": \"0b9f7c1e-0000-4000-8000-000000000000\",\n"
      "  \"ts\": \"2025-11-18T10:05:22Z\", \"status\": \"ok\", \"meta\": {},\n"
      "  \"data\": 5}\n";
  const List found = findings(envelope, Mode::standard, Dialect::delegator);
  EXPECT_NE(std::find(found.begin(), found.end(), "6:11 error schema"), found.end())
      << testing::PrintToString(found);
}

TEST(Check, LooksIntoAnEnvelopeThatIsWrapped) {
  const std::string wrapped =
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
      R"("{\"schema_id\":\"codex/v3.6/result_set/v1\",\"status\":\"ok\",\"data\":5}"}]}})";
  const List found = findings(wrapped + "\n", Mode::standard, Dialect::delegator);
  EXPECT_NE(std::find(found.begin(), found.end(), "1:1 error schema"), found.end())
      << testing::PrintToString(found);
}

TEST(Check, HoldsMarkersInTheWordsOfAnAgentAgainstTheirSchema) {
  const auto said = [](const std::string& words) {
    return R"({"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant",)"
           R"("content":[{"type":"text","text":")" +
           words + "\"}]}}\n";
  };
  const std::string header = R"(<!-- WXCODE:HEADER:{\"command\":\"/wxcode:x\",\"args\":\"\",)"
                             R"(\"title\":\"T\"} -->\n## T\n)";
  EXPECT_EQ(findings(said("Here it is:\\n" + header), Mode::standard, Dialect::claude),
            (List{"1:1 error schema"}));
}

TEST(Check, NoColumnIsCountedForTheMarkInFrontOfAFile) {
  EXPECT_EQ(findings("\xEF\xBB\xBFx <!-- WXCODE:STATUS:{} -->\n").back().substr(0, 4), "1:3 ");
}

// What a reader takes without a word in the default mode is still not as the document has it.
TEST(Check, RemarksOnWhatTheReaderTakesInSilence) {
  EXPECT_EQ(findings("[PROGRESS]   a\n"), (List{"1:1 warning spacing"}));
  EXPECT_EQ(findings("[PROGRESS]   a\n", Mode::strict), (List{"1:1 error spacing"}));
  EXPECT_EQ(findings("\xEF\xBB\xBFx\n"), (List{"1:1 warning bom"}));
  EXPECT_EQ(findings("\xEF\xBB\xBFx\n", Mode::strict), (List{"1:1 error bom"}));
}

TEST(Check, LooksAtWhatReadersPassOver) {
  const std::string line =
      R"({"type":"system","subtype":"ui_invalidate","event":"x","a":{"k":1,"k":2},"n":01,"uuid":"u1","session_id":"s"})";
  const List found = findings(line + "\n", Mode::standard, Dialect::claude);
  EXPECT_EQ(found, (List{"1:78 error malformed", "1:71 warning duplicate_key"}));
}

// Codex writes it so, and nobody who checks a capture can mend that.
TEST(Check, AWebSearchOfCodexMayHaveItsIdTwice) {
  const auto found = [](const std::string& item) {
    return findings(R"({"type":"item.started","item":)" + item + "}\n", Mode::strict,
                    Dialect::codex);
  };
  EXPECT_EQ(found(R"({"id":"item_0","type":"web_search","id":"ws_1","query":"q"})"), List{});
  EXPECT_EQ(found(R"({"id":"item_0","type":"web_search","id":"ws_1","query":"q","query":"r"})"),
            (List{"1:71 error duplicate_key", "1:98 error duplicate_key"}));
}

TEST(Check, APathHasThePlaceOfItsOwnLine) {
  EXPECT_EQ(
      findings("x\n[FILES_MODIFIED]\n- a.txt\n- b.txt (created)\n* é/b.txt (frob)\n- b.txt\n"),
      (List{"3:3 warning file_entry", "5:3 warning file_entry", "6:3 warning file_entry"}));
  const std::string path(200, 'p');
  EXPECT_EQ(findings("[FILES_MODIFIED]\n- p.txt (created)\n- " + path + "\n"),
            List{"3:3 warning file_entry"});
  EXPECT_EQ(findings("[FILES_MODIFIED] a.txt (created)\n"), List{"1:1 warning file_entry"});
}

TEST(Check, SaysOnceThatALineOfAnUnknownTypeIsNoJson) {
  EXPECT_EQ(findings("{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n"
                     "{\"type\":\"foo\",\"n\":01}\n"
                     "{\"type\":\"foo\",\"n\":\n"),
            (List{"2:19 error malformed", "3:1 error malformed"}));
}

struct Said {
  std::string message;
  std::string hint;
  friend bool operator==(const Said&, const Said&) = default;
};
void PrintTo(const Said& said, std::ostream* out) { *out << said.message << " | " << said.hint; }

Said first_said(std::string_view input) {
  std::optional<Said> said;
  Checker checker({}, [&said](const Finding& f) {
    if (!said) said = Said{f.message, f.hint};
  });
  checker.push(input);
  checker.finish();
  return said.value_or(Said{});
}

TEST(Check, SaysWhatMendsAMarkerInItsOwnDialect) {
  EXPECT_EQ(first_said("[WXCODE:SERVER_READY]\n"),
            (Said{"empty_value: [WXCODE:SERVER_READY] has no value",
                  "write the value behind the bracket, on the same line"}));
  EXPECT_EQ(first_said("<!--QUESTION:{\"questions\":[]}-->\n"),
            (Said{"missing_field: no question is asked",
                  R"(ask at least one question: {"questions":[{"question":…,"options":[…]}]})"}));
  EXPECT_EQ(first_said("<!-- WXCODE:STATUS:[1] -->\n"),
            (Said{"not_an_object: at byte 19 of the marker",
                  "write a JSON object behind the colon: {…}"}));
  EXPECT_EQ(
      first_said("<!-- WXCODE:STATUS:{\"a\":1}-->\n"),
      (Said{"no_terminator: at byte 26 of the marker", "close the comment with exactly ' -->'"}));
  EXPECT_EQ(
      first_said("{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"foo\",\"n\":"),
      (Said{"truncated_tail: unexpected end at byte 18",
            "the stream ends within this line: let its writer end it"}));
}

TEST(Check, HintsAtWhatTheMessageIsAbout) {
  const std::string shape = R"(write it as {"questions":[{"question":…,"options":[{"label":…}]}]})";
  EXPECT_EQ(
      first_said(
          "<!--QUESTION:{\"questions\":[{\"question\":\"q\",\"options\":[\"a\",\"b\",{}]}]}-->"),
      (Said{"an option without a label was left out", shape}));
  EXPECT_EQ(
      first_said("<!--QUESTION:{\"questions\":[{\"question\":\"q\",\"multiSelect\":\"yes\"}]}-->"),
      (Said{"multiSelect is not true or false and was left out",
            "write a value of the documented type"}));
}

TEST(Check, ShowsThatAQuotedMarkerIsCut) {
  const std::string marker = "[PROGRESS] " + std::string(60, 'x');
  EXPECT_EQ(first_said("    " + marker + "\n").message,
            "indented: [PROGRESS] " + std::string(48, 'x') + "…");
  EXPECT_EQ(first_said("    [PROGRESS] x\n").message, "indented: [PROGRESS] x");
}

TEST(Check, NamesTheTextThatIsEmpty) {
  EXPECT_EQ(
      first_said("<!-- WXCODE:HEADER:{\"command\":\"\",\"args\":\"\",\"title\":\"\"} -->\n## T\n"),
      (Said{"required and empty: command, title", "give the field a value"}));
  EXPECT_EQ(
      first_said("[BLOCKED]\n"),
      (Said{"required and empty: reason", "write the value behind the bracket, on the same line"}));
}

// "at message" of each finding about text that a line of Claude carries.
List found_in_message(std::string_view text, std::string before = "") {
  std::string line =
      std::move(before) + R"({"type":"assistant","message":{"content":[{"type":"text","text":)";
  json::append_string(line, text);
  List found;
  Checker checker({}, [&found](const Finding& f) {
    if (f.rule == "noise") return;
    found.push_back(fmt::format("{} {}", f.at ? std::to_string(*f.at) : "nowhere", f.message));
  });
  checker.push(line + "}]}}\n");
  checker.finish();
  return found;
}

// All of them stand in one line of the file: only their own words tell them apart.
TEST(Check, SaysWhichMarkerOfAMessageIsMeant) {
  EXPECT_EQ(found_in_message("[PROGRESS]\n  [PROGRESS] é\n"),
            (List{"0 required and empty: message: [PROGRESS]",
                  "11 a marker starts in the first column: [PROGRESS] é"}));
  EXPECT_EQ(found_in_message("é<!-- WXCODE:STATUS:{\"a\":} --> x"),
            List{"2 bad_json: syntax at byte 24 of the marker: <!-- WXCODE:STATUS:{\"a\":} -->"});
  EXPECT_EQ(found_in_message("<!-- WXCODE:STATUS:{\"status\":\"pending\"} --> x"),
            (List{"0 a WXCODE marker stands before any HEADER: "
                  "<!-- WXCODE:STATUS:{\"status\":\"pending\"} -->",
                  "0 required and missing: message: "
                  "<!-- WXCODE:STATUS:{\"status\":\"pending\"} -->"}));
  EXPECT_EQ(found_in_message("<!--WXCODE:" + std::string(100, 'X')),
            List{"0 looks like a WXCODE marker, but is not spelled <!-- WXCODE:TYPE:{…} -->: "
                 "<!--WXCODE:" +
                 std::string(48, 'X') + "…"});
  EXPECT_EQ(found_in_message("[PROGRESS]\n", "npm warn\n"),
            List{"0 required and empty: message: [PROGRESS]"});
  EXPECT_EQ(found_in_message(headed("T", "\n\n## T\n")),
            List{"0 the line behind a HEADER should be its title: '## T'"});
}

TEST(Check, NamesTheSchemaThatIsNotKept) {
  const Said said = first_said(
      R"({"version":"3.6","schema_id":"codex/v3.6/execution_ack/v1","tool":"_codex_local_exec",)"
      R"("tool_category":"execution_ack","request_id":"0b9f7c1e-0000-4000-8000-000000000000",)"
      R"("ts":"2025-11-18T10:05:22Z","status":"ok","meta":{},"data":{"accepted":true}})"
      "\n");
  EXPECT_EQ(said.hint,
            "write it as the schema has it: dragoman schema codex/v3.6/execution_ack/v1");
}

TEST(Check, ReadsLinesUpToItsCap) {
  const std::string line =
      "{\"type\":\"thread.started\",\"thread_id\":\"" + std::string(4096, 't') + "\"}\n";
  const auto rules_at = [&line](std::size_t cap) {
    List found;
    Checker checker({Dialect::codex, Mode::standard, cap},
                    [&found](const Finding& f) { found.push_back(f.rule); });
    checker.push(line);
    checker.finish();
    return found;
  };
  EXPECT_EQ(rules_at(1024), List{"oversize"});
  EXPECT_EQ(rules_at(8192), List{});
}

TEST(Rules, AreAllInTheDocumentation) {
  const std::string docs = test::read_file(test::source_dir() / "docs" / "rules.md");
  for (const Rule& rule : rules()) {
    EXPECT_NE(docs.find(fmt::format("| `{}` | {} |", rule.id, name(rule.level))), std::string::npos)
        << rule.id;
  }
}

// Reads the sources: a reader may name a rule on a path that no test takes.
TEST(Rules, ListEveryRuleThatAReaderNames) {
  const std::regex named(R"x((?:\bfinding|findings_?\.add)\(\s*"([a-z0-9_]+)")x");
  std::set<std::string> ids;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() / "src" / "dragoman" / "dialect")) {
    const std::string text = test::read_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at)
      ids.insert((*at)[1]);
  }
  ids.erase("empty_value");  // reported as malformed
  ASSERT_GT(ids.size(), 15U);
  for (const std::string& id : ids) EXPECT_NE(find_rule(id), nullptr) << id;
}

std::string report_in(Format format) {
  Finding finding;
  finding.line = 3;
  finding.column = 7;
  finding.rule = "near_miss";
  finding.message = "bad \x1b[31m \n100%";
  finding.hint = "mend it";
  const auto reporter = make_reporter(format, false);
  std::string out;
  Tally tally{1, 0, 1, 0};
  reporter->begin(out);
  reporter->finding("a b.md", finding, out);
  reporter->finish(tally, out);
  return out;
}

TEST(Report, TextIsCalmAndInert) {
  EXPECT_EQ(report_in(Format::text),
            "a b.md:3:7: warning: bad ␛[31m ␊100% [near_miss]\n    hint: mend it\n"
            "0 errors, 1 warning, 0 notes in 1 file\n");
}

TEST(Report, GithubCommandsAreEscaped) {
  EXPECT_EQ(report_in(Format::github),
            "::warning file=a b.md,line=3,col=7,title=near_miss::bad ␛[31m ␊100%25%0Amend "
            "it\n");
}

TEST(Report, NoFormatPassesOnWhatSteersATerminalOrIsNoUtf8) {
  Finding finding;
  finding.message = "bad \x1b[2J\xff";
  finding.hint = "mend \x07";
  for (const Format format : {Format::text, Format::json, Format::sarif, Format::github}) {
    const auto reporter = make_reporter(format, false);
    std::string out;
    reporter->begin(out);
    reporter->finding("a\xff\x1b\n.md", finding, out);
    reporter->finish({1, 0, 1, 0}, out);
    EXPECT_TRUE(utf8::valid(out)) << out;
    const auto steers = [](char c) { return c != '\n' && c >= 0 && c < ' '; };
    EXPECT_TRUE(std::none_of(out.begin(), out.end(), steers)) << out;
  }
}

TEST(Report, MachinesAreToldWhereInTheTextOfALineAFindingIs) {
  Finding finding;
  finding.at = 688;
  const auto said = [&finding](Format format) {
    std::string out;
    make_reporter(format, false)->finding("a.jsonl", finding, out);
    return out;
  };
  EXPECT_NE(said(Format::json).find(R"("offset":0,"length":0,"at":688,"rule")"), std::string::npos);
  EXPECT_NE(said(Format::sarif).find(R"(}],"properties":{"at":688}})"), std::string::npos);
  finding.at.reset();
  EXPECT_EQ(said(Format::json).find("\"at\""), std::string::npos);
  EXPECT_EQ(said(Format::sarif).find("properties"), std::string::npos);
}

TEST(Report, JsonAndSarifAreOneDocument) {
  EXPECT_NE(
      report_in(Format::json).find(R"("summary":{"files":1,"errors":0,"warnings":1,"infos":0})"),
      std::string::npos);
  const std::string sarif = report_in(Format::sarif);
  EXPECT_NE(sarif.find(R"("uri":"a%20b.md")"), std::string::npos);
  EXPECT_NE(sarif.find(R"("ruleId":"near_miss","level":"warning")"), std::string::npos);
  // The hint is that of the finding, which may be another than that of its rule.
  EXPECT_NE(sarif.find(R"(\n100%\nmend it"})"), std::string::npos) << sarif;
}

}  // namespace
}  // namespace dragoman::check
