// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/supervisor.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "dragoman/process/environment.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/supervised.hpp"

namespace dragoman::test {
namespace {

using process::Command;
using process::Exit;
using process::Settings;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Supervisor, HandsOnBothStreamsAndTheExitCode) {
  const auto run = run_to_end(fake_agent({"say", "hello", "errors", "1", "exit", "3"}));
  EXPECT_EQ(run->out, "hello\n");
  EXPECT_EQ(run->err, "{\"type\":\"fake\",\"line\":1}\n");
  EXPECT_EQ(run->outcome->exit.how, Exit::How::exited);
  EXPECT_EQ(run->outcome->exit.code, 3);
  EXPECT_EQ(exit_code_of(run->outcome->exit), 3);
  EXPECT_FALSE(run->outcome->stopped);
  EXPECT_EQ(own_children(), 0U);
}

TEST(Supervisor, TellsTheSignalThatEndedIt) {
  const auto run = run_to_end(fake_agent({"say", "last words", "die", "9"}));
  EXPECT_EQ(run->out, "last words\n");
  EXPECT_EQ(run->outcome->exit.how, Exit::How::signal);
  EXPECT_EQ(run->outcome->exit.code, SIGKILL);
  EXPECT_EQ(describe(run->outcome->exit), "signal 9 (KILL)");
}

TEST(Supervisor, SaysWhyAProgramWasNotStarted) {
  const TempDir dir;
  const std::string plain = (dir.path() / "plain").string();
  write_file(plain, "not a program");
  const std::string no_interpreter = (dir.path() / "script").string();
  write_file(no_interpreter, "#!/no/such/interpreter\n");
  const std::string garbage = (dir.path() / "garbage").string();
  write_file(garbage,
             "\x7f"
             "ELF nonsense");
  for (const auto& file : {no_interpreter, garbage}) (void)::chmod(file.c_str(), 0700);
  struct Row {
    Command command;
    int exit_code;
  };
  Command nowhere = fake_agent({});
  nowhere.directory = "/no/such/directory";
  Command nul = fake_agent({std::string("a\0b", 3)});
  const std::vector<Row> rows = {
      {{.program = "no-such-agent", .arguments = {}}, 127},
      {{.program = "/no/such/agent", .arguments = {}}, 127},
      {{.program = "", .arguments = {}}, 127},
      {{.program = plain, .arguments = {}}, 126},
      {{.program = dir.path().string(), .arguments = {}}, 126},
      {{.program = no_interpreter, .arguments = {}}, 126},
      {{.program = garbage, .arguments = {}}, 126},
      {nowhere, 125},
      {nul, 125},
  };
  boost::asio::io_context io;
  for (const Row& row : rows) {
    const auto started = process::Supervisor::start(io, row.command, {}, {});
    ASSERT_FALSE(started) << row.command.program;
    EXPECT_EQ(process::exit_code_of(started.error()), row.exit_code) << started.error().message;
  }
  EXPECT_EQ(own_children(), 0U);
}

// It was a "bad file descriptor", whatever the reason.
TEST(Supervisor, SaysThatThereAreTooManyDescriptors) {
  boost::asio::io_context io;
  process::Command in_a_terminal{.program = "/bin/true", .arguments = {}};
  in_a_terminal.terminal.emplace();
  const process::Command plain{.program = "/bin/true", .arguments = {}};
  for (const process::Command& command : {plain, in_a_terminal}) {
    const FewDescriptors none(0);
    const auto started = process::Supervisor::start(io, command, {}, {});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message, "open a descriptor: Too many open files");
  }
}

TEST(Supervisor, FindsAProgramInThePathOfTheChild) {
  const auto run =
      run_to_end({.program = "true", .arguments = {}, .environment = {"PATH=/usr/bin"}});
  EXPECT_EQ(run->outcome->exit.code, 0);
  boost::asio::io_context io;
  const auto started = process::Supervisor::start(
      io, {.program = "true", .arguments = {}, .environment = {"PATH=/nowhere::."}}, {}, {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "start 'true': no such program in PATH");
}

TEST(Supervisor, AChildInheritsNothingButItsThreeDescriptors) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  sigprocmask(SIG_BLOCK, &some, nullptr);
  const int leaked = ::dup(1);  // without O_CLOEXEC
  const auto run = run_to_end(fake_agent({"state"}));
  ::close(leaked);
  sigprocmask(SIG_UNBLOCK, &some, nullptr);
  (void)std::signal(SIGPIPE, SIG_DFL);
  EXPECT_NE(run->out.find("SigBlk:\t0000000000000000\n"), std::string::npos) << run->out;
  EXPECT_NE(run->out.find("SigIgn:\t0000000000000000\n"), std::string::npos) << run->out;
  EXPECT_NE(run->out.find("fds: 0 1 2\n"), std::string::npos) << run->out;
  EXPECT_NE(run->out.find("leads session: yes\nleads group: yes\nterminal: no\n"),
            std::string::npos)
      << run->out;
}

TEST(Supervisor, TheEnvironmentAndTheDirectoryAreTheGivenOnes) {
  const TempDir dir;
  Command command = fake_agent({"environment", "state"});
  command.environment = {"A=1", "B=two words"};
  command.directory = dir.path().string();
  const auto run = run_to_end(command);
  EXPECT_TRUE(run->out.starts_with("A=1\nB=two words\n")) << run->out;
  EXPECT_NE(run->out.find("directory: " + dir.path().string()), std::string::npos) << run->out;
}

TEST(Supervisor, ArgumentsArriveByteForByte) {
  const std::vector<std::string> words = {
      "",    "-",    "--help", "$(id)", "`id`",
      "a b", "a\nb", "@file",  "*",     "\\",
      "'",   "\"",   "\xff",   ";",     std::string(100'000, 'x')};
  std::vector<std::string> all = {"arguments"};
  all.insert(all.end(), words.begin(), words.end());
  const auto run = run_to_end(fake_agent(all));
  std::string expected;
  for (const std::string& word : words) expected.append(word).push_back('\0');
  EXPECT_EQ(run->out, expected);
}

TEST(Supervisor, WhatIsWrittenToStdinArrives) {
  boost::asio::io_context io;
  Supervised run;
  Command command = fake_agent({"cat"});
  command.stdin_from = process::Stdin::pipe;
  run.start(io, command);
  std::string sent;
  for (int i = 0; i < 40; ++i) {
    std::string piece(50'000, static_cast<char>('a' + i % 26));
    sent += piece;
    run.supervisor->write(std::move(piece));
  }
  EXPECT_EQ(run.supervisor->input_pending(), sent.size());
  run.supervisor->close_stdin();
  io.run();
  EXPECT_EQ(run.out, sent);
  EXPECT_EQ(run.outcome->exit.code, 0);
}

TEST(Supervisor, AChildThatDoesNotReadItsStdinHarmsNobody) {
  boost::asio::io_context io;
  Supervised run;
  Command command = fake_agent({"close-stdin", "say", "done"});
  command.stdin_from = process::Stdin::pipe;
  run.start(io, command);
  run.supervisor->write(std::string(1'000'000, 'x'));
  io.run();
  EXPECT_EQ(run.out, "done\n");
  EXPECT_EQ(run.outcome->exit.code, 0);
}

TEST(Supervisor, ATerminalOfItsOwnWhereOneIsWanted) {
  boost::asio::io_context io;
  Supervised run;
  Command command = fake_agent({"state", "cat"});
  command.terminal = process::TerminalSize{132, 40};
  run.start(io, command);
  run.supervisor->write("typed\n");
  run.supervisor->close_stdin();
  io.run();
  EXPECT_NE(run.out.find("terminal: yes\ncolumns: 132\n"), std::string::npos) << run.out;
  EXPECT_TRUE(run.out.ends_with("typed\n")) << run.out;
  EXPECT_EQ(run.outcome->exit.code, 0);
}

// A terminal hands over whole lines, and of a long one only what its buffer holds.
TEST(Supervisor, WhatIsWrittenToATerminalArrivesWholeAndEnds) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines.append(static_cast<std::size_t>(i) * 7, 'x').push_back(i % 3 == 0 ? '\n' : '.');
  }
  std::vector<std::string> texts = {"", "hello", "hello\n", "one\ntwo", lines};
  for (const std::size_t size : {4000U, 4001U, 4094U, 4095U, 4096U, 8000U, 8192U, 100'000U}) {
    const std::string line(size, 'a');
    texts.insert(texts.end(), {line, line + "\n", "x" + line + "\nend"});
  }
  for (const std::string& text : texts) {
    boost::asio::io_context io;
    Supervised run;
    Command command = fake_agent({"cat"});
    command.terminal = process::TerminalSize{80, 24};
    run.start(io, command, {.limits = {.hard = seconds(20)}});
    // In two pieces: a line may be finished by another write than the one that began it.
    run.supervisor->write(text.substr(0, text.size() / 2));
    run.supervisor->write(text.substr(text.size() / 2));
    run.supervisor->close_stdin();
    io.run();
    EXPECT_TRUE(run.out == text) << run.out.size() << " bytes of " << text.size();
    ASSERT_EQ(run.outcome->exit.how, Exit::How::exited) << text.size() << " bytes: no end";
    EXPECT_EQ(run.outcome->exit.code, 0);
  }
}

TEST(Supervisor, StoppingTakesTheGrandchildrenToo) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"escape", file, "child", file, "say", "ready", "sleep", "60000"}));
  run.on_output = [&](std::string_view) {
    after(io, milliseconds(20), [&] { run.supervisor->stop(milliseconds(200)); });
  };
  io.run();
  EXPECT_TRUE(run.outcome->stopped);
  EXPECT_EQ(run.outcome->exit.how, Exit::How::signal);
  EXPECT_EQ(run.outcome->exit.code, SIGTERM);
  EXPECT_EQ(run.outcome->exit.survivors, 0U);
  for (const pid_t pid : pids_in(file)) EXPECT_FALSE(is_alive(pid)) << pid;
  EXPECT_EQ(own_children(), 0U);
}

TEST(Supervisor, AChildThatIgnoresTermIsKilledAfterTheGrace) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"ignore-term", "say", "ready", "sleep", "60000"}));
  std::chrono::steady_clock::time_point told;
  run.on_output = [&](std::string_view) {
    told = std::chrono::steady_clock::now();
    run.supervisor->stop(milliseconds(300));
  };
  io.run();
  EXPECT_EQ(run.outcome->exit.code, SIGKILL);
  EXPECT_GE(std::chrono::steady_clock::now() - told, milliseconds(295));
}

TEST(Supervisor, WhatItWritesInItsLastMomentIsKept) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"term-burst", "1000000", "say", "ready", "sleep", "60000"}));
  run.on_output = [&, first = true](std::string_view) mutable {
    if (std::exchange(first, false)) run.supervisor->stop(seconds(20));
  };
  io.run();
  EXPECT_EQ(run.out.size(), 6U + 1'000'000U);
  EXPECT_EQ(run.outcome->exit.how, Exit::How::exited);
}

TEST(Supervisor, WhatAnAgentLeavesBehindIsEndedWithIt) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  const auto run = run_to_end(fake_agent({"escape", file, "sleep", "100", "exit", "0"}));
  EXPECT_EQ(run->outcome->exit.code, 0);
  EXPECT_EQ(run->outcome->exit.leftovers, 1U);
  ASSERT_EQ(pids_in(file).size(), 1U);
  EXPECT_FALSE(is_alive(pids_in(file)[0]));
}

TEST(Supervisor, AnEarlyDestructionKillsAtOnce) {
  const TempDir dir;
  const std::string file = (dir.path() / "pids").string();
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"escape", file, "ignore-term", "say", "ready", "sleep", "60000"}));
  run.on_output = [&](std::string_view) {
    after(io, milliseconds(50), [&] { run.supervisor.reset(); });
  };
  io.run();
  EXPECT_FALSE(run.outcome.has_value());
  for (const pid_t pid : pids_in(file)) EXPECT_FALSE(is_alive(pid)) << pid;
  EXPECT_EQ(own_children(), 0U);
}

TEST(Supervisor, AKilledGuardTakesTheAgentAlongAndIsNotSuccess) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"say", "ready", "sleep", "60000"}));
  const pid_t agent = run.supervisor->pid();
  run.on_output = [&](std::string_view) {
    process::TableEntry entry;
    ASSERT_TRUE(process::read_entry(agent, entry));
    ::kill(entry.parent, SIGKILL);
  };
  io.run();
  EXPECT_EQ(run.outcome->exit.how, Exit::How::lost);
  EXPECT_EQ(exit_code_of(run.outcome->exit), 125);
  // The kernel sends its signal behind the guard's death, and nobody waits for it.
  EXPECT_TRUE(eventually([&] { return !is_alive(agent); }));
}

TEST(Supervisor, ASignalGoesToTheProgramAlone) {
  boost::asio::io_context io;
  Supervised run;
  run.start(io, fake_agent({"say", "ready", "sleep", "60000"}));
  run.on_output = [&](std::string_view) { run.supervisor->signal(SIGINT); };
  io.run();
  EXPECT_EQ(run.outcome->exit.code, SIGINT);
  EXPECT_FALSE(run.outcome->stopped);
}

TEST(Supervisor, ATimeoutSaysWhatTheProcessWasDoing) {
  Settings settings;
  settings.limits.idle = milliseconds(1500);
  settings.limits.warning = milliseconds(200);
  settings.grace = milliseconds(100);
  Command command = fake_agent({"read-stdin"});
  command.stdin_from = process::Stdin::pipe;
  const auto run = run_to_end(command, settings);
  ASSERT_EQ(run->alarms.size(), 2U);
  EXPECT_EQ(run->alarms[0].what.level, process::Watchdog::Alarm::Level::warning);
  ASSERT_TRUE(run->outcome->timeout.has_value());
  EXPECT_EQ(run->outcome->timeout->what.limit, process::Limit::idle);
  EXPECT_FALSE(run->outcome->stopped);
  const std::string text = describe(run->outcome->timeout->facts);
  EXPECT_NE(text.find("is blocked reading stdin"), std::string::npos) << text;
  EXPECT_NE(text.find("no children"), std::string::npos) << text;
}

}  // namespace
}  // namespace dragoman::test
