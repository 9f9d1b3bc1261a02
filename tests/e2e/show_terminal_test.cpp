// SPDX-License-Identifier: Apache-2.0
// dragoman show in a real terminal: tmux.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/e2e/tmux.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace dragoman::test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string status(int percent, const std::string& message) {
  return fmt::format(
      "<!-- WXCODE:STATUS:{{\"status\":\"in_progress\",\"message\":\"{}\",\"progress\":{}}} -->\n",
      message, percent);
}

class ShowInATerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
    write_file(file_,
               "<!-- WXCODE:HEADER:{\"command\":\"x\",\"args\":\"\",\"title\":\"A RUN\"} -->\n" +
                   status(33, "Executing wave 1"));
  }
  void append(const std::string& text) const {
    std::ofstream(file_, std::ios::app) << text << std::flush;
  }
  [[nodiscard]] std::string command() const {
    return dragoman_program().string() + " show --follow " + file_.string();
  }

  TempDir directory_;
  std::filesystem::path file_ = directory_.path() / "run.md";
};

TEST_F(ShowInATerminal, TheStatusAreaStandsBelowAndTheRestScrolls) {
  const Tmux terminal(command(), 80);
  ASSERT_TRUE(terminal.shows("working"));
  for (int i = 34; i < 64; ++i) append(status(i, fmt::format("step {}", i)));
  ASSERT_TRUE(eventually([&] { return count(terminal.screen(), "step 63") == 2; }))
      << terminal.screen();
  EXPECT_EQ(terminal.cursor(), "0\n");
  const std::string all = terminal.everything();
  EXPECT_EQ(count(all, "A RUN"), 1U) << all;
  for (int i = 34; i < 63; ++i) EXPECT_EQ(count(all, fmt::format("step {}\n", i)), 1U) << all;
  EXPECT_EQ(count(all, "working"), 1U) << all;
}

TEST_F(ShowInATerminal, AResizeLeavesNoGhosts) {
  const Tmux terminal(command(), 100);
  ASSERT_TRUE(terminal.shows("working"));
  for (const char* width : {"40", "120", "60"}) {
    terminal.tmux({"resize-window", "-x", width});
    append(status(50, fmt::format("at {}", width)));
    ASSERT_TRUE(terminal.shows(fmt::format("at {}", width)));
  }
  EXPECT_TRUE(eventually([&] { return count(terminal.everything(), "working") == 1; }))
      << terminal.everything();
}

TEST_F(ShowInATerminal, AFileThatIsCutOffIsShownAnew) {
  const Tmux terminal(command(), 80);
  ASSERT_TRUE(terminal.shows("working"));
  write_file(file_, status(5, "again"));
  EXPECT_TRUE(terminal.shows("was cut off"));
  EXPECT_TRUE(terminal.shows("5% again"));
}

TEST_F(ShowInATerminal, CtrlCGivesTheTerminalBack) {
  const Tmux terminal(command(), 80);
  ASSERT_TRUE(terminal.shows("working"));
  ASSERT_TRUE(eventually([&] { return terminal.cursor() == "0\n"; }));
  terminal.tmux({"send-keys", "C-c"});
  EXPECT_TRUE(terminal.shows("exit=130"));
  EXPECT_EQ(terminal.cursor(), "1\n");
  EXPECT_EQ(count(terminal.everything(), "working"), 0U);
}

// Letters pushed the area aside, and every Enter left a copy of it behind.
TEST_F(ShowInATerminal, KeysThatArePressedDoNotTearTheStatusArea) {
  const Tmux terminal(command(), 80);
  ASSERT_TRUE(terminal.shows("working"));
  ASSERT_TRUE(eventually([&] { return !terminal.echoes(); }));
  for (int i = 0; i < 5; ++i) {
    terminal.type("typed");
    append(status(50 + i, fmt::format("behind key {}", i)));
    ASSERT_TRUE(terminal.shows(fmt::format("behind key {}", i)));
  }
  EXPECT_TRUE(eventually([&] { return count(terminal.screen(), "working") == 1; }))
      << terminal.screen();
  EXPECT_EQ(count(terminal.everything(), "typed"), 0U) << terminal.everything();
  terminal.tmux({"send-keys", "C-c"});
  EXPECT_TRUE(terminal.shows("exit=130"));
  EXPECT_TRUE(terminal.echoes());
}

TEST_F(ShowInATerminal, KeysAreSeenAgainWhateverSignalEndsIt) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) {
    const auto pid_file = directory_.path() / fmt::format("pid{}", signal);
    const Tmux terminal(noting_its_pid(pid_file, command()), 80);
    ASSERT_TRUE(eventually([&] { return terminal.cursor() == "0\n" && !terminal.echoes(); }));
    ASSERT_EQ(::kill(noted_pid(pid_file), signal), 0);
    EXPECT_TRUE(terminal.shows(fmt::format("exit={}", 128 + signal))) << terminal.everything();
    EXPECT_TRUE(terminal.echoes()) << signal;
    EXPECT_EQ(terminal.cursor(), "1\n") << signal;
  }
}

TEST_F(ShowInATerminal, KeysAreSeenWhileItIsStopped) {
  const auto pid_file = directory_.path() / "pid";
  const Tmux terminal(noting_its_pid(pid_file, command()), 80);
  ASSERT_TRUE(terminal.shows("working"));
  ASSERT_TRUE(eventually([&] { return !terminal.echoes(); }));
  terminal.tmux({"send-keys", "C-z"});
  EXPECT_TRUE(eventually([&] { return terminal.echoes(); }));
  EXPECT_EQ(count(terminal.screen(), "working"), 0U) << terminal.screen();
  ASSERT_EQ(::kill(noted_pid(pid_file), SIGCONT), 0);
  EXPECT_TRUE(eventually([&] { return !terminal.echoes(); }));
  EXPECT_TRUE(eventually([&] { return count(terminal.screen(), "working") == 1; }));
}

// Who pastes into it wants to see what, and so does whom a program before the pipe asks.
TEST_F(ShowInATerminal, KeysAreSeenWhereStdinIsShown) {
  const Tmux terminal("(echo one; exec sleep 600) | " + dragoman_program().string() + " show", 80);
  ASSERT_TRUE(terminal.shows("one"));
  ASSERT_TRUE(eventually([&] { return terminal.cursor() == "0\n"; }));
  EXPECT_TRUE(terminal.echoes());
}

TEST_F(ShowInATerminal, HelpBreaksItsLinesBetweenWords) {
  const Tmux wide(dragoman_program().string() + " help", 80);
  ASSERT_TRUE(wide.shows("exit=0"));
  EXPECT_EQ(wide.everything().rfind(
                "dragoman stands between coding agents and the people and programs that work with\n"
                "them.\n",
                0),
            0U)
      << wide.everything();
  EXPECT_TRUE(wide.shows("NO_COLOR and CLICOLOR_FORCE\nare heeded.")) << wide.everything();
}

}  // namespace
}  // namespace dragoman::test
