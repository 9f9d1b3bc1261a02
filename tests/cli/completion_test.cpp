// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dragoman/agent/table.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

std::string script(const std::string& shell) {
  const Ended ended = dragoman({.arguments = {"completion", shell}});
  EXPECT_EQ(ended.exit_code, 0);
  return ended.out;
}

// What bash would offer after these words; the last one is being typed.
std::vector<std::string> offered(std::vector<std::string> words) {
  const TempDir dir;
  write_file(dir.path() / "completion", script("bash"));
  write_file(dir.path() / "session.md", "");
  std::filesystem::create_directory(dir.path() / "sessions");
  std::string call = "source ./completion; COMP_WORDS=(dragoman";
  for (const std::string& word : words) call += " '" + word + "'";
  call += "); COMP_CWORD=" + std::to_string(words.size()) +
          "; _dragoman; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Ended ended =
      Running("/bin/bash", {.arguments = {"-c", call}, .directory = dir.path()}).wait();
  EXPECT_EQ(ended.err, "");
  std::vector<std::string> out;
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

using Words = std::vector<std::string>;

TEST(BashCompletion, OffersCommands) {
  EXPECT_EQ(offered({"ver"}), Words{"verdict"});
  EXPECT_EQ(offered({"--vers"}), Words{"--version"});
}

TEST(BashCompletion, OffersTheOptionsOfACommand) {
  EXPECT_EQ(offered({"parse", "--f"}), (Words{"--from", "--follow"}));
  EXPECT_EQ(offered({"verdict", "session.md", "--com"}), Words{"--commit-message"});
}

TEST(BashCompletion, OffersTheValuesOfAnOption) {
  EXPECT_EQ(offered({"parse", "--mode", "s"}), Words{"strict"});
  EXPECT_EQ(offered({"parse", "--from", "c"}), (Words{"claude", "codex"}));
  EXPECT_EQ(offered({"--color", "never", "par"}), Words{"parse"});
  EXPECT_EQ(offered({"--config", "session.md", "par"}), Words{"parse"});
  EXPECT_EQ(offered({"--config", "session."}), Words{"session.md"});
}

TEST(BashCompletion, OffersEveryAgent) {
  const auto names = agent::agent_names();
  EXPECT_EQ(offered({"run", "--agent", ""}), Words(names.begin(), names.end()));
}

TEST(BashCompletion, OffersFilesAndChoicesAsArguments) {
  EXPECT_EQ(offered({"parse", "session."}), Words{"session.md"});
  EXPECT_EQ(offered({"run", "--cwd", "sess"}), Words{"sessions"});
  EXPECT_EQ(offered({"prompt", "m"}), Words{"markers"});
  EXPECT_EQ(offered({"completion", "z"}), Words{"zsh"});
  EXPECT_EQ(offered({"help", "ver"}), Words{"verdict"});
}

TEST(BashCompletion, OffersTheNamesOfSchemasAndOfTheCatalogue) {
  EXPECT_EQ(offered({"schema", "dragoman/event/stat"}), Words{"dragoman/event/status/v1"});
  EXPECT_EQ(offered({"schema", "event/stat"}), Words{"event/status"});
  EXPECT_EQ(offered({"commands", "plan-p"}), Words{"plan-phase"});
  EXPECT_EQ(offered({"emit", "header", "--command", "plan-p"}), Words{"plan-phase"});
  EXPECT_EQ(offered({"emit", "header", "plan-p"}), Words{"plan-phase"});
  EXPECT_EQ(offered({"emit", "next-action", "--after", "plan-p"}), Words{"plan-phase"});
  EXPECT_EQ(offered({"emit", "tool", "--command", "plan-p"}), Words{});
  EXPECT_EQ(offered({"emit", "error", "--code", "MCP_"}), Words{"MCP_UNAVAILABLE"});
  EXPECT_EQ(offered({"convert", "--to", "o"}), Words{"otlp"});
  EXPECT_EQ(offered({"convert", "--from", "wx"}), Words{"wxcode"});
}

// bash ends words at '='.
TEST(BashCompletion, OffersValuesBehindAnEqualsSign) {
  EXPECT_EQ(offered({"convert", "--to", "=", "ot"}), Words{"otlp"});
  EXPECT_EQ(offered({"parse", "--from", "=", "cl"}), Words{"claude"});
  EXPECT_EQ(offered({"parse", "--mode", "="}), (Words{"default", "strict", "compat"}));
  EXPECT_EQ(offered({"--color", "=", "never", "par"}), Words{"parse"});
}

TEST(BashCompletion, OffersTheNextWordOfAList) {
  EXPECT_EQ(offered({"parse", "--kinds", "stat"}), Words{"status"});
  EXPECT_EQ(offered({"parse", "--kinds", "text,stat"}), Words{"text,status"});
  EXPECT_EQ(offered({"parse", "--kinds", "=", "text,usage,stat"}), Words{"text,usage,status"});
}

TEST(BashCompletion, OffersThePartsOfACommandToHelp) {
  EXPECT_EQ(offered({"help", "emit", "stat"}), Words{"status"});
  EXPECT_EQ(offered({"help", "task", "sub"}), Words{"submit"});
  EXPECT_EQ(offered({"help", "emit", "status", ""}), Words{});
  EXPECT_EQ(offered({"help", "parse", ""}), Words{});
}

TEST(BashCompletion, KnowsTheTwoPartsOfAsk) {
  EXPECT_EQ(offered({"ask", ""}), (Words{"list", "test"}));
  EXPECT_EQ(offered({"ask", "test", ""}), Words{});
  EXPECT_EQ(offered({"ask", "test", "--ti"}), Words{"--timeout"});
  EXPECT_EQ(offered({"ask", "list", "--ti"}), Words{});
}

TEST(BashCompletion, OffersProgramsAndFilesBehindTwoDashes) {
  EXPECT_EQ(offered({"run", "--", "./sess"}), Words{"./sessions"});
  EXPECT_EQ(offered({"run", "--", "cat", "session."}), Words{"session.md"});
  EXPECT_EQ(offered({"task", "submit", "--", "cat", "session."}), Words{"session.md"});
  EXPECT_EQ(offered({"parse", "--", "session."}), Words{"session.md"});
}

TEST(BashCompletion, OptionsMayStandBeforeTheKindOfEmit) {
  EXPECT_EQ(offered({"emit", "--dialect", "wx"}), Words{"wxcode"});
  EXPECT_EQ(offered({"emit", "--dialect", "wxcode", "stat"}), Words{"status"});
  EXPECT_EQ(offered({"emit", "--dialect", "wxcode", "status", "--st"}),
            (Words{"--status", "--store"}));
  EXPECT_EQ(offered({"emit", "--dialect", "=", "wxcode", "status", "--sta"}), Words{"--status"});
}

TEST(BashCompletion, KnowsTheKindsOfEmitAndTheirFields) {
  EXPECT_EQ(offered({"emit", "tool-"}), Words{"tool-result"});
  EXPECT_EQ(offered({"emit", "status", "--prog"}), Words{"--progress"});
  EXPECT_EQ(offered({"emit", "status", "--status", "pa"}), Words{"paused"});
}

// What fish would offer at the end of the line, without the descriptions.
std::vector<std::string> offered_by_fish(const std::string& line) {
  const TempDir dir;
  write_file(dir.path() / "completion", script("fish"));
  const Ended ended =
      Running("/usr/bin/fish", {.arguments = {"--no-config", "-c",
                                              "source ./completion; complete -C '" + line + "'"},
                                .directory = dir.path(),
                                .environment = {"HOME=" + dir.path().string()}})
          .wait();
  EXPECT_EQ(ended.err, "");
  std::vector<std::string> out;
  std::istringstream lines(ended.out);
  for (std::string each; std::getline(lines, each);) out.push_back(each.substr(0, each.find('\t')));
  return out;
}

TEST(FishCompletion, OffersCommandsOptionsAndTheirWords) {
  if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(offered_by_fish("dragoman verd"), Words{"verdict"});
  EXPECT_EQ(offered_by_fish("dragoman verdict --com"), Words{"--commit-message"});
  EXPECT_EQ(offered_by_fish("dragoman convert --to o"), Words{"otlp"});
  EXPECT_EQ(offered_by_fish("dragoman schema dragoman/event/stat"),
            Words{"dragoman/event/status/v1"});
  EXPECT_EQ(offered_by_fish("dragoman emit header --command plan-p"), Words{"plan-phase"});
}

// A word was taken for a command wherever it stood.
TEST(FishCompletion, KnowsWhichWordsNameTheCommand) {
  if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(offered_by_fish("dragoman --color never verd"), Words{"verdict"});
  EXPECT_EQ(offered_by_fish("dragoman help emit stat"), Words{"status"});
  EXPECT_EQ(offered_by_fish("dragoman help parse "), Words{});
  EXPECT_EQ(offered_by_fish("dragoman run parse --kin"), Words{});
  EXPECT_EQ(offered_by_fish("dragoman emit --dialect wxcode status --sta"), Words{"--status"});
  EXPECT_EQ(offered_by_fish("dragoman run -- cat compl"), Words{"completion"});
  EXPECT_EQ(offered_by_fish("dragoman task submit -- cat compl"), Words{"completion"});
}

// A place with runs, and shells that complete there.
class LiveCompletion : public testing::Test {
 protected:
  TempDir dir_;
  std::vector<std::string> environment_ = {
      "HOME=" + dir_.path().string(),
      "PATH=" + dragoman_program().parent_path().string() + ":/usr/bin:/bin",
      "DRAGOMAN_STATE_DIR=" + (dir_.path() / "state").string()};

  Ended run(std::vector<std::string> words) {
    return dragoman(
        {.arguments = std::move(words), .directory = dir_.path(), .environment = environment_});
  }
  std::vector<std::string> begin_runs() {
    for (const char* word : {"one", "two: it"})
      EXPECT_EQ(run({"run", "--", "/bin/sh", "-c", "true", word}).exit_code, 0);
    std::vector<std::string> ids;
    for (const auto& run : nlohmann::json::parse(run({"task", "list", "--json"}).out))
      ids.push_back(run["id"]);
    return ids;
  }
  std::vector<std::string> lines_of(const std::string& program, const std::string& call) {
    const Ended ended =
        Running(program,
                {.arguments = {"-c", call}, .directory = dir_.path(), .environment = environment_})
            .wait();
    EXPECT_EQ(ended.err, "");
    std::vector<std::string> out;
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) out.push_back(line);
    }
    return out;
  }
  std::vector<std::string> by_bash(const std::string& words, int last) {
    write_file(dir_.path() / "completion", script("bash"));
    return lines_of("/bin/bash", "source ./completion; COMP_WORDS=(" + dragoman_program().string() +
                                     " " + words + "); COMP_CWORD=" + std::to_string(last) +
                                     "; _dragoman; printf '%s\\n' \"${COMPREPLY[@]}\"");
  }
};

TEST_F(LiveCompletion, OffersNothingAndMakesNoStoreWhereThereIsNone) {
  for (const char* kind : {"runs", "questions"})
    EXPECT_EQ(run({"completion", "bash", "--of", kind}).out, "");
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "state"));
}

TEST_F(LiveCompletion, OffersRunsWithTheirTitles) {
  const auto ids = begin_runs();
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_THAT(run({"completion", "fish", "--of", "runs"}).out,
              testing::MatchesRegex("last\tthe newest run of this directory\n" + ids[0] +
                                    "\t[0-9a-z]+ /bin/sh -c true two: it\n" + ids[1] +
                                    "\t[0-9a-z]+ /bin/sh -c true one\n"));
  EXPECT_THAT(run({"completion", "zsh", "--of", "runs"}).out, testing::HasSubstr(ids[1] + ":"));
}

TEST_F(LiveCompletion, OfBashShowsTitlesWhereSeveralFitAndInsertsTheId) {
  const auto ids = begin_runs();
  EXPECT_THAT(by_bash("task wait r-", 3),
              testing::ElementsAre(testing::MatchesRegex(ids[0] + "  .* two: it"),
                                   testing::MatchesRegex(ids[1] + "  .* one")));
  EXPECT_EQ(by_bash("task wait " + ids[1].substr(0, 9), 3), Words{ids[1]});
  EXPECT_EQ(by_bash("show la", 2), Words{"last"});
  EXPECT_EQ(by_bash("run --resume l", 3), Words{"last"});
  write_file(dir_.path() / "r-file.md", "");
  EXPECT_EQ(by_bash("show r-", 2), (Words{"r-file.md", ids[0], ids[1]}));
}

TEST_F(LiveCompletion, OfFishOffersTheNewestFirst) {
  if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "fish is not installed";
  const auto ids = begin_runs();
  write_file(dir_.path() / "completion", script("fish"));
  const auto offered =
      lines_of("/usr/bin/fish", "source ./completion; complete -C 'dragoman task cancel r-'");
  ASSERT_EQ(offered.size(), 2U);
  EXPECT_TRUE(offered[0].starts_with(ids[0] + "\t")) << offered[0];
  EXPECT_TRUE(offered[1].starts_with(ids[1] + "\t")) << offered[1];
}

// Every shell's script is accepted by that shell, where it is installed.
TEST(Completion, IsGoodSyntax) {
  const TempDir dir;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::filesystem::path program = "/usr/bin/" + shell;
    write_file(dir.path() / shell, script(shell));
    if (!std::filesystem::exists(program)) continue;
    const Ended ended =
        Running(program, {.arguments = {"-n", (dir.path() / shell).string()}}).wait();
    EXPECT_EQ(ended.exit_code, 0) << shell << ": " << ended.err;
    EXPECT_EQ(ended.err, "") << shell;
  }
}

TEST(Completion, CoversEveryOptionInEveryShell) {
  for (const std::string option :
       {"follow", "kinds", "commit-message", "to", "format", "progress"}) {
    EXPECT_NE(script("bash").find("--" + option), std::string::npos) << option;
    const std::string zsh = script("zsh");
    // "}": behind its letter, as in {-f,--follow}.
    EXPECT_TRUE(zsh.find("--" + option + "[") != std::string::npos ||
                zsh.find("--" + option + "}'[") != std::string::npos ||
                zsh.find("--" + option + "=[") != std::string::npos)
        << option;
    EXPECT_NE(script("fish").find("-l " + option + " "), std::string::npos) << option;
  }
}

TEST(Completion, OffersSchemasAndTheCatalogueInEveryShell) {
  const std::string zsh = script("zsh");
  EXPECT_NE(zsh.find("':ID:(codex/v3.6/"), std::string::npos);
  EXPECT_NE(zsh.find("without /wxcode\\: (required)]:TEXT:(add-phase "), std::string::npos);
  const std::string fish = script("fish");
  EXPECT_NE(fish.find("at \"schema\"' -a 'codex/v3.6/"), std::string::npos);
  EXPECT_NE(fish.find("at \"emit header\"' -l command -x -a 'add-phase "), std::string::npos);
}

TEST(Completion, OffersListsDirectoriesAndPartsInEveryShell) {
  const std::string zsh = script("zsh");
  EXPECT_NE(zsh.find("as they are]:KIND,…:_values -s , word session_started "), std::string::npos);
  EXPECT_NE(zsh.find("'--cwd=[where the agent works]:DIR:_files -/'"), std::string::npos);
  EXPECT_NE(zsh.find("    emit) compadd -- header tool "), std::string::npos);
  EXPECT_NE(zsh.find("_dragoman_task_submit() {\n      if (($words[(i)--] < CURRENT)); then"),
            std::string::npos);
  const std::string fish = script("fish");
  EXPECT_NE(fish.find("-l kinds -x -a '(__fish_complete_list , __dragoman_kinds)'"),
            std::string::npos);
  EXPECT_NE(fish.find("-l cwd -x -a '(__fish_complete_directories)'"), std::string::npos);
}

TEST(Completion, OffersTheCommandsToHelpInEveryShell) {
  EXPECT_NE(script("zsh").find("'*:COMMAND:(parse emit "), std::string::npos);
  EXPECT_NE(script("fish").find("at \"help\"' -a 'parse emit "), std::string::npos);
}

}  // namespace
}  // namespace dragoman::test
