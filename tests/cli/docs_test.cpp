// SPDX-License-Identifier: Apache-2.0
// What the documents show is what the program does. DRAGOMAN_GOLDEN_WRITE=1 records it again.
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

// "$ dragoman …" as a user in the source directory would type it, talk and data together.
std::string output_of(const std::string& line) {
  const std::string script = "PATH=\"$0:$PATH\"; exec 2>&1; " + line;
  return Running("/bin/sh", {.arguments = {"-c", script, dragoman_program().parent_path().string()},
                             .directory = source_dir()})
      .wait()
      .out;
}

// The document with the output of each of its commands as it is now.
std::string played(const std::string& document) {
  std::string out;
  std::istringstream lines(document);
  bool skipping = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_command = line.starts_with("$ dragoman ");
    if (is_command || line == "```") skipping = false;
    if (!skipping) out += line + "\n";
    if (is_command) {
      out += output_of(line.substr(2));
      skipping = true;
    }
  }
  return out;
}

class Document : public ::testing::TestWithParam<std::string> {};

TEST_P(Document, ShowsWhatTheProgramPrints) {
  const std::filesystem::path path = source_dir() / GetParam();
  const std::string written = read_file(path);
  const std::string now = played(written);
  if (std::getenv("DRAGOMAN_GOLDEN_WRITE") != nullptr) {
    write_file(path, now);
    return;
  }
  EXPECT_EQ(now, written);
}

INSTANTIATE_TEST_SUITE_P(Files, Document, ::testing::Values("README.md", "docs/cli.md"),
                         [](const auto& file) {
                           return file.param == "README.md" ? std::string("Readme")
                                                            : std::string("CommandLine");
                         });

std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> options;
  std::istringstream words(help);
  for (std::string word; words >> word;) {
    if (word.starts_with("--")) options.push_back(word.substr(0, word.find_first_of(",=.;:")));
  }
  return options;
}

// The first words of the lines between "commands:" and "options:".
std::vector<std::string> all_commands() {
  std::istringstream lines(dragoman({.arguments = {"help"}}).out);
  std::vector<std::string> commands;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "options:") break;
    if (listed && line.starts_with("  ")) commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "commands:") listed = true;
  }
  return commands;
}

TEST(EveryCommand, TakesTheOptionsThatAreTakenEverywhere) {
  const std::vector<std::string> commands = all_commands();
  EXPECT_GE(commands.size(), 17U);
  for (const std::string& command : commands) {
    const auto ended =
        dragoman({.arguments = {command, "--color", "never", "-q", "-v", "--no-input", "--config",
                                "settings.toml", "--store", "sqlite:tasks.db", "--nonsense"}});
    EXPECT_NE(ended.err.find("unknown option '--nonsense'"), std::string::npos)
        << command << ": " << ended.err;
  }
}

TEST(CommandLineDocument, NamesEveryCommandAndEveryOption) {
  const std::string document = read_file(source_dir() / "docs/cli.md");
  for (const std::string& command : all_commands()) {
    EXPECT_NE(document.find("\n## " + command + "\n"), std::string::npos) << command;
    std::string help = dragoman({.arguments = {"help", command}}).out;
    help.resize(std::min(help.size(), help.find("\nexamples:")));
    for (const std::string& option : options_in(help)) {
      EXPECT_NE(document.find("`" + option), std::string::npos) << command << " " << option;
    }
  }
}

}  // namespace
}  // namespace dragoman::test
