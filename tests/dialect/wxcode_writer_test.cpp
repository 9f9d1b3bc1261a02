// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/writing.hpp"

namespace dragoman {
namespace {

using test::event_of;
using test::refusal;
using test::text_event;
using test::written;

Status status_of(std::string_view state, std::string_view message) {
  Status p;
  p.status = state;
  p.message = message;
  return p;
}

std::string wxcode(const std::vector<Event>& events) { return written(Target::wxcode, events); }

TEST(WxcodeWriter, PutsTheTitleDirectlyBehindItsHeader) {
  CommandStarted p;
  p.command = "plan-phase";
  p.args = "2";
  p.title = "WXCODE \u25b6 PLANNING PHASE 2";
  p.phase = Number::of(std::int64_t{2});
  EXPECT_EQ(wxcode({event_of(p)}),
            "<!-- WXCODE:HEADER:{\"command\":\"plan-phase\",\"args\":\"2\","
            "\"title\":\"WXCODE \u25b6 PLANNING PHASE 2\",\"phase\":2} -->\n"
            "## WXCODE \u25b6 PLANNING PHASE 2\n");
  p.args = {};
  p.phase.reset();
  EXPECT_EQ(wxcode({event_of(p)}).substr(0, 62),
            "<!-- WXCODE:HEADER:{\"command\":\"plan-phase\",\"args\":null,\"title\"");
}

TEST(WxcodeWriter, SaysForPeopleWhatAToolDoes) {
  ToolStarted p;
  p.tool = "Bash";
  p.description = "Get model profile";
  p.command = std::string_view("cat .planning/config.json");
  EXPECT_EQ(wxcode({event_of(p)}),
            "<!-- WXCODE:TOOL:{\"tool\":\"Bash\",\"description\":\"Get model profile\","
            "\"command\":\"cat .planning/config.json\"} -->\n\n**Running:** Get model profile\n");
  for (const auto& [tool, doing] :
       std::vector<std::pair<std::string_view, std::string>>{{"Read", "**Reading:** `a b.md`"},
                                                             {"Write", "**Writing:** `a b.md`"},
                                                             {"Edit", "**Editing:** `a b.md`"},
                                                             {"Grep", "**Running:** look"}}) {
    ToolStarted file;
    file.tool = tool;
    file.description = "look";
    file.file = "a b.md";
    EXPECT_TRUE(wxcode({event_of(file)}).ends_with("} -->\n\n" + doing + "\n")) << tool;
  }
}

TEST(WxcodeWriter, DescribesACallThatItsAgentDidNot) {
  ToolStarted p;
  p.tool = "Bash";
  p.command = std::string_view("ls\n-la");
  EXPECT_EQ(
      wxcode({event_of(p)}),
      "<!-- WXCODE:TOOL:{\"tool\":\"Bash\",\"description\":\"ls -la\",\"command\":\"ls\\n-la\"} "
      "-->\n\n**Running:** ls -la\n");
}

TEST(WxcodeWriter, ReportsHowAToolEnded) {
  ToolFinished p;
  p.tool = "Bash";
  p.output = std::string_view("balanced");
  p.duration_ms = Number::of(std::int64_t{45});
  EXPECT_EQ(wxcode({event_of(p)}),
            "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":true,\"output\":\"balanced\","
            "\"duration_ms\":45} -->\n\n\u2713 Bash (45ms)\n");
  ToolFinished failed;
  failed.tool = "Bash";
  failed.outcome = Outcome::failed;
  failed.error = std::string_view("no such file");
  EXPECT_EQ(wxcode({event_of(failed)}),
            "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":false,\"error\":\"no such "
            "file\"} -->\n\n\u2717 Bash: no such file\n");
  ToolFinished denied;
  denied.tool = "Write";
  denied.outcome = Outcome::denied;
  EXPECT_EQ(wxcode({event_of(denied)}),
            "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Write\",\"success\":false,\"error\":\"denied\"} "
            "-->\n\n\u2717 Write: denied\n");
}

TEST(WxcodeWriter, NamesTheToolOfAResultThatOnlyHasAnId) {
  ToolStarted start;
  start.id = "toolu_1";
  start.tool = "Bash";
  start.description = "x";
  ToolFinished end;
  end.id = "toolu_1";
  EXPECT_TRUE(wxcode({event_of(start), event_of(end)})
                  .ends_with("<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":true} "
                             "-->\n\n\u2713 Bash\n"));
  EXPECT_EQ(refusal(Target::wxcode, event_of(end)), "TOOL_RESULT: the tool is empty");
}

TEST(WxcodeWriter, CutsAToolsOutputToTwoHundredCodePoints) {
  const auto output_of = [](const std::string& output) {
    ToolFinished p;
    p.tool = "Bash";
    p.output = std::string_view(output);
    const std::string out = wxcode({event_of(p)});
    const std::size_t begin = out.find("\"output\":\"") + 10;
    return out.substr(begin, out.find("\"} -->") - begin);
  };
  EXPECT_EQ(output_of(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(output_of(std::string(250, 'x')), std::string(199, 'x') + "\u2026");
  std::string accents;
  for (int i = 0; i < 201; ++i) accents += "\u00e9";
  EXPECT_EQ(output_of(accents), accents.substr(0, 398) + "\u2026");
}

TEST(WxcodeWriter, ShowsEachStatusInItsOwnWay) {
  const std::vector<std::pair<std::string_view, std::string>> lines = {
      {"in_progress", "\u23f3 Wave 1..."},
      {"completed", "\u2705 Wave 1"},
      {"failed", "\u274c Wave 1"},
      {"paused", "\u23f8 Wave 1"},
      {"pending", "Wave 1"},
  };
  for (const auto& [state, line] : lines) {
    EXPECT_EQ(wxcode({event_of(status_of(state, "Wave 1"))}),
              "<!-- WXCODE:STATUS:{\"status\":\"" + std::string(state) +
                  "\",\"message\":\"Wave 1\"} -->\n\n" + line + "\n");
  }
  Status full = status_of("in_progress", "m");
  full.progress = Number::of(62.5);
  full.phase = Number::of(std::int64_t{3});
  full.plan = "03-01";
  full.task = "t";
  EXPECT_TRUE(wxcode({event_of(full)})
                  .starts_with("<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\"m\","
                               "\"progress\":62.5,\"phase\":3,\"plan\":\"03-01\",\"task\":\"t\"}"));
}

TEST(WxcodeWriter, SuggestsAndComplains) {
  NextAction next;
  next.command = "verify-work";
  next.args = "3";
  next.description = "Validate the implemented features";
  EXPECT_EQ(wxcode({event_of(next)}),
            "<!-- WXCODE:NEXT_ACTION:{\"command\":\"verify-work\",\"args\":\"3\",\"description\":"
            "\"Validate the implemented features\",\"priority\":\"recommended\"} -->\n\n"
            "**Next:** `/wxcode:verify-work 3` \u2014 Validate the implemented features\n");
  Failure failure;
  failure.code = "MCP_UNAVAILABLE";
  failure.message = std::string_view("Cannot connect");
  failure.recoverable = Recoverable::true_;
  failure.suggestion = "Check the server";
  EXPECT_EQ(wxcode({event_of(failure)}),
            "<!-- WXCODE:ERROR:{\"code\":\"MCP_UNAVAILABLE\",\"message\":\"Cannot connect\","
            "\"recoverable\":true,\"suggestion\":\"Check the server\"} -->\n\n"
            "\u274c **Error:** Cannot connect\n\U0001f4a1 Check the server\n");
}

TEST(WxcodeWriter, NamesCommandsWithoutTheirPrefix) {
  NextAction next;
  next.command = "/wxcode:verify-work";
  next.description = "Validate";
  EXPECT_EQ(
      wxcode({event_of(next)}),
      "<!-- WXCODE:NEXT_ACTION:{\"command\":\"verify-work\",\"description\":\"Validate\","
      "\"priority\":\"recommended\"} -->\n\n**Next:** `/wxcode:verify-work` \u2014 Validate\n");
}

TEST(WxcodeWriter, TheCodeSaysWhetherAnErrorCanBeRecoveredFromWhereNobodyElseDoes) {
  Failure failure;
  failure.code = "MCP_UNAVAILABLE";
  failure.message = std::string_view("Cannot connect");
  EXPECT_NE(wxcode({event_of(failure)}).find("\"recoverable\":true"), std::string::npos);
  failure.code = "NOBODY_KNOWS";
  EXPECT_EQ(wxcode({event_of(failure)}).find("recoverable"), std::string::npos);
}

TEST(WxcodeWriter, WritesTheTagLinesAndTheOtherComments) {
  ArtifactUpdated artifact;
  artifact.artifact = "dashboard";
  artifact.path = ".planning/dashboard.json";
  Question question;
  question.text = "Which --> one?";
  const std::vector<Option> options = {{"a", "first"}, {"b", {}}};
  question.options = options;
  question.free_text = true;
  EXPECT_EQ(wxcode({event_of(artifact), event_of(ServerReady{"http://localhost:3000"}),
                    event_of(question), event_of(CompletionClaimed{"finished", {}, {}}),
                    event_of(GoTo{"step two"})}),
            "[WXCODE:DASHBOARD_UPDATED] .planning/dashboard.json\n"
            "[WXCODE:SERVER_READY] http://localhost:3000\n"
            "<!--QUESTION:{\"questions\":[{\"question\":\"Which --\\u003e one?\",\"options\":["
            "{\"label\":\"a\",\"description\":\"first\"},{\"label\":\"b\"}]}]}-->\n"
            "<!--FINISHED-->\n<!--GOTO:step two-->\n");
}

TEST(WxcodeWriter, EscapesWhatWouldEndAComment) {
  EXPECT_TRUE(
      wxcode({event_of(status_of("in_progress", "see {x} --> done \u2028 \u00e9"))})
          .starts_with("<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\"see {x} "
                       "--\\u003e done \\u2028 \u00e9\"} -->\n\n"));
}

TEST(WxcodeWriter, RefusesWhatTheSpecificationForbids) {
  const auto why = [](const auto& payload) { return refusal(Target::wxcode, event_of(payload)); };
  EXPECT_EQ(why(status_of("done", "m")),
            "STATUS: 'done' is not pending, in_progress, completed, failed or paused");
  EXPECT_EQ(why(status_of("completed", " \n")), "STATUS: the message is empty");
  for (const double progress : {-0.5, 100.5, 1e9}) {
    Status p = status_of("completed", "m");
    p.progress = Number::of(progress);
    EXPECT_EQ(why(p), "STATUS: the progress is not within 0 and 100");
  }
  CommandStarted header;
  EXPECT_EQ(why(header), "HEADER: the command is empty");
  header.command = "help";
  EXPECT_EQ(why(header), "HEADER: the title is empty");
  NextAction next;
  next.command = "help";
  EXPECT_EQ(why(next), "NEXT_ACTION: the description is empty");
  next.description = "d";
  next.priority = "urgent";
  EXPECT_EQ(why(next), "NEXT_ACTION: 'urgent' is not required, recommended or optional");
  Failure failure;
  failure.code = "X";
  EXPECT_EQ(why(failure), "ERROR: the message is empty");
  EXPECT_EQ(why(ServerReady{"http://a\n[PROGRESS] forged"}),
            "SERVER_READY: the value cannot stand on a line of its own");
  EXPECT_EQ(why(GoTo{"a --> b"}),
            "GOTO: the step holds something else than letters, digits, '_', '-' and blanks");
}

TEST(WxcodeWriter, SaysWhatItCannotExpress) {
  const auto writer = make_writer(Target::wxcode);
  std::string out;
  for (const Event& event :
       {event_of(Usage{}), event_of(Blocked{"no url", {}}), event_of(Status{}),
        event_of(Thinking{}), event_of(Diagnostic{}), event_of(QuotedMarker{})}) {
    EXPECT_EQ(*writer->write(event, out), Written::no) << name(event.kind());
  }
  EXPECT_EQ(out, "");
}

TEST(WxcodeWriter, AsksEachQuestionOnceAndOnlyWhileItIsOpen) {
  const auto writer = make_writer(Target::wxcode);
  std::string out;
  Question q;
  q.id = "q-1";
  q.text = "Which?";
  q.state = QuestionState::answered;
  EXPECT_EQ(*writer->write(event_of(q), out), Written::no);
  q.state = QuestionState::open;
  EXPECT_EQ(*writer->write(event_of(q), out), Written::yes);
  EXPECT_EQ(*writer->write(event_of(q), out), Written::no);
}

TEST(WxcodeWriter, KeepsFieldsThatTheSpecificationDoesNotName) {
  Event event = event_of(status_of("in_progress", "m"), Dialect::wxcode);
  const std::vector<Extra> extra = {{"issues", Raw{"[1, 2]"}}};
  event.extra = extra;
  EXPECT_TRUE(wxcode({event}).starts_with(
      "<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\"m\",\"issues\":[1,2]} -->"));
  const std::vector<Extra> wrong = {{"progress", Raw{"\"half\""}}};
  event.extra = wrong;
  EXPECT_EQ(refusal(Target::wxcode, event),
            "progress: not the type that the specification asks for");
  event.origin.dialect = Dialect::claude;
  EXPECT_EQ(refusal(Target::wxcode, event), "");
}

TEST(WxcodeWriter, DoesNotRepeatALineThatTheTextAlreadyHas) {
  const Event event = event_of(status_of("in_progress", "Creating plan"));
  const std::string marker =
      "<!-- WXCODE:STATUS:{\"status\":\"in_progress\",\"message\":\"Creating plan\"} -->";
  EXPECT_EQ(wxcode({event, text_event("\n\n\u23f3 Creating plan...\nmore\n")}),
            marker + "\n\n\u23f3 Creating plan...\nmore\n");
  EXPECT_EQ(wxcode({event, text_event("\n"), text_event("\n"), text_event("other\n")}),
            marker + "\n\n\u23f3 Creating plan...\n\nother\n");
  EXPECT_EQ(
      wxcode({event, text_event("other\n"), event}),
      marker + "\n\n\u23f3 Creating plan...\n\nother\n" + marker + "\n\n\u23f3 Creating plan...\n");
  EXPECT_EQ(wxcode({event, event}),
            marker + "\n\n\u23f3 Creating plan...\n\n" + marker + "\n\n\u23f3 Creating plan...\n");
}

TEST(WxcodeWriter, SaysAbandonedOnlyOfAToolThatLeftNothing) {
  ToolFinished tool;
  tool.tool = "Bash";
  tool.outcome = Outcome::abandoned;
  EXPECT_EQ(written(Target::wxcode, {event_of(tool)}),
            "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":false,\"error\":\"abandoned\"} "
            "-->\n\n\u2717 Bash: abandoned\n");
  tool.output = std::string_view("all good");
  EXPECT_EQ(written(Target::wxcode, {event_of(tool)}),
            "<!-- WXCODE:TOOL_RESULT:{\"tool\":\"Bash\",\"success\":false,\"output\":\"all good\"} "
            "-->\n\n\u2717 Bash\n");
}

TEST(WxcodeWriter, LeavesALineForPeopleInTheAgentsOwnWords) {
  const std::string said =
      "<!-- WXCODE:STATUS:{\"status\":\"completed\",\"message\":\"Done\"} -->\n\u2705 All of it\n";
  Status status;
  status.status = "completed";
  status.message = std::string_view("Done");
  EXPECT_EQ(written(Target::wxcode, {event_of(status), text_event("\n\u2705 All of it\n")}), said);
}

}  // namespace
}  // namespace dragoman
