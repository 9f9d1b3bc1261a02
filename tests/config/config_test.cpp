// SPDX-License-Identifier: Apache-2.0
#include "dragoman/config/config.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "dragoman/agent/table.hpp"
#include "tests/support/files.hpp"

namespace dragoman::config {
namespace {

namespace fs = std::filesystem;

// A home directory with a configuration, and a project below it.
class ConfigTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(project()); }

  [[nodiscard]] fs::path home() const { return folder_.path(); }
  [[nodiscard]] fs::path project() const { return home() / "work" / "project"; }
  [[nodiscard]] fs::path user_file() const { return home() / ".config/dragoman/config.toml"; }

  void write(const fs::path& path, std::string_view text) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  [[nodiscard]] Result<Config> load(std::vector<std::string> environment = {}) const {
    environment.push_back("HOME=" + home().string());
    return Config::load({environment, project(), std::nullopt});
  }

 private:
  test::TempDir folder_;
};

TEST_F(ConfigTest, IsTheStandardWhereNothingIsSaid) {
  const auto config = load();
  ASSERT_TRUE(config);
  EXPECT_EQ(config->value("run.idle_timeout"), (Value{{"300s"}, Source::standard, ""}));
  EXPECT_EQ(config->text("run.model"), "");
  EXPECT_TRUE(config->files().empty());
}

// The file of a project comes with it: whoever reads it must neither wait nor crash.
TEST_F(ConfigTest, AProjectsFileThatIsNoneIsAnError) {
  const fs::path file = project() / ".dragoman.toml";
  const auto complaint = [&] { return load().error().message; };
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(complaint(), fmt::format("read {}: it is not a file", file.string()));
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_EQ(complaint(), fmt::format("read {}: it is not a file", file.string()));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(complaint(), fmt::format("read {}: Is a directory", file.string()));
}

TEST_F(ConfigTest, ANameOfTooManyPartsIsAnError) {
  std::string name;
  for (int i = 0; i < 200'000; ++i) name += "a.";
  for (const std::string& text : {name + "a = 1\n", "[" + name + "a]\n"}) {
    write(project() / ".dragoman.toml", text);
    const auto config = load();
    ASSERT_FALSE(config);
    EXPECT_NE(config.error().message.find("more than 4096 dots"), std::string::npos);
  }
  write(project() / ".dragoman.toml", name.substr(0, 8000) + "a = 1\n");
  EXPECT_TRUE(load());
}

TEST_F(ConfigTest, EnvironmentStandsAboveProjectAboveUser) {
  write(user_file(), "[run]\nmodel = \"a\"\nidle_timeout = \"1m\"\nhard_timeout = 60\n");
  write(project() / ".dragoman.toml", "run.model = \"b\"\nrun.idle_timeout = \"2m\"\n");
  const auto config = load({"DRAGOMAN_MODEL=c"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->value("run.model"), (Value{{"c"}, Source::environment, "DRAGOMAN_MODEL"}));
  EXPECT_EQ(
      config->value("run.idle_timeout"),
      (Value{
          {"2m"}, Source::project, fmt::format("{}:2", (project() / ".dragoman.toml").string())}));
  EXPECT_EQ(config->value("run.hard_timeout"),
            (Value{{"60"}, Source::user, fmt::format("{}:4", user_file().string())}));
  EXPECT_EQ(config->files().size(), 2U);
}

TEST_F(ConfigTest, AProjectMayNotSayWhatIsStartedOrWithWhichRights) {
  write(project() / ".dragoman.toml",
        "store = \"sqlite:/tmp/x\"\n[run]\nagent = \"command\"\npermission_mode = \"x\"\n"
        "sandbox = \"danger-full-access\"\nenv_policy = \"inherit\"\nenv = [\"LD_PRELOAD=x\"]\n");
  const auto config = load();
  ASSERT_TRUE(config) << config.error().message;
  for (const std::string_view key :
       {"store", "run.agent", "run.permission_mode", "run.sandbox", "run.env_policy", "run.env"}) {
    EXPECT_EQ(config->value(key).source, Source::standard) << key;
  }
  ASSERT_EQ(config->warnings().size(), 6U);
  EXPECT_EQ(config->warnings()[0],
            fmt::format("{}:1: store is ignored: a project file may not set it, your own "
                        "configuration may",
                        (project() / ".dragoman.toml").string()));
}

TEST_F(ConfigTest, AProjectEndsAtTheRootOfItsRepository) {
  write(project().parent_path() / ".dragoman.toml", "run.model = \"m\"\n");
  EXPECT_EQ(load()->text("run.model"), "m");
  fs::create_directories(project() / ".git");
  EXPECT_EQ(load()->text("run.model"), "");
}

TEST_F(ConfigTest, SaysWhereAValueIsWrong) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"run.env_policy = \"all\"\n",
       ":1: run.env_policy: 'all' is none of clean, allow-list, inherit"},
      {"\n[run]\nidle_timeout = true\n", ":3: run.idle_timeout: wants a length of time"},
      {"[tasks]\nconcurrency = 0\n",
       ":2: tasks.concurrency: '0' is not a whole number from 1 to 256"},
      {"[run]\nenv = [1, 2]\n", ":2: run.env: wants a list of texts"},
      {"[run]\ngrace = \"soon\"\n",
       ":2: run.grace: 'soon' is not a length of time: write a number with ms, s, m, h or d, as "
       "in 90s"},
  };
  for (const auto& [text, expected] : rows) {
    write(user_file(), text);
    const auto config = load();
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().message, user_file().string() + std::string(expected));
  }
  write(user_file(), "");
  EXPECT_EQ(load({"CODEX_MAX_CONCURRENCY=many"}).error().message,
            "CODEX_MAX_CONCURRENCY: tasks.concurrency: 'many' is not a whole number from 1 to 256");
}

TEST_F(ConfigTest, SaysWhereAFileIsNoToml) {
  write(user_file(), "store = \"x\"\nrun = [\n");
  const auto config = load();
  ASSERT_FALSE(config);
  EXPECT_TRUE(config.error().message.starts_with(user_file().string() + ":"))
      << config.error().message;
}

TEST_F(ConfigTest, AnUnknownKeyIsAWarning) {
  write(user_file(), "stoer = \"x\"\n");
  const auto config = load();
  ASSERT_TRUE(config);
  EXPECT_EQ(config->warnings(), (std::vector<std::string>{fmt::format(
                                    "{}:1: no setting is called stoer", user_file().string())}));
}

TEST_F(ConfigTest, ANamedFileMustExist) {
  const auto config =
      Config::load({{"HOME=" + home().string(), "DRAGOMAN_CONFIG=/none/c.toml"}, project(), {}});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error(), (Error{ErrorCode::not_found, "no configuration at /none/c.toml"}));
}

TEST_F(ConfigTest, AnUnreadableFileIsAnError) {
  fs::create_directories(user_file());
  const auto config = load();
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message, fmt::format("read {}: Is a directory", user_file().string()));
}

TEST(Directories, FollowTheXdgSpecification) {
  EXPECT_EQ(config_directory({"HOME=/h"}), "/h/.config/dragoman");
  EXPECT_EQ(config_directory({"HOME=/h", "XDG_CONFIG_HOME=/c"}), "/c/dragoman");
  EXPECT_EQ(config_directory({"HOME=/h", "XDG_CONFIG_HOME=c"}), "/h/.config/dragoman");
  EXPECT_EQ(config_directory({}), "");
  EXPECT_EQ(state_directory({"HOME=/h"}), "/h/.local/state/dragoman");
  EXPECT_EQ(state_directory({"HOME=/h", "DRAGOMAN_STATE_DIR=/s"}), "/s");
}

TEST(Directories, ARelativeOneOfOurOwnIsRefused) {
  for (const bool relative : {true, false}) {
    const auto config = Config::load(
        {{relative ? "DRAGOMAN_STATE_DIR=state" : "DRAGOMAN_STATE_DIR="}, "/", std::nullopt});
    EXPECT_NE(config.has_value(), relative);
    if (!config) {
      EXPECT_EQ(config.error().message, "DRAGOMAN_STATE_DIR: 'state' is not an absolute path");
    }
  }
}

TEST(Settings, KnowEveryAgent) {
  EXPECT_EQ(find_setting("run.agent")->choices, agent::agent_names());
  // What the tools for other agents start: whoever runs the server says it.
  for (const agent::AgentRow& row : agent::agents()) {
    EXPECT_EQ(find_setting(fmt::format("mcp.{}", row.name)) != nullptr, row.program.empty())
        << row.name;
  }
}

TEST(Settings, AreAllInTheDocumentation) {
  const std::string docs = test::read_file(test::source_dir() / "docs" / "configuration.md");
  for (const Setting& setting : settings()) {
    const std::string row = fmt::format(
        "| `{}` | {} | {} | {} | {} |", setting.key,
        setting.choices.empty() ? std::string(name(setting.type))
                                : fmt::format("`{}`", fmt::join(setting.choices, "`, `")),
        setting.standard.empty() ? "" : fmt::format("`{}`", setting.standard),
        setting.variable.empty() ? "" : fmt::format("`{}`", setting.variable),
        setting.in_project == InProject::allowed ? "yes" : "");
    EXPECT_NE(docs.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace dragoman::config
