// SPDX-License-Identifier: Apache-2.0
// Where output cannot go.
#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "[PROGRESS] step " + std::to_string(i) + "\n";
  return text;
}

TEST(Output, AFullDiskIsReported) {
  for (const std::string& input : {std::string("x\n"), many_lines()}) {
    const Ended ended =
        dragoman({.arguments = {"parse"}, .input = input, .stdout_to = "/dev/full"});
    EXPECT_EQ(ended.err, "dragoman: cannot write to stdout: No space left on device\n");
    EXPECT_EQ(ended.exit_code, 2);
  }
}

TEST(Output, AClosedStdoutIsReported) {
  for (const std::string command : {"parse", "help", "prompt markers", "commands"}) {
    std::vector<std::string> words;
    std::istringstream in(command);
    for (std::string word; in >> word;) words.push_back(word);
    const Ended ended = dragoman({.arguments = words, .input = "x\n", .close_stdout = true});
    EXPECT_EQ(ended.err, "dragoman: cannot write to stdout: Bad file descriptor\n") << command;
    EXPECT_EQ(ended.exit_code, 2) << command;
  }
}

TEST(Output, AClosedStdoutIsNotMistakenForAFileThatWasOpenedLater) {
  const TempDir dir;
  write_file(dir.path() / "notes", "[PROGRESS] one\n");
  const Ended ended =
      dragoman({.arguments = {"parse", "notes"}, .directory = dir.path(), .close_stdout = true});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(read_file(dir.path() / "notes"), "[PROGRESS] one\n");
}

TEST(Output, AJobSummaryThatCannotBeWrittenIsReported) {
  struct Row {
    std::string place;
    std::string why;
  };
  const TempDir dir;
  const std::vector<Row> rows = {{dir.path() / "missing/summary", "No such file or directory"},
                                 {"/dev/full", "No space left on device"}};
  for (const auto& [place, why] : rows) {
    const Ended ended = dragoman({.arguments = {"show", "--as", "github"},
                                  .input = "[PROGRESS] one\n",
                                  .environment = {"GITHUB_STEP_SUMMARY=" + place}});
    EXPECT_EQ(ended.err, "dragoman: cannot write the job summary '" + place + "': " + why +
                             "\n  hint: GITHUB_STEP_SUMMARY names the file; without it there is "
                             "no summary\n");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.out.find("one"), std::string::npos) << ended.out;
  }
}

// sh gives the exit code of the first program to fd 3.
Ended into_head(const std::string& trap) {
  const TempDir dir;
  write_file(dir.path() / "in", many_lines());
  const std::string script =
      trap +
      "{ \"$0\" parse \"$1/in\"; echo $? >\"$1/code\"; } | head -n 1 >\"$1/head\"; "
      "cat \"$1/code\"";
  const Start start{.arguments = {"-c", script, dragoman_program().string(), dir.path().string()}};
  return Running("/bin/sh", start).wait();
}

TEST(Output, ABrokenPipeIsQuiet) {
  const Ended ended = into_head("");
  EXPECT_EQ(ended.out, "141\n");
  EXPECT_EQ(ended.err, "");
}

TEST(Output, ABrokenPipeIsQuietAlsoWhereTheSignalIsIgnored) {
  const Ended ended = into_head("trap '' PIPE; ");
  EXPECT_EQ(ended.out, "141\n");
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace dragoman::test
