// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dragoman/agent/claude_control.hpp"
#include "dragoman/agent/wire.hpp"

namespace dragoman::agent {
namespace {

Launch started(std::string_view agent, Request request, std::string_view session = {},
               std::span<const Answered> answers = {}) {
  const std::string prompt = request.prompt;
  const std::string resumed(session.empty() ? std::string_view(request.resume) : session);
  return make_wire(*find_agent(agent))->start(request, {resumed, prompt, answers});
}

Asked asked(std::string text, std::vector<Choice> options) {
  Asked out;
  out.id = "q-1";
  out.text = std::move(text);
  out.options = std::move(options);
  out.free_text = true;
  return out;
}

const std::vector<std::string> kClaude = {"claude",
                                          "-p",
                                          "--input-format",
                                          "stream-json",
                                          "--output-format",
                                          "stream-json",
                                          "--verbose",
                                          "--replay-user-messages",
                                          "--permission-prompt-tool",
                                          "stdio"};

std::vector<std::string> claude_and(std::vector<std::string> more) {
  more.insert(more.begin(), kClaude.begin(), kClaude.end());
  return more;
}

TEST(ClaudeAgent, TakesThePromptOnStdinAndKeepsTheConversationOpen) {
  Request request;
  request.prompt = "--help \"me\"\n$(id)";
  EXPECT_EQ(started("claude", request),
            (Launch{kClaude,
                    R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":)"
                    R"x("--help \"me\"\n$(id)"}]}})x"
                    "\n",
                    Launch::Stdin::conversation}));
}

TEST(ClaudeAgent, PassesItsOptionsOn) {
  Request request;
  request.session_id = "00000000-0000-4000-8000-000000000001";
  request.model = "opus";
  request.permission_mode = "plan";
  request.budget_usd = "1.5";
  request.allowed_tools = {"Bash(git *),Edit"};
  request.mcp_configs = {"mcp.json"};
  request.words = {"--add-dir", "x"};
  EXPECT_EQ(started("claude", request).argv,
            claude_and({"--session-id", request.session_id, "--model", "opus", "--permission-mode",
                        "plan", "--max-budget-usd", "1.5", "--allowedTools", "Bash(git *),Edit",
                        "--mcp-config", "mcp.json", "--add-dir", "x"}));
}

TEST(ClaudeAgent, GoesOnWithTheSessionAndTheAnswerAlone) {
  const Answered answer{asked("Which?", {{"OAuth2", ""}, {"JWT", ""}}), {{2}, {}}};
  const Launch launch = started("claude", Request{}, "session-1", std::vector{answer});
  EXPECT_EQ(launch.argv, claude_and({"--resume", "session-1"}));
  EXPECT_EQ(launch.input, user_message("JWT", {}));
}

TEST(CodexAgent, ReadsThePromptFromStdinToItsEnd) {
  Request request;
  request.prompt = "-";
  request.model = "gpt-5.5";
  request.sandbox = "read-only";
  request.output_schema = "schema.json";
  request.words = {"--skip-git-repo-check"};
  EXPECT_EQ(started("codex", request),
            (Launch{{"codex", "exec", "--json", "--model", "gpt-5.5", "--sandbox", "read-only",
                     "--output-schema", "schema.json", "--skip-git-repo-check", "-"},
                    "-",
                    Launch::Stdin::closed}));
}

TEST(CodexAgent, ResumesBehindTheOptionsOfExec) {
  Request request;
  request.resume = "01a1e0cc-1d02-7023-8251-bb6257d0d124";
  request.sandbox = "workspace-write";
  EXPECT_EQ(started("codex", request).argv,
            (std::vector<std::string>{"codex", "exec", "--json", "--sandbox", "workspace-write",
                                      "resume", request.resume, "-"}));
}

TEST(ExecutorAgent, IsCalledAgainWithTheAnswersAddedToTheDescription) {
  Request request;
  request.words = {"executor", "task-1", "Do it", "plan.md"};
  EXPECT_EQ(started("executor", request),
            (Launch{{"executor", "task-1", "Do it", "plan.md"}, "", Launch::Stdin::closed}));
  const std::vector<Answered> answers = {
      {asked("Where?", {{"localStorage", ""}, {"sessionStorage", ""}}), {{1}, {}}},
      {asked("Which URL?", {}), {{}, "http://localhost"}}};
  const Launch again = started("executor", request, {}, answers);
  EXPECT_EQ(again.argv,
            (std::vector<std::string>{
                "executor", "task-1",
                "Do it Answer: Use option 1 (localStorage) Answer: http://localhost", "plan.md"}));
}

TEST(Agents, NeverPutAPromptIntoTheArguments) {
  const std::vector<std::string> prompts = {"-",
                                            "--",
                                            "--resume",
                                            "@file",
                                            "",
                                            "a\nb",
                                            "$(id)",
                                            "--settings={\"hooks\":{}}",
                                            std::string(1 << 20, 'x')};
  for (const AgentRow& row : agents()) {
    if (row.program.empty()) continue;
    const std::string_view name = row.name;
    const std::vector<std::string> usual = started(name, Request{}).argv;
    for (const std::string& prompt : prompts) {
      Request request;
      request.prompt = prompt;
      EXPECT_EQ(started(name, request).argv, usual) << name << " " << prompt.substr(0, 40);
    }
  }
}

struct Refusal {
  std::string agent;
  std::string option;
  Request request;
};

TEST(Agents, RefuseOptionsThatTheyHaveNoUseFor) {
  std::vector<Refusal> table(7);
  table[0] = {"claude", "sandbox", {}};
  table[0].request.sandbox = "read-only";
  table[1] = {"codex", "permission-mode", {}};
  table[1].request.permission_mode = "plan";
  table[2] = {"codex", "session-id", {}};
  table[2].request.session_id = "x";
  table[3] = {"codex", "budget", {}};
  table[3].request.budget_usd = "1";
  table[4] = {"executor", "model", {}};
  table[4].request.model = "x";
  table[5] = {"command", "resume", {}};
  table[5].request.resume = "x";
  table[6] = {"command", "mcp-config", {}};
  table[6].request.mcp_configs = {"x"};
  for (const Refusal& row : table) {
    const auto checked = find_agent(row.agent)->check(row.request);
    ASSERT_FALSE(checked) << row.agent << " " << row.option;
    EXPECT_EQ(checked.error().message,
              "--" + row.option + " has no meaning for --agent " + row.agent);
  }
}

// They become words of the agent's command line, where the first of these would be options.
TEST(Agents, RefuseValuesThatAreNone) {
  Request model;
  model.model = "--settings={}";
  Request sandbox;
  sandbox.sandbox = "--yolo";
  Request permission;
  permission.permission_mode = "plan --verbose";
  EXPECT_FALSE(find_agent("claude")->check(model));
  EXPECT_FALSE(find_agent("codex")->check(model));
  EXPECT_FALSE(find_agent("codex")->check(sandbox));
  EXPECT_FALSE(find_agent("claude")->check(permission));
  model.model = "us.vendor/opus-4.5:1";
  permission.permission_mode = "bypassPermissions";
  EXPECT_TRUE(find_agent("codex")->check(model));
  EXPECT_TRUE(find_agent("claude")->check(permission));
}

TEST(Agents, KnowWhatCannotBeASession) {
  for (const std::string_view id :
       {"not-a-uuid", "", "../x", "sess_abc123def456", "01a1e0cc-1d02-7023-8251-bb6257d0d12g",
        "01a1e0cc-1d02-7023-8251-bb6257d0d1244"}) {
    EXPECT_FALSE(find_agent("codex")->is_session_id(id)) << id;
    EXPECT_FALSE(find_agent("claude")->is_session_id(id)) << id;
  }
  EXPECT_TRUE(find_agent("codex")->is_session_id("01a1e0cc-1d02-7023-8251-bb6257d0d124"));
}

TEST(Answers, OfSeveralQuestionsAreALineEach) {
  Asked first = asked("Which database?", {{"SQLite", ""}});
  first.header = "Database";
  const std::vector<Answered> answers = {{first, {{1}, {}}}, {asked("Which name?", {}), {{}, "x"}}};
  EXPECT_EQ(answers_as_prompt(answers), "Database: SQLite\nWhich name?: x");
}

}  // namespace
}  // namespace dragoman::agent
