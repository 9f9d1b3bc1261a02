// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/clean_event.hpp"

#include <array>

#include <gtest/gtest.h>

#include "dragoman/event/json.hpp"

namespace dragoman::record {
namespace {

const std::string kSecret = "Gr\xc3\xbcn&Tee99x";

std::shared_ptr<const redact::Rules> rules_with_secret() {
  static const auto kRules = redact::make_rules({kSecret});
  return kRules;
}

std::string cleaned(const Event& event) {
  const CleanEvent clean(event, rules_with_secret());
  return to_json(clean.event());
}

void expect_clean(Event event) {
  const std::string line = cleaned(event);
  EXPECT_NE(line.find("[REDACTED:environment]"), std::string::npos) << line;
  EXPECT_EQ(line.find("Tee99x"), std::string::npos) << line;
}

TEST(CleanEvent, HasNoSecretInAnyFieldOfAnyKind) {
  const std::string_view secret = kSecret;
  const json::Text text(secret);
  const json::Text escaped(R"(a\nGr\u00fcn\u0026Tee99x)", true);
  const Raw raw{R"({"command":["echo Gr\u00fcn\u0026Tee99x",1]})"};
  const std::array<std::string_view, 2> words = {"one", secret};
  const std::array<McpServer, 1> servers = {McpServer{secret, "ok"}};
  const std::array<Option, 2> options = {Option{"A", "first"}, Option{"B", secret}};
  const std::array<FileChange, 1> files = {FileChange{secret, FileAction::renamed, "a", ""}};
  const std::array<Field, 1> fields = {Field{"query", secret}};
  const std::array<TestCase, 1> tests = {TestCase{"one", "failed", secret}};
  const std::array<LintItem, 1> lints = {LintItem{secret, 1, 1, "error", "m", "r"}};
  const std::array<Dependency, 1> needs = {Dependency{"a", "1", "npm", secret}};
  SessionStarted session;
  session.tools = words;
  SessionStarted serving;
  serving.mcp_servers = servers;
  ToolStarted tool;
  tool.input = raw;
  ToolStarted command;
  command.command = escaped;
  ToolFinished finished;
  finished.error = text;
  Status status;
  status.message = escaped;
  Question question;
  question.options = options;
  Question asked;
  asked.context = words;
  ContextRequest request;
  request.all = fields;
  for (const Payload& payload :
       std::initializer_list<Payload>{session,
                                      serving,
                                      DisplayText{escaped, 1},
                                      DisplayText{text, 1},
                                      Thinking{escaped, {}},
                                      tool,
                                      command,
                                      finished,
                                      status,
                                      question,
                                      asked,
                                      Blocked{"b", words},
                                      FilesChanged{files, true},
                                      NextAction{"c", secret, "", ""},
                                      GoTo{secret},
                                      request,
                                      TestResults{0, 1, 0, {}, "", tests},
                                      LintWarnings{lints, ""},
                                      DependencyNeeded{needs},
                                      CommitSuggestion{"s", secret},
                                      QuotedMarker{secret, "fence"},
                                      Malformed{secret, "r", "", ""},
                                      Oversize{9, "h", secret},
                                      Unknown{"t", raw},
                                      Diagnostic{"r", Level::info, secret},
                                      ArtifactUpdated{"", "", "", secret},
                                      ServerReady{secret},
                                      TurnFinished{true, "", "", {}, {}, escaped}}) {
    Event event;
    event.payload = payload;
    expect_clean(event);
  }
  Event extra;
  extra.payload = Status{};
  const std::array<Extra, 2> extras = {Extra{"note", raw}, Extra{"other", Raw{"1"}}};
  extra.extra = extras;
  expect_clean(extra);
}

TEST(CleanEvent, IsTheEventItselfWhereThereIsNone) {
  Event event;
  event.payload =
      DisplayText{json::Text(R"(no secret, but a \u201ctoken\u201d of caf\u00e9)", true), 1};
  const CleanEvent clean(event, rules_with_secret());
  EXPECT_EQ(&clean.event(), &event);
}

TEST(CleanEvent, LeavesTheRestOfAValueAsTheAgentWroteIt) {
  Event event;
  event.payload = Unknown{"t", Raw{R"({"a": 1.50, "b":"\u0041","c":"x Gr\u00fcn\u0026Tee99x"})"}};
  EXPECT_NE(cleaned(event).find(R"({"a":1.50,"b":"A","c":"x [REDACTED:environment]"})"),
            std::string::npos)
      << cleaned(event);
}

}  // namespace
}  // namespace dragoman::record
