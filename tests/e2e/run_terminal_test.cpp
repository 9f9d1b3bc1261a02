// SPDX-License-Identifier: Apache-2.0
// dragoman run at a terminal: it shows, it asks, and the status area keeps out of the way.
#include <signal.h>
#include <sys/stat.h>

#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "tests/e2e/tmux.hpp"

namespace dragoman::test {
namespace {

// A place with an executor of these words, and the command that runs it.
class ExecutorInATerminal {
 protected:
  void begin(const std::string& script, const std::string& options = "") {
    if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
    const std::filesystem::path program = directory_.path() / "executor.sh";
    write_file(program, "#!/bin/sh\n" + script);
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    command_ = "env DRAGOMAN_STATE_DIR=" + directory_.path().string() + "/state " +
               dragoman_program().string() + " run " + options + " --cwd " +
               directory_.path().string() + " --agent executor -- " + program.string() +
               " task-1 it";
  }
  [[nodiscard]] std::string until(const std::string& file) const {
    return "while [ ! -e " + (directory_.path() / file).string() + " ]; do sleep 0.02; done\n";
  }

  TempDir directory_;
  std::filesystem::path pid_file_ = directory_.path() / "pid";
  std::string command_;
};

class RunInATerminal : public ::testing::Test, protected ExecutorInATerminal {};

TEST_F(RunInATerminal, AsksWhereTheStatusAreaWasAndGoesOnWithTheAnswer) {
  begin(
      "echo '[PROGRESS] reading the tests'\n"
      "case \"$2\" in\n"
      "  *Answer:*) echo \"[PROGRESS] going on: ${2##*Answer: }\"\n"
      "    echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
      "  *) printf '[QUESTION] Which store?\\n1. SQLite\\n2. Postgres\\n';;\n"
      "esac\n");
  const Tmux terminal(command_, 80);
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

// The card and the prompt said the same, one below the other.
TEST_F(RunInATerminal, ABlockIsAnsweredBelowItsCard) {
  begin(
      "case \"$2\" in\n"
      "  *Answer:*) echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
      "  *) printf '[BLOCKED] No database\\nNeeds: a URL\\n';;\n"
      "esac\n");
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(terminal.shows("[your answer]")) << terminal.everything();
  const std::string screen = terminal.screen();
  EXPECT_NE(screen.find("Blocked: No database"), std::string::npos) << screen;
  EXPECT_EQ(screen.find("No database"), screen.rfind("No database")) << screen;
  EXPECT_EQ(screen.find("a URL"), screen.rfind("a URL")) << screen;
  terminal.type("sqlite:x");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
}

// Somebody who types ahead has not seen what would be answered.
TEST_F(RunInATerminal, WhatWasTypedBeforeTheQuestionIsNoAnswerToIt) {
  begin("echo '[PROGRESS] thinking'\n" + until("typed") +
        "printf '[QUESTION] Delete it?\\n1. Yes\\n2. No\\n'\n");
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(terminal.shows("thinking")) << terminal.everything();
  terminal.type("1");
  write_file(directory_.path() / "typed", "");
  ASSERT_TRUE(terminal.shows("[1-2, or your own words]")) << terminal.everything();
  terminal.tmux({"send-keys", "C-d"});
  ASSERT_TRUE(terminal.shows("exit=4")) << terminal.everything();
  EXPECT_EQ(terminal.everything().find("answered: Yes"), std::string::npos)
      << terminal.everything();
}

// Nobody asks a command's questions, so nobody else would show them.
TEST_F(RunInATerminal, TheQuestionOfACommandIsShown) {
  begin("printf '[QUESTION] Which?\\n1. Yes\\n2. No\\n'\n");
  const std::size_t agent = command_.find("--agent executor ");
  const Tmux terminal(command_.erase(agent, sizeof "--agent executor"), 80);
  ASSERT_TRUE(terminal.shows("exit=4")) << terminal.everything();
  EXPECT_NE(terminal.everything().find("2. No"), std::string::npos) << terminal.everything();
}

TEST_F(RunInATerminal, ACancellationStandsOnALineOfItsOwnBelowTheQuestion) {
  begin("printf '[QUESTION] Which?\\n1. Yes\\n2. No\\n'\n");
  const Tmux terminal(command_, 80);
  ASSERT_TRUE(terminal.shows("[1-2, or your own words]")) << terminal.everything();
  const auto task = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "task");
    return dragoman(
               {.arguments = words,
                .environment = {"DRAGOMAN_STATE_DIR=" + directory_.path().string() + "/state"}})
        .out;
  };
  std::string listed;
  std::size_t id = std::string::npos;
  ASSERT_TRUE(eventually([&] {
    listed = task({"list", "--json"});
    id = listed.find("T-local-");
    return id != std::string::npos;
  })) << listed;
  task({"cancel", listed.substr(id, listed.find('"', id) - id), "--reason", "not today"});
  ASSERT_TRUE(terminal.shows("exit=143")) << terminal.everything();
  const std::string all = terminal.everything();
  EXPECT_NE(all.find("\ndragoman: cancelled from elsewhere: not today\n"), std::string::npos)
      << all;
}

// A Claude that asks whether it may run a command of two lines, and says what it was told.
constexpr char kAsksPermission[] = R"(#!/usr/bin/env python3
import json, sys
def say(o): print(json.dumps(o), flush=True)
sys.stdin.readline()
say({"type":"system","subtype":"init","session_id":"s","cwd":".","model":"m"})
say({"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"cd sub\necho \u001b[2J | sh"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"echo *"}],"behavior":"allow","destination":"session"}]}})
told = json.loads(sys.stdin.readline())["response"]["response"]
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"Told: " + json.dumps(told, sort_keys=True)}]}})
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"s"})
sys.stdin.read()
)";

class PermissionInATerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
    const std::filesystem::path program = directory_.path() / "claude";
    write_file(program, kAsksPermission);
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    command_ = "env PATH=" + directory_.path().string() +
               ":/usr/bin:/bin DRAGOMAN_STATE_DIR=" + directory_.path().string() + "/state " +
               dragoman_program().string() + " run --agent claude --cwd " +
               directory_.path().string() + " go";
  }

  TempDir directory_;
  std::string command_;
};

TEST_F(PermissionInATerminal, ShowsTheCommandAndTakesWordsButNoKeys) {
  const Tmux terminal(command_, 120);
  ASSERT_TRUE(terminal.shows("[y, n, session, 1 to 3, or \"no: \" and the reason]"))
      << terminal.everything();
  const std::string asked = terminal.everything();
  EXPECT_NE(asked.find("Allow Bash?\n  $ cd sub\n    echo \u241b[2J | sh\n  1. Allow\n"),
            std::string::npos)
      << asked;
  EXPECT_NE(asked.find("3. Allow for this session - Bash(echo *)"), std::string::npos) << asked;
  terminal.tmux({"send-keys", "Down", "Enter"});
  ASSERT_TRUE(terminal.shows("an answer is text without control characters"))
      << terminal.everything();
  terminal.type("use npm instead");
  ASSERT_TRUE(terminal.shows("that neither allows nor denies it")) << terminal.everything();
  terminal.type("no: use npm instead");
  ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
  const std::string all = terminal.everything();
  EXPECT_NE(all.find("\u2717 denied: use npm instead"), std::string::npos) << all;
  EXPECT_NE(all.find(R"("message": "use npm instead")"), std::string::npos) << all;
}

TEST_F(PermissionInATerminal, YAllowsAndSessionAllowsForLonger) {
  for (const auto& [typed, shown, told] :
       {std::tuple("y", "\u2713 allowed", R"(Told: {"behavior": "allow", "updatedInput")"),
        std::tuple("session", "\u2713 allowed for this session", "updatedPermissions")}) {
    const Tmux terminal(command_, 120);
    ASSERT_TRUE(terminal.shows("[y, n,")) << terminal.everything();
    terminal.type(typed);
    ASSERT_TRUE(terminal.shows("exit=0")) << terminal.everything();
    EXPECT_NE(terminal.everything().find(shown), std::string::npos) << terminal.everything();
    EXPECT_NE(terminal.everything().find(told), std::string::npos) << terminal.everything();
  }
}

// Works until the file `go` is there, asks, and goes on with the answer.
class KeysDuringARun : public ::testing::Test, protected ExecutorInATerminal {
 protected:
  void SetUp() override {
    begin("echo '[PROGRESS] thinking'\n" + until("go") +
          "case \"$2\" in\n"
          "  *Answer:*) echo '[CODEX_COMPLETE] Task completed in 2 iterations';;\n"
          "  *) printf '[QUESTION] Which?\\n1. Yes\\n2. No\\n';;\n"
          "esac\n");
  }
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
class TypingASecret : public ::testing::TestWithParam<const char*>, protected ExecutorInATerminal {
 protected:
  void SetUp() override {
    begin(
        "case \"$2\" in\n"
        "  *Answer:*) echo \"$2\" > heard; echo '[CODEX_COMPLETE] Task completed';;\n"
        "  *) echo '<!--QUESTION:{\"questions\":[{\"question\":\"Which password?\","
        "\"isSecret\":true}]}-->';;\n"
        "esac\n",
        std::string("--as ") + GetParam());
    command_ = noting_its_pid(pid_file_, command_);
  }
  [[nodiscard]] static bool asks(const Tmux& terminal) {
    return terminal.shows("your answer; it is not shown]") &&
           eventually([&] { return !terminal.echoes(); });
  }
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
