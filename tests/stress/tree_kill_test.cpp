// SPDX-License-Identifier: Apache-2.0
// Nothing that an agent started outlives the run, and no agent outlives us.
#include <sys/wait.h>

#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/supervised.hpp"

namespace dragoman::test {
namespace {

using process::Settings;
using std::chrono::milliseconds;

// An agent with a grandchild that has left its session and one that has not, both deaf to TERM.
process::Command agent_with_escapee(const std::string& pids) {
  return fake_agent({"escape", pids, "child", pids, "say", "ready", "sleep", "600000"});
}

std::vector<pid_t> wait_for_pids(const std::string& file, std::size_t count) {
  EXPECT_TRUE(eventually([&] { return pids_in(file).size() >= count; }));
  return pids_in(file);
}

TEST(TreeKill, CancellingLeavesNobody) {
  const TempDir dir;
  std::size_t killed = 0;
  for (std::size_t round = 0; round < scaled(100); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    boost::asio::io_context io;
    Supervised run;
    run.start(io, agent_with_escapee(file), {.grace = milliseconds(100)});
    const auto pids = wait_for_pids(file, 2);
    run.supervisor->stop();
    io.run();
    ASSERT_TRUE(run.outcome.has_value());
    EXPECT_TRUE(run.outcome->stopped);
    for (const pid_t pid : pids) {
      EXPECT_FALSE(is_alive(pid)) << "round " << round;
      ++killed;
    }
  }
  EXPECT_EQ(killed, 2 * scaled(100));
  EXPECT_EQ(own_children(), 0U);
}

TEST(TreeKill, ATimeoutLeavesNobody) {
  const TempDir dir;
  for (std::size_t round = 0; round < scaled(100); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    boost::asio::io_context io;
    Supervised run;
    Settings settings{.grace = milliseconds(100)};
    settings.limits.idle = milliseconds(round % 2 == 0 ? 300 : 0);
    settings.limits.hard = milliseconds(round % 2 == 0 ? 0 : 300);
    run.start(io, agent_with_escapee(file), settings);
    io.run();
    ASSERT_TRUE(run.outcome.has_value());
    ASSERT_TRUE(run.outcome->timeout.has_value());
    EXPECT_EQ(run.outcome->timeout->what.limit,
              round % 2 == 0 ? process::Limit::idle : process::Limit::hard);
    for (const pid_t pid : pids_in(file)) EXPECT_FALSE(is_alive(pid)) << "round " << round;
  }
  EXPECT_EQ(own_children(), 0U);
}

// A process of its own that supervises three agents until it is killed.
pid_t supervise_in_a_child(const std::string& file) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  boost::asio::io_context io;
  std::vector<std::unique_ptr<Supervised>> runs;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(std::make_unique<Supervised>());
    runs.back()->start(io, agent_with_escapee(file), {.grace = milliseconds(100)});
    std::ofstream(file, std::ios::app) << runs.back()->supervisor->pid() << '\n';
  }
  io.run();
  std::_Exit(0);
}

TEST(TreeKill, NoAgentOutlivesAKilledSupervisor) {
  const TempDir dir;
  for (std::size_t round = 0; round < scaled(20); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    const pid_t supervisor = supervise_in_a_child(file);
    const auto pids = wait_for_pids(file, 9);
    ASSERT_EQ(::kill(supervisor, SIGKILL), 0);
    ASSERT_EQ(::waitpid(supervisor, nullptr, 0), supervisor);
    for (const pid_t pid : pids) {
      EXPECT_TRUE(eventually([pid] { return !is_alive(pid); })) << "round " << round;
    }
    collect_adopted();
  }
}

pid_t guard_of(const Supervised& run) {
  process::TableEntry entry;
  EXPECT_TRUE(process::read_entry(run.supervisor->pid(), entry));
  return entry.parent;
}

// What it started has left its session and has no descriptor of ours.
TEST(TreeKill, AKilledGuardLeavesNobody) {
  const TempDir dir;
  for (std::size_t round = 0; round < scaled(100); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    boost::asio::io_context io;
    Supervised run;
    run.start(io, agent_with_escapee(file));
    const auto pids = wait_for_pids(file, 2);
    ASSERT_EQ(::kill(guard_of(run), SIGKILL), 0);
    io.run();
    ASSERT_TRUE(run.outcome.has_value());
    EXPECT_EQ(run.outcome->exit.how, process::Exit::How::lost);
    EXPECT_EQ(run.outcome->exit.survivors, 0U);
    for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid)) << "round " << round;
  }
  EXPECT_EQ(own_children(), 0U);
}

// Before the guard has told that the agent runs; what is there then, is there without a name.
TEST(TreeKill, AGuardKilledAtOnceLeavesNobody) {
  const TempDir dir;
  const std::vector<std::string> attacks = {"kill -9 $PPID", "kill -STOP $PPID; kill -9 $PPID"};
  std::size_t started = 0;
  for (std::size_t round = 0; round < scaled(200); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    process::Command command;
    command.program = "/bin/sh";
    command.arguments = {"-c", "setsid sleep 600 <&- >&- 2>&- & (sleep 600 &) ; echo $! > " + file +
                                   "; " + attacks[round % attacks.size()] + "; sleep 600"};
    const auto run = run_to_end(command);
    EXPECT_EQ(run->outcome->exit.how, process::Exit::How::lost);
    EXPECT_EQ(run->outcome->exit.survivors, 0U);
    for (const pid_t pid : pids_in(file)) {
      EXPECT_FALSE(is_alive(pid)) << "round " << round;
      ++started;
    }
    ASSERT_EQ(own_children(), 0U) << "round " << round;
  }
  EXPECT_GE(started, scaled(200));
}

// A process that is ours and none of a run's is not taken for one.
TEST(TreeKill, AKilledGuardCostsNoOtherRun) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  boost::asio::io_context io;
  Supervised other;
  other.start(io, agent_with_escapee((dir.path() / "other").string()), {.grace = milliseconds(0)});
  const auto living = wait_for_pids((dir.path() / "other").string(), 2);
  boost::asio::io_context short_io;
  Supervised run;
  run.start(short_io, agent_with_escapee(file));
  Supervised later;
  later.start(io, fake_agent({"sleep", "600000"}), {.grace = milliseconds(0)});
  (void)wait_for_pids(file, 2);
  ASSERT_EQ(::kill(guard_of(run), SIGKILL), 0);
  short_io.run();
  for (const pid_t pid : living) EXPECT_TRUE(is_alive(pid));
  EXPECT_TRUE(is_alive(later.supervisor->pid()));
  other.supervisor.reset();
  later.supervisor.reset();
  EXPECT_EQ(own_children(), 0U);
}

// The agent does nothing else, and is deaf to TERM.
TEST(TreeKill, AGuardThatIsStoppedAgainAndAgainSavesNobody) {
  const TempDir dir;
  for (std::size_t round = 0; round < scaled(60); ++round) {
    const std::string file = (dir.path() / std::to_string(round)).string();
    process::Command command;
    command.program = "/bin/sh";
    command.arguments = {"-c",
                         "trap '' TERM; (trap '' TERM; while :; do kill -STOP $PPID; done) & "
                         "echo $$ $! > " +
                             file + "; while :; do kill -STOP $PPID; done"};
    boost::asio::io_context io;
    Supervised run;
    run.start(io, command, {.grace = milliseconds(50), .guard_patience = std::chrono::hours(1)});
    const auto pids = wait_for_pids(file, 2);
    if (round % 2 == 0) {
      run.supervisor->stop();
      io.run();
      ASSERT_TRUE(run.outcome.has_value());
      EXPECT_EQ(run.outcome->exit.survivors, 0U);
    } else {
      run.supervisor.reset();
    }
    for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid)) << "round " << round;
  }
  EXPECT_EQ(own_children(), 0U);
}

TEST(TreeKill, AForkingAgentDoesNotOutrunTheKill) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  std::vector<std::string> words;
  for (int i = 0; i < 40; ++i) {
    words.insert(words.end(), {i % 2 == 0 ? "escape" : "child", file});
  }
  words.insert(words.end(), {"ignore-term", "sleep", "600000"});
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent(words));
  const auto pids = wait_for_pids(file, 40);
  run.supervisor->stop(milliseconds(0));
  io.run();
  for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid));
}

}  // namespace
}  // namespace dragoman::test
