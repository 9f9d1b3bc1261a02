// SPDX-License-Identifier: Apache-2.0
// Agents that stop their guard: nothing of theirs outlives a run for that.
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <boost/asio/post.hpp>
#include <csignal>

#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/supervised.hpp"

namespace dragoman::test {
namespace {

using process::Exit;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Its guard stands still when it says "ready".
process::Command stopping_its_guard(const std::string& then) {
  process::Command command;
  command.program = "/bin/sh";
  command.arguments = {"-c",
                       "until grep -q 'State:.T' /proc/$PPID/status; do kill -STOP $PPID; done\n"
                       "echo ready\n" +
                           then};
  return command;
}

// Before the guard has said that the agent runs, which the start waits for.
TEST(StoppedGuard, TheStartIsSeenAsOftenAsItIsStopped) {
  process::Command command;
  command.program = "/bin/sh";
  command.arguments = {"-c", "kill -STOP $PPID"};
  for (std::size_t i = 0; i < scaled(400); ++i) {
    EXPECT_EQ(run_to_end(command)->outcome->exit.how, Exit::How::exited);
  }
}

TEST(StoppedGuard, AnEarlyDestructionEndsTheAgent) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, stopping_its_guard("exec sleep 600"));
  const pid_t agent = run.supervisor->pid();
  run.on_output = [&](std::string_view) { boost::asio::post(io, [&] { run.supervisor.reset(); }); };
  io.run();
  EXPECT_FALSE(run.outcome.has_value());
  EXPECT_FALSE(is_alive(agent));
  EXPECT_EQ(own_children(), 0U);
}

TEST(StoppedGuard, AStopEndsTheAgentAndTellsHow) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, stopping_its_guard("exec sleep 600"));
  run.on_output = [&](std::string_view) { run.supervisor->stop(); };
  io.run();
  EXPECT_EQ(run.outcome->exit.how, Exit::How::signal);
  EXPECT_EQ(run.outcome->exit.code, SIGTERM);
}

TEST(StoppedGuard, TheEndOfTheAgentIsSeen) {
  const auto run = run_to_end(stopping_its_guard("exit 3"));
  EXPECT_EQ(run->outcome->exit.how, Exit::How::exited);
  EXPECT_EQ(run->outcome->exit.code, 3);
}

// It goes with orders that it has not read, which our end of the socket is told before its reports.
TEST(StoppedGuard, AnOrderThatComesTooLateDoesNotHideHowTheAgentEnded) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, stopping_its_guard("exit 3"));
  ASSERT_TRUE(eventually([&] { return !is_alive(run.supervisor->pid()); }));
  for (int i = 0; i < 64; ++i) run.supervisor->signal(SIGWINCH);
  io.run();
  EXPECT_EQ(run.outcome->exit.how, Exit::How::exited);
  EXPECT_EQ(run.outcome->exit.code, 3);
}

TEST(StoppedGuard, AKillSwitchEndsTheAgent) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, stopping_its_guard("exec sleep 600"));
  auto ends = run.supervisor->kill_switch();
  ASSERT_TRUE(ends);
  run.on_output = [&](std::string_view) { ends->pull(); };
  io.run();
  EXPECT_EQ(run.outcome->exit.code, SIGKILL);
}

TEST(StoppedGuard, ActsWhenWeAreKilled) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "pids";
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    boost::asio::io_context io;
    Supervised run;
    run.start(io, stopping_its_guard("echo $$ > " + file.string() + "; exec sleep 600"),
              {.grace = milliseconds(10)});
    io.run();
    ::_exit(0);
  }
  ASSERT_GT(supervisor, 0);
  EXPECT_TRUE(eventually([&] { return pids_in(file).size() == 1; }));
  ::kill(supervisor, SIGKILL);
  ::waitpid(supervisor, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(pids_in(file).at(0)); }));
  collect_adopted();
}

// Held by a debugger, it does not go on for a signal either.
TEST(StoppedGuard, OneThatCannotGoOnIsKilledWithTheWholeTree) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"escape", file, "ignore-term", "say", "ready", "sleep", "60000"}),
            {.guard_patience = milliseconds(100)});
  const pid_t agent = run.supervisor->pid();
  process::TableEntry entry;
  ASSERT_TRUE(process::read_entry(agent, entry));
  const pid_t guard = entry.parent;
  if (::ptrace(PTRACE_SEIZE, guard, nullptr, nullptr) != 0) {
    GTEST_SKIP() << "no process may be held here";
  }
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, guard, nullptr, nullptr), 0);
  ASSERT_TRUE(eventually([&] {
    return process::read_entry(guard, entry) && entry.state == 't' && pids_in(file).size() == 1;
  }));
  run.supervisor.reset();
  EXPECT_TRUE(eventually([&] { return !is_alive(agent) && !is_alive(pids_in(file).at(0)); }));
  EXPECT_EQ(own_children(), 0U);
}

}  // namespace
}  // namespace dragoman::test
