// SPDX-License-Identifier: Apache-2.0
// dragoman run at a terminal: it shows, it asks, and the status area keeps out of the way.
#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

#include "tests/e2e/tmux.hpp"

namespace dragoman::test {
namespace {

constexpr char kExecutorAtATerminal[] =
    "#!/bin/sh\n"
    "echo '[PROGRESS] reading the tests'\n"
    "case \"$2\" in\n"
    "  *Answer:*) echo \"[PROGRESS] going on: ${2##*Answer: }\"\n"
    "    echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
    "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
    "esac\n";

TEST(RunInATerminal, AsksWhereTheStatusAreaWasAndGoesOnWithTheAnswer) {
  if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
  const TempDir directory;
  const std::filesystem::path program = directory.path() / "executor.sh";
  write_file(program, kExecutorAtATerminal);
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const Tmux terminal("DRAGOMAN_STATE_DIR=" + directory.path().string() + "/state " +
                          dragoman_program().string() + " run --cwd " + directory.path().string() +
                          " --agent executor -- " + program.string() + " task-1 it",
                      80);
  ASSERT_TRUE(terminal.shows("[1-2, or your own words]")) << terminal.everything();
  EXPECT_EQ(terminal.cursor(), "1\n");
  EXPECT_EQ(terminal.screen().find("working"), std::string::npos) << terminal.screen();
  terminal.type("2");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
  const std::string all = terminal.everything();
  EXPECT_NE(all.find("answered: Postgres"), std::string::npos) << all;
  EXPECT_NE(all.find("going on: Use option 2 (Postgres)"), std::string::npos) << all;
  EXPECT_EQ(all.find("working"), std::string::npos) << all;
  EXPECT_EQ(terminal.cursor(), "1\n");
}

// Somebody who types ahead has not seen what would be answered.
TEST(RunInATerminal, WhatWasTypedBeforeTheQuestionIsNoAnswerToIt) {
  if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
  const TempDir directory;
  const std::filesystem::path program = directory.path() / "executor.sh";
  write_file(program,
             "#!/bin/sh\n"
             "echo '[PROGRESS] thinking'\n"
             "while [ ! -e " +
                 (directory.path() / "typed").string() +
                 " ]; do sleep 0.02; done\n"
                 "printf '[QUESTION] Delete it?\\n1. Yes\\n2. No\\n'\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const Tmux terminal("DRAGOMAN_STATE_DIR=" + directory.path().string() + "/state " +
                          dragoman_program().string() + " run --cwd " + directory.path().string() +
                          " --agent executor -- " + program.string() + " task-1 it",
                      80);
  ASSERT_TRUE(terminal.shows("thinking")) << terminal.everything();
  terminal.type("1");
  write_file(directory.path() / "typed", "");
  ASSERT_TRUE(terminal.shows("[1-2, or your own words]")) << terminal.everything();
  terminal.tmux({"send-keys", "C-d"});
  ASSERT_TRUE(terminal.shows("exit=4")) << terminal.everything();
  EXPECT_EQ(terminal.everything().find("answered: Yes"), std::string::npos)
      << terminal.everything();
}

}  // namespace
}  // namespace dragoman::test
