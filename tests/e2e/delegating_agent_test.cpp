// SPDX-License-Identifier: Apache-2.0
// Claude Code with our MCP server hands a task to another agent, waits for it and reports.
#include <gmock/gmock.h>

#include "tests/e2e/model.hpp"
#include "tests/e2e/run_support.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;

TEST(DelegatingAgent, ClaudeCodeCompletesADelegationOverOurServer) {
  if (!std::filesystem::exists(agents() / ".bin/claude")) {
    ASSERT_EQ(std::getenv("DRAGOMAN_NO_SKIP"), nullptr)
        << "the agents are not installed: npm ci --prefix tests/agents";
    GTEST_SKIP() << "the agents are not installed: npm ci --prefix tests/agents";
  }
  if (dragoman({.arguments = {"help", "mcp"}}).exit_code != 0)
    GTEST_SKIP() << "this build has no command mcp";
  const Model model;
  RunPlace place;
  std::filesystem::create_symlink(std::filesystem::canonical(agents() / ".bin/claude"),
                                  place.bin() / "claude");
  place.more_environment = {"ANTHROPIC_BASE_URL=" + model.url(),
                            "ANTHROPIC_API_KEY=nothing",
                            "DISABLE_TELEMETRY=1",
                            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                            "CLAUDE_CODE_MAX_RETRIES=1",
                            "IS_SANDBOX=1",
                            "CLAUDE_CODE_ENABLE_TOOL_SEARCH=0",
                            "SHELL=/bin/bash"};
  const nlohmann::json config = {{"mcpServers",
                                  {{"dragoman",
                                    {{"command", dragoman_program().string()},
                                     {"args", {"mcp"}},
                                     {"env", {{"DRAGOMAN_STATE_DIR", place.state().string()}}}}}}}};
  write_file(place.root() / "mcp.json", config.dump());
  const Ended ended =
      place.run({"--agent", "claude", "--as", "json", "--permission-mode", "bypassPermissions",
                 "--allowed-tools", "mcp__dragoman", "--mcp-config",
                 (place.root() / "mcp.json").string(), "script=delegate"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  std::string said;
  for (const auto& text : of_kind(ended.out, "text")) said += text["text"].get<std::string>();
  EXPECT_THAT(said, HasSubstr("The other agent said hello.")) << ended.out;
  std::vector<std::string> outcomes;
  for (const auto& tool : of_kind(ended.out, "tool_finished")) outcomes.push_back(tool["outcome"]);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"ok", "ok"})) << ended.out;
}

}  // namespace
}  // namespace dragoman::test
