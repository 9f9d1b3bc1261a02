// SPDX-License-Identifier: Apache-2.0
// dragoman mcp, as a client starts it.
#include <chrono>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> messages(const std::string& out) {
  std::vector<Json> all;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
  return all;
}

Start server(const TempDir& dir, std::string input, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"mcp"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {.arguments = arguments,
          .input = std::move(input),
          .directory = dir.path(),
          .environment = {"HOME=" + dir.path().string(), "PATH=/usr/bin:/bin",
                          "DRAGOMAN_STATE_DIR=" + dir.path().string()}};
}

const std::string kHello =
    R"({"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
    "\n";

TEST(Mcp, AnswersAndEndsWithItsInput) {
  const TempDir dir;
  const auto begun = std::chrono::steady_clock::now();
  const Ended ended = dragoman(server(
      dir,
      kHello +
          R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"
          "\n"
          R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"_codex_local_status"}})"
          "\n"));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  const std::vector<Json> all = messages(ended.out);
  ASSERT_EQ(all.size(), 3U) << ended.out;
  EXPECT_EQ(all[0]["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(all[1]["result"]["tools"].size(), 15U);
  EXPECT_EQ(all[2]["result"]["structuredContent"]["status"], "ok") << all[2];
  EXPECT_EQ(ended.err, "");
}

TEST(Mcp, OpensNoStoreBeforeAToolNeedsIt) {
  const TempDir dir;
  const Ended ended =
      dragoman(server(dir, kHello + R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"));
  EXPECT_EQ(messages(ended.out).size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "dragoman.db"));
}

// The agent that it starts looks at the runner's command line.
TEST(Mcp, ItsSettingsHoldForTheRunnerThatItStarts) {
  const TempDir dir;
  const std::string root = dir.path().string();
  std::filesystem::create_directories(dir.path() / "bin");
  write_file(dir.path() / "own.toml", "[tasks]\nconcurrency = 1\n");
  write_file(dir.path() / "bin" / "codex",
             "#!/bin/sh\nfor f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2>&1 |"
             " grep -F ' task work ' | grep -F '" +
                 root + "/dragoman.db' > " + root +
                 "/seen.new\n"
                 "mv " +
                 root + "/seen.new " + root + "/seen\n");
  std::filesystem::permissions(dir.path() / "bin" / "codex", std::filesystem::perms::owner_all);
  Start start = server(
      dir,
      kHello +
          R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"_codex_local_run","arguments":{"task":"look","working_dir":")" +
          root + "\"}}}\n",
      {"--config", "own.toml"});
  start.environment[1] = "PATH=" + root + "/bin:/usr/bin:/bin";
  const Ended ended = dragoman(start);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(dir.path() / "seen"); }))
      << ended.out;
  EXPECT_NE(read_file(dir.path() / "seen").find("--config " + root + "/own.toml"),
            std::string::npos)
      << read_file(dir.path() / "seen");
  // No runner may outlive the directory of its store.
  start.arguments = {"task", "status"};
  start.input.clear();
  EXPECT_TRUE(eventually([&] { return dragoman(start).out.starts_with("0 running, 0 queued"); }));
  start.arguments = {"task", "work"};
  EXPECT_TRUE(eventually([&] { return dragoman(start).exit_code == 0; }));
}

TEST(Mcp, PrintsHowToRegisterIt) {
  const TempDir dir;
  const std::string program = dragoman_program().string();
  const auto printed = [&](const std::string& client) {
    const Ended ended = dragoman(server(dir, "", {"--print-config", client}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.out;
  };
  EXPECT_EQ(printed("claude"), "claude mcp add dragoman -- " + program + " mcp\n");
  EXPECT_EQ(printed("codex"),
            "[mcp_servers.dragoman]\ncommand = \"" + program + "\"\nargs = [\"mcp\"]\n");
  EXPECT_EQ(Json::parse(printed("json")),
            (Json{{"mcpServers", {{"dragoman", {{"command", program}, {"args", {"mcp"}}}}}}}));
  EXPECT_EQ(Json::parse(printed("vscode"))["servers"]["dragoman"]["command"], program);
}

// Else the client's server would work on another store than whoever registered it.
TEST(Mcp, RegistersTheStoreAndTheSettingsThatWereNamed) {
  const TempDir dir;
  const Ended ended = dragoman(server(
      dir, "", {"--store", "sqlite:/a b/x.db", "--config", "/c.toml", "--print-config", "json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["mcpServers"]["dragoman"]["args"],
            (Json{"mcp", "--store", "sqlite:/a b/x.db", "--config", "/c.toml"}));
}

}  // namespace
}  // namespace dragoman::test
