// SPDX-License-Identifier: Apache-2.0
// dragoman run at a terminal: it shows, it asks, and the status area keeps out of the way.
#include <signal.h>
#include <sys/stat.h>

#include <string>
#include <utility>

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

// Works until the file `go` is there, asks, and goes on with the answer.
class KeysDuringARun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
    const std::filesystem::path program = directory_.path() / "executor.sh";
    write_file(program,
               "#!/bin/sh\n"
               "echo '[PROGRESS] thinking'\n"
               "while [ ! -e " +
                   (directory_.path() / "go").string() +
                   " ]; do sleep 0.02; done\n"
                   "case \"$2\" in\n"
                   "  *Answer:*) echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
                   "  *) printf '[QUESTION] Which?\\n1. Yes\\n2. No\\n';;\n"
                   "esac\n");
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    command_ = "env DRAGOMAN_STATE_DIR=" + directory_.path().string() + "/state " +
               dragoman_program().string() + " run --cwd " + directory_.path().string() +
               " --agent executor -- " + program.string() + " task-1 it";
  }

  TempDir directory_;
  std::filesystem::path pid_file_ = directory_.path() / "pid";
  std::string command_;
};

TEST_F(KeysDuringARun, AreSeenOnlyWhereTheyAnswer) {
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(terminal.shows("thinking")) << terminal.everything();
  ASSERT_TRUE(eventually([&] { return !terminal.echoes(); }));
  terminal.type("typed");
  write_file(directory_.path() / "go", "");
  ASSERT_TRUE(terminal.shows("[1-2, or your own words]")) << terminal.everything();
  EXPECT_TRUE(terminal.echoes());
  terminal.type("2");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
  EXPECT_TRUE(terminal.echoes());
  const std::string all = terminal.everything();
  EXPECT_NE(all.find("[1-2, or your own words] 2\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("typed"), std::string::npos) << all;
}

TEST_F(KeysDuringARun, AreSeenAgainWhateverSignalEndsIt) {
  for (const auto& [signal, code] :
       {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}, {SIGQUIT, 131}}) {
    std::filesystem::remove(pid_file_);
    const Tmux terminal(noting_its_pid(pid_file_, command_), 80);
    ASSERT_TRUE(eventually([&] { return terminal.cursor() == "0\n" && !terminal.echoes(); }));
    ASSERT_EQ(::kill(noted_pid(pid_file_), signal), 0);
    EXPECT_TRUE(terminal.shows("exit=" + std::to_string(code))) << terminal.everything();
    EXPECT_TRUE(terminal.echoes()) << signal;
    EXPECT_EQ(terminal.cursor(), "1\n") << signal;
  }
}

// Ctrl-Z left the cursor hidden and the status area behind.
TEST_F(KeysDuringARun, AreSeenWhileItIsStopped) {
  const Tmux terminal(noting_its_pid(pid_file_, command_), 80);
  ASSERT_TRUE(terminal.shows("thinking")) << terminal.everything();
  ASSERT_TRUE(eventually([&] { return !terminal.echoes(); }));
  terminal.tmux({"send-keys", "C-z"});
  EXPECT_TRUE(eventually([&] { return terminal.echoes() && terminal.cursor() == "1\n"; }));
  ASSERT_EQ(::kill(noted_pid(pid_file_), SIGCONT), 0);
  EXPECT_TRUE(eventually([&] { return !terminal.echoes() && terminal.cursor() == "0\n"; }));
  ASSERT_EQ(::kill(noted_pid(pid_file_), SIGTERM), 0);
  EXPECT_TRUE(terminal.shows("exit=143")) << terminal.everything();
  EXPECT_TRUE(terminal.echoes());
}

// With the status area and without one.
class TypingASecret : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
    const std::filesystem::path program = directory_.path() / "executor.sh";
    write_file(program,
               "#!/bin/sh\n"
               "case \"$2\" in\n"
               "  *Answer:*) echo \"$2\" > heard; echo '[CODEX_COMPLETE] Task completed';;\n"
               "  *) echo '<!--QUESTION:{\"questions\":[{\"question\":\"Which password?\","
               "\"isSecret\":true}]}-->';;\n"
               "esac\n");
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    command_ =
        noting_its_pid(pid_file_, "env DRAGOMAN_STATE_DIR=" + directory_.path().string() +
                                      "/state " + dragoman_program().string() + " run --as " +
                                      GetParam() + " --cwd " + directory_.path().string() +
                                      " --agent executor -- " + program.string() + " task-1 it");
  }
  [[nodiscard]] static bool asks(const Tmux& terminal) {
    return terminal.shows("your answer; it is not shown]") &&
           eventually([&] { return !terminal.echoes(); });
  }

  TempDir directory_;
  std::filesystem::path pid_file_ = directory_.path() / "pid";
  std::string command_;
};
INSTANTIATE_TEST_SUITE_P(Views, TypingASecret, ::testing::Values("terminal", "quiet"),
                         [](const auto& view) { return std::string(view.param); });

TEST_P(TypingASecret, ShowsNoKeyAndAnswers) {
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(asks(terminal)) << terminal.everything();
  terminal.type("sesame");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
  EXPECT_TRUE(terminal.echoes());
  EXPECT_EQ(terminal.everything().find("sesame"), std::string::npos) << terminal.everything();
  EXPECT_EQ(read_file(directory_.path() / "heard"), "it Answer: sesame\n");
}

TEST_P(TypingASecret, LetsKeysBeSeenAgainWhateverSignalEndsIt) {
  for (const auto& [signal, code] :
       {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}, {SIGQUIT, 131}}) {
    std::filesystem::remove(pid_file_);
    const Tmux terminal(command_, 80);
    ASSERT_TRUE(asks(terminal)) << terminal.everything();
    ASSERT_EQ(::kill(noted_pid(pid_file_), signal), 0);
    EXPECT_TRUE(terminal.shows("exit=" + std::to_string(code))) << terminal.everything();
    EXPECT_TRUE(terminal.echoes()) << signal;
  }
}

TEST_P(TypingASecret, LetsKeysBeSeenWhileItIsStopped) {
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(asks(terminal)) << terminal.everything();
  terminal.tmux({"send-keys", "C-z"});
  EXPECT_TRUE(eventually([&] { return terminal.echoes(); }));
  ASSERT_EQ(::kill(noted_pid(pid_file_), SIGCONT), 0);
  EXPECT_TRUE(eventually([&] { return !terminal.echoes(); }));
  terminal.type("sesame");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
  EXPECT_TRUE(terminal.echoes());
  EXPECT_EQ(terminal.everything().find("sesame"), std::string::npos) << terminal.everything();
}

}  // namespace
}  // namespace dragoman::test
