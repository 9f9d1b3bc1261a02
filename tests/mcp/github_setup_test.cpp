// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/github_setup.hpp"

#include <cstdlib>

#include "dragoman/mcp/environment_templates.hpp"
#include "tests/mcp/tools_support.hpp"

namespace dragoman::test {
namespace {

using testing::HasSubstr;

int run(const std::string& command) { return std::system(command.c_str()); }

TEST(GithubSetup, TheGuideHasEverythingThatIsNeeded) {
  ToolPlace place;
  for (const char* stack : {"node", "python", "go", "rust"}) {
    const Answer answer =
        place.call("_codex_cloud_github_setup",
                   {{"repository", "https://github.com/user/repo.git"}, {"techStack", stack}});
    ASSERT_FALSE(answer.is_error) << answer.text;
    EXPECT_EQ(answer.envelope["meta"],
              (json{{"repository", "https://github.com/user/repo"}, {"tech_stack", stack}}));
    const json& data = answer.envelope["data"];
    const std::string guide = data["guide"];
    for (const char* needed : {"https://github.com/user/repo",
                               stack,
                               "https://github.com/settings/tokens?type=beta",
                               "Codex Cloud - repo",
                               "90 days",
                               "Contents",
                               "Pull requests",
                               "Workflows",
                               "Metadata read",
                               "repo-codex",
                               "GITHUB_TOKEN",
                               "GIT_USER_NAME",
                               "GIT_USER_EMAIL",
                               "Setup script",
                               "Maintenance script",
                               "codex-setup-verification",
                               "Troubleshooting",
                               "401 or 403",
                               "Push refused",
                               "gh missing",
                               "Dependency install fails",
                               "Next steps"})
      EXPECT_THAT(guide, HasSubstr(needed)) << stack;
    ASSERT_EQ(data["steps"].size(), 3U);
    EXPECT_EQ(data["steps"][0]["title"], "Create Fine-Grained Token");
    EXPECT_EQ(data["steps"][1]["title"], "Configure Environment");
    EXPECT_EQ(data["steps"][2]["title"], "Verify Setup");
    for (const char* needed : {"codex-setup-verification", "push", "draft pull request"})
      EXPECT_THAT(data["verification_task"].get<std::string>(), HasSubstr(needed));
    EXPECT_LT(answer.envelope.dump().size(), 20'000U);
  }
}

TEST(GithubSetup, UserValuesAreQuotedAndWrongOnesRefused) {
  ToolPlace place;
  const auto with = [&](const json& more) {
    json arguments = {{"repo_url", "https://github.com/u/r/"}, {"stack", "go"}};
    arguments.update(more);
    return place.call("_codex_cloud_github_setup", arguments);
  };
  const Answer quoted = with({{"git_user_name", "O'Brien $(id)"}});
  EXPECT_THAT(quoted.envelope["data"]["guide"].get<std::string>(),
              HasSubstr("export GIT_USER_NAME='O'\\''Brien $(id)'"));
  EXPECT_EQ(with({{"git_user_name", "a\nb"}}).reason(), "bad_value");
  EXPECT_EQ(with({{"git_user_email", "nobody"}}).reason(), "bad_value");
  EXPECT_EQ(with({{"git_user_email", "a@b@c"}}).reason(), "bad_value");
  EXPECT_EQ(with({{"stack", "cobol"}}).reason(), "bad_value");
  for (const char* url : {"http://github.com/u/r", "https://gitlab.com/u/r", "https://github.com/u",
                          "https://github.com/u/r/tree/x", "https://github.com/u/r;rm",
                          "https://github.com.evil/u/r", "https://github.com/../r"}) {
    const Answer refused = with({{"repo_url", url}});
    EXPECT_EQ(refused.envelope["error"]["message"],
              "Invalid repository URL (must start with https://github.com/)")
        << url;
  }
}

TEST(EnvironmentTemplates, HaveWhatTheSpecificationNames) {
  const std::map<std::string, std::pair<std::vector<std::string>, std::string>> expected = {
      {"github-node-typescript", {{"node", "typescript"}, "NODE_ENV"}},
      {"github-python", {{"python"}, "PYTHONUNBUFFERED"}},
      {"github-go", {{"go"}, "GO111MODULE"}},
      {"github-rust", {{"rust"}, "RUST_BACKTRACE"}},
      {"basic-codex-cloud", {{"any"}, ""}}};
  ASSERT_EQ(mcp::environment_templates().size(), expected.size());
  for (const auto& each : mcp::environment_templates()) {
    const json made = json::parse(mcp::template_json(each));
    const auto& [types, variable] = expected.at(each.id);
    EXPECT_EQ(made["repoTypes"].get<std::vector<std::string>>(), types);
    EXPECT_EQ(made["requiredSecrets"].size(), variable.empty() ? 0U : 1U);
    EXPECT_EQ(made["environmentVariables"].size(), variable.empty() ? 0U : 3U);
    if (!variable.empty()) {
      EXPECT_TRUE(made["environmentVariables"].contains(variable));
    }
    EXPECT_THAT(each.setup_script, HasSubstr("set -euo pipefail"));
  }
}

TEST(EnvironmentTemplates, ScriptsPassShellcheck) {
  if (run("command -v shellcheck > /dev/null") != 0) GTEST_SKIP() << "shellcheck is not installed";
  TempDir dir;
  for (const auto& each : mcp::environment_templates()) {
    for (const auto& script : {each.setup_script, each.maintenance_script}) {
      write_file(dir.path() / "script.sh", script);
      EXPECT_EQ(run("shellcheck " + (dir.path() / "script.sh").string()), 0) << each.id;
    }
  }
}

TEST(EnvironmentTemplates, ScriptsRunTwiceAndKeepTheTokenOutOfTheConfiguration) {
  TempDir dir;
  const auto bin = dir.path() / "bin";
  std::filesystem::create_directories(bin);
  std::filesystem::create_directories(dir.path() / "repo/.venv/bin");
  write_file(dir.path() / "repo/.venv/bin/activate", "");
  for (const char* name : {"package.json", "requirements.txt", "go.mod", "Cargo.toml"})
    write_file(dir.path() / "repo" / name, "");
  for (const char* name : {"npm", "node", "pip", "python3", "go", "cargo", "gh", "apt-get"}) {
    write_file(bin / name,
               "#!/bin/sh\ncat > /dev/null <&0 || true\necho \"$0 $*\" >> \"$HOME/tools\"\n");
    std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
  }
  const std::string token = "ghp_" + std::string(36, 'T');
  for (const auto& each : mcp::environment_templates()) {
    for (const auto& script : {each.setup_script, each.setup_script, each.maintenance_script}) {
      write_file(dir.path() / "script.sh", script);
      EXPECT_EQ(
          run("cd " + (dir.path() / "repo").string() + " && env -i HOME=" + dir.path().string() +
              " PATH=" + bin.string() + ":/usr/bin:/bin GITHUB_TOKEN=" + token +
              " GIT_USER_NAME='A B' bash " + (dir.path() / "script.sh").string() + " > " +
              (dir.path() / "log").string() + " 2>&1 < /dev/null"),
          0)
          << each.id << read_file(dir.path() / "log");
    }
  }
  EXPECT_THAT(read_file(dir.path() / ".gitconfig"), HasSubstr("name = A B"));
  EXPECT_EQ(read_file(dir.path() / ".gitconfig").find(token), std::string::npos);
  EXPECT_EQ(read_file(dir.path() / "tools").find(token), std::string::npos);  // in no argument
  const std::string kept = read_file(dir.path() / ".config/codex/github-credentials");
  EXPECT_EQ(kept, "https://x-access-token:" + token + "@github.com\n");  // once
  EXPECT_EQ(std::filesystem::status(dir.path() / ".config/codex/github-credentials").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace dragoman::test
