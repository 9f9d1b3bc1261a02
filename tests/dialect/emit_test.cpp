// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/emit.hpp"

#include <set>

#include <gtest/gtest.h>

namespace dragoman {
namespace {

using Arguments = std::vector<EmitArgument>;

// What is printed, or "error: …".
std::string emitted(std::string_view kind, const Arguments& arguments,
                    std::optional<Target> dialect = std::nullopt) {
  const auto result = emit(kind, arguments, dialect);
  return result ? *result : "error: " + result.error().message;
}

TEST(Emit, FillsAHeaderFromTheCatalogue) {
  EXPECT_EQ(emitted("header", {{"command", "plan-phase"}, {"args", "2"}}),
            "<!-- WXCODE:HEADER:{\"command\":\"plan-phase\",\"args\":\"2\","
            "\"title\":\"WXCODE \u25b6 PLANNING PHASE 2\",\"phase\":2} -->\n"
            "## WXCODE \u25b6 PLANNING PHASE 2\n\n");
  EXPECT_EQ(emitted("header", {{"command", "help"}}),
            "<!-- WXCODE:HEADER:{\"command\":\"help\",\"args\":\"\","
            "\"title\":\"WXCODE \u25b6 COMMAND REFERENCE\"} -->\n## WXCODE \u25b6 COMMAND "
            "REFERENCE\n\n");
  EXPECT_EQ(emitted("header", {{"command", "mine"}}),
            "error: title: is missing, and the catalogue has none for 'mine'");
  EXPECT_EQ(
      emitted("header", {{"command", "mine"}, {"title", "T"}}),
      "<!-- WXCODE:HEADER:{\"command\":\"mine\",\"args\":\"\",\"title\":\"T\"} -->\n## T\n\n");
}

TEST(Emit, SuggestsTheNextActionFromTheMapping) {
  EXPECT_EQ(emitted("next-action", {{"after", "plan-phase"}, {"after-args", "2"}}),
            "<!-- WXCODE:NEXT_ACTION:{\"command\":\"execute-phase\",\"args\":\"2\",\"description\":"
            "\"Execute the planned tasks\",\"priority\":\"recommended\"} -->\n\n"
            "**Next:** `/wxcode:execute-phase 2` \u2014 Execute the planned tasks\n\n");
  EXPECT_EQ(
      emitted("next-action", {{"after", "verify-work"}, {"after-args", "3"}, {"outcome", "gaps"}}),
      "<!-- WXCODE:NEXT_ACTION:{\"command\":\"execute-phase\",\"args\":\"3 --gaps-only\","
      "\"description\":\"Execute gap fix plans\",\"priority\":\"required\"} -->\n\n"
      "**Next:** `/wxcode:execute-phase 3 --gaps-only` \u2014 Execute gap fix plans\n\n");
  EXPECT_EQ(emitted("next-action",
                    {{"command", "approved"}, {"description", "Go on"}, {"priority", "required"}}),
            "<!-- WXCODE:NEXT_ACTION:{\"command\":\"approved\",\"description\":\"Go on\","
            "\"priority\":\"required\"} -->\n\n**Next:** `/wxcode:approved` \u2014 Go on\n\n");
  EXPECT_EQ(emitted("next-action", {}), "error: command: is missing; or say --after COMMAND");
  EXPECT_EQ(emitted("next-action", {{"after", "help"}}),
            "error: after: the documents suggest nothing after 'help'");
  EXPECT_EQ(emitted("next-action", {{"command", "mine"}}), "error: description: is missing");
}

TEST(Emit, KnowsWhichErrorsAreRecoverable) {
  EXPECT_EQ(emitted("error", {{"code", "TIMEOUT"}, {"message", "m"}}),
            "<!-- WXCODE:ERROR:{\"code\":\"TIMEOUT\",\"message\":\"m\",\"recoverable\":true} "
            "-->\n\n\u274c **Error:** m\n\n");
  EXPECT_EQ(emitted("error", {{"code", "TOOL_FAILED"}, {"message", "m"}}),
            "error: recoverable: is missing, and 'TOOL_FAILED' does not say");
  EXPECT_EQ(emitted("error", {{"code", "TOOL_FAILED"}, {"message", "m"}, {"recoverable", "false"}})
                .substr(0, 73),
            "<!-- WXCODE:ERROR:{\"code\":\"TOOL_FAILED\",\"message\":\"m\",\"recoverable\":false");
}

TEST(Emit, ChecksItsArguments) {
  EXPECT_EQ(emitted("status", {{"status", "done"}, {"message", "m"}}),
            "error: status: 'done' is not one of pending, in_progress, completed, failed, paused");
  EXPECT_EQ(emitted("status", {{"status", "completed"}}), "error: message: is missing");
  EXPECT_EQ(emitted("status", {{"status", "completed"}, {"message", ""}}),
            "error: message: is empty");
  EXPECT_EQ(emitted("status", {{"status", "completed"}, {"message", "m"}, {"progress", "120"}}),
            "error: progress: '120' is not within 0 and 100");
  EXPECT_EQ(emitted("status", {{"status", "completed"}, {"message", "m"}, {"progress", "ten"}}),
            "error: progress: 'ten' is not a number");
  EXPECT_EQ(emitted("status", {{"status", "completed"}, {"message", "m"}, {"message", "n"}}),
            "error: message: given twice");
  EXPECT_EQ(emitted("status", {{"nonsense", "1"}}), "error: status has no field 'nonsense'");
  EXPECT_EQ(emitted("progress", {{"message", "\xff"}}), "error: message: not UTF-8");
  EXPECT_EQ(emitted("tool-result", {{"tool", "Bash"}, {"success", "yes"}}),
            "error: success: 'yes' is neither true nor false");
  EXPECT_EQ(emitted("complete", {{"iterations", "2.5"}}),
            "error: iterations: '2.5' is not a whole number from 0 on");
  EXPECT_EQ(emitted("server-ready", {{"url", "ftp://x"}}),
            "error: url: 'ftp://x' is neither http:// nor https://");
  EXPECT_EQ(emitted("banner", {}), "error: nothing is called 'banner'");
}

TEST(Emit, NamesTheFieldAndWhatIsWrongWithIt) {
  EXPECT_EQ(emitted("status", {{"status", "completed"}, {"message", " \n"}}),
            "error: message: is empty");
  EXPECT_EQ(emitted("header", {{"command", "/wxcode:"}}), "error: command: is empty");
  EXPECT_EQ(emitted("header", {{"command", "help"}, {"title", ""}}), "error: title: is empty");
  EXPECT_EQ(emitted("next-action", {{"command", "help"}, {"description", " "}}),
            "error: description: is empty");
  EXPECT_EQ(emitted("question", {{"text", "t"}, {"option", " - first"}, {"option", "b"}}),
            "error: option: ' - first' has no label");
  EXPECT_EQ(emitted("files-modified", {{"modified", " lead"}}),
            "error: modified: ' lead' begins or ends with a blank");
  EXPECT_EQ(emitted("files-modified", {{"created", "`a`"}}),
            "error: created: '`a`' stands in backticks");
  EXPECT_EQ(emitted("files-modified", {{"renamed", "a -> b -> c"}}),
            "error: renamed: 'b -> c' holds ' -> '");
  EXPECT_EQ(emitted("dependency", {{"name", "a b"}}),
            "error: name: 'a b' holds a blank or a bracket");
  EXPECT_EQ(emitted("dependency", {{"name", "a"}, {"version", "1@2"}}),
            "error: version: '1@2' holds an '@'");
  EXPECT_EQ(emitted("dependency", {{"name", "a"}, {"manager", "npm (x)"}}),
            "error: manager: 'npm (x)' holds a bracket");
  EXPECT_EQ(emitted("goto", {{"step", " a  b "}}),
            "error: step: ' a  b ' begins or ends with a blank");
  EXPECT_EQ(emitted("goto", {{"step", "a/b"}}),
            "error: step: 'a/b' holds something else than letters, digits, '_', '-' and blanks");
  EXPECT_EQ(emitted("goto", {{"step", "-a"}}),
            "error: step: '-a' does not begin with a letter, a digit or '_'");
  EXPECT_EQ(emitted("dashboard-updated", {{"path", "a\nb"}}),
            "error: path: 'a\nb' holds a line end");
  EXPECT_EQ(emitted("test-results", {{"passed", "1"}, {"failing", " x"}}),
            "error: failing: ' x' begins or ends with a blank");
}

TEST(Emit, WritesAQuestionInTheDialectThatIsAskedFor) {
  Arguments arguments = {{"text", "Which?"}, {"option", "a - first"}, {"option", "b"}};
  EXPECT_EQ(emitted("question", arguments),
            "<!--QUESTION:{\"questions\":[{\"question\":\"Which?\",\"options\":[{\"label\":\"a\","
            "\"description\":\"first\"},{\"label\":\"b\"}]}]}-->\n");
  arguments.push_back({"context", "why"});
  EXPECT_EQ(emitted("question", arguments),
            "error: context: the dialect question has no place for it");
  EXPECT_EQ(emitted("question", arguments, Target::markers),
            "[QUESTION] Which?\nOptions:\n1. a - first\n2. b\nwhy\n\n\n");
  EXPECT_EQ(emitted("question", {{"text", "Which?"}, {"option", "a"}}),
            "error: option: 1 given; a question has 2 to 4, or none for free text");
  EXPECT_EQ(emitted("progress", {{"message", "m"}}, Target::wxcode),
            "error: the dialect wxcode has no marker for progress");
}

TEST(Emit, WritesEveryKindFromItsRequiredFields) {
  const std::vector<std::pair<std::string_view, Arguments>> given = {
      {"header", {{"command", "help"}}},
      {"tool", {{"tool", "Bash"}, {"description", "d"}}},
      {"tool-result", {{"tool", "Bash"}, {"success", "true"}}},
      {"status", {{"status", "pending"}, {"message", "m"}}},
      {"next-action", {{"after", "plan-phase"}}},
      {"error", {{"code", "TIMEOUT"}, {"message", "m"}}},
      {"dashboard-updated", {{"path", "p"}}},
      {"schema-dashboard-updated", {{"path", "p"}}},
      {"schema-status-updated", {{"path", "p"}}},
      {"design-tokens-updated", {{"path", "p"}}},
      {"design-variables-updated", {{"path", "p"}}},
      {"start-dev-created", {{"path", "p"}}},
      {"server-ready", {{"url", "http://localhost"}}},
      {"question", {{"text", "t"}}},
      {"finished", {}},
      {"goto", {{"step", "s"}}},
      {"progress", {{"message", "m"}}},
      {"blocked", {{"reason", "r"}}},
      {"files-modified", {{"created", "a"}, {"renamed", "b -> c"}}},
      {"complete", {{"iterations", "3"}}},
      {"need-context", {{"type", "t"}, {"query", "q"}}},
      {"test-results", {{"passed", "3"}, {"failing", "a test"}}},
      {"lint-warnings", {{"item", "a.c:1:2: error m [r]"}, {"item", "b.c:3: m"}}},
      {"dependency", {{"name", "n"}}},
      {"commit", {{"subject", "s"}}},
  };
  std::vector<std::string_view> kinds;
  for (const EmitKind& kind : emit_kinds()) kinds.push_back(kind.name);
  std::vector<std::string_view> tried;
  for (const auto& [kind, arguments] : given) {
    tried.push_back(kind);
    for (const Target dialect : find_emit_kind(kind)->dialects) {
      const std::string out = emitted(kind, arguments, dialect);
      EXPECT_FALSE(out.starts_with("error")) << kind << ": " << out;
      EXPECT_TRUE(out.ends_with("\n"));
    }
  }
  EXPECT_EQ(tried, kinds);
  EXPECT_EQ(emitted("lint-warnings", {{"item", "a.c:1:2: error m [r]"}, {"item", "b.c:3: m"}}),
            "[LINT_WARNINGS]\n- a.c:1:2: error m [r]\n- b.c:3: warning m\n\n");
  EXPECT_EQ(emitted("test-results", {{"passed", "3"}, {"failing", "a test"}}),
            "[TEST_RESULTS] passed=3 failed=1 skipped=0\n- a test (failed)\n\n");
  EXPECT_EQ(emitted("files-modified", {{"created", "a"}, {"renamed", "b -> c"}}),
            "[FILES_MODIFIED]\n- a (created)\n- b -> c (renamed)\n\n");
}

TEST(Emit, DescribesItsFieldsForTheCommandLine) {
  for (const EmitKind& kind : emit_kinds()) {
    EXPECT_NE(kind.help, "") << kind.name;
    EXPECT_FALSE(kind.dialects.empty()) << kind.name;
    std::set<std::string_view> names;
    int positional = 0;
    for (const EmitField& field : kind.fields) {
      EXPECT_TRUE(names.insert(field.name).second) << kind.name << " " << field.name;
      EXPECT_NE(field.help, "") << kind.name << " " << field.name;
      EXPECT_EQ(field.type == EmitType::choice, !field.choices.empty());
      positional += field.positional ? 1 : 0;
    }
    EXPECT_LE(positional, 1) << kind.name;
  }
}

}  // namespace
}  // namespace dragoman
