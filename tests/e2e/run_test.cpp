// SPDX-License-Identifier: Apache-2.0
// `dragoman run` with small programs in the place of agents.
#include <csignal>
#include <fstream>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"

namespace dragoman::test {
namespace {

// Notes how it was called and what it was given, then says what Claude would say.
constexpr std::string_view kFakeClaude = R"(#!/usr/bin/env python3
import json, sys
open("argv", "w").write("\0".join(sys.argv[1:]))
line = sys.stdin.readline()
open("prompt", "w", newline="").write(json.loads(line)["message"]["content"][0]["text"])
def say(o): print(json.dumps(o), flush=True)
say({"type":"system","subtype":"init","session_id":"11111111-2222-4333-8444-555555555555","cwd":".","model":"m"})
say({"type":"assistant","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"done"}]},"session_id":"s"})
say({"type":"result","subtype":"success","is_error":False,"result":"done","session_id":"11111111-2222-4333-8444-555555555555"})
sys.stdin.read()
)";
constexpr std::string_view kFakeCodex = R"(#!/usr/bin/env python3
import sys
open("argv", "w").write("\0".join(sys.argv[1:]))
open("prompt", "wb").write(sys.stdin.buffer.read())
print('{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}')
print('{"type":"turn.started"}')
print('{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}')
)";

std::vector<std::string> hostile_prompts() {
  std::vector<std::string> prompts = {"",
                                      "-",
                                      "--",
                                      "---",
                                      "-p",
                                      "--help",
                                      "--version",
                                      "-h",
                                      "@file",
                                      "@/etc/passwd",
                                      "--resume",
                                      "--resume=x",
                                      "--model x",
                                      "--dangerously-skip-permissions",
                                      "--settings={\"hooks\":{}}",
                                      "- [ ] do the thing",
                                      "$(touch /tmp/x)",
                                      "`id`",
                                      "a; rm -rf /",
                                      "a && b || c",
                                      "a | b > c",
                                      "'single' \"double\"",
                                      "\\\\ \\n \\",
                                      "%s %n %d",
                                      "*",
                                      "~",
                                      "!!",
                                      "#!x",
                                      "new\nline",
                                      "\n",
                                      "\r\nline\r\n",
                                      "\ttab",
                                      " leading and trailing ",
                                      "é 😀 \u2028 \u202e",
                                      "{\"type\":\"user\"}",
                                      "</script><!-- -->",
                                      "[BLOCKED] not really",
                                      "\x1b[31mred\x1b[0m",
                                      "a\x7f\x01"
                                      "b"};
  prompts.push_back(std::string(1 << 20, 'x'));
  return prompts;
}

class Prompts : public ::testing::TestWithParam<std::string> {};

TEST_P(Prompts, ArriveByteForByteAndLeaveTheArgumentsAlone) {
  RunPlace place;
  place.script("claude", std::string(kFakeClaude));
  place.script("codex", std::string(kFakeCodex));
  ASSERT_EQ(hostile_prompts().size(), 40U);
  std::string usual;
  for (const std::string& prompt : hostile_prompts()) {
    const Ended ended =
        place.run({"--agent", GetParam(), "--as", "quiet", "--no-record", "-"}, prompt);
    ASSERT_EQ(ended.exit_code, 0) << prompt.substr(0, 40) << "\n" << ended.err;
    EXPECT_EQ(read_file(place.work() / "prompt"), prompt) << prompt.substr(0, 40);
    const std::string argv = read_file(place.work() / "argv");
    if (usual.empty()) usual = argv;
    EXPECT_EQ(argv, usual);
  }
}
INSTANTIATE_TEST_SUITE_P(Agents, Prompts, ::testing::Values("claude", "codex"),
                         [](const auto& agent) { return agent.param; });

TEST(Run, APromptBehindTwoDashesMayBeginWithOne) {
  RunPlace place;
  place.script("claude", std::string(kFakeClaude));
  place.script("codex", std::string(kFakeCodex));
  EXPECT_EQ(place.run({"--agent", "codex", "--as", "quiet", "--", "--help"}).exit_code, 0);
  EXPECT_EQ(read_file(place.work() / "prompt"), "--help");
  EXPECT_EQ(place.run({"--as", "quiet", "--", "-v is ignored"}).exit_code, 0);
  EXPECT_EQ(read_file(place.work() / "prompt"), "-v is ignored");
}

// No program's name begins with a dash.
TEST(Run, ArgumentsBehindAPromptAreThoseOfTheAgent) {
  RunPlace place;
  place.script("claude", std::string(kFakeClaude));
  EXPECT_EQ(place.run({"--as", "quiet", "hi", "--", "--max-turns", "3"}).exit_code, 0);
  EXPECT_EQ(read_file(place.work() / "prompt"), "hi");
  EXPECT_NE(read_file(place.work() / "argv").find("--max-turns"), std::string::npos);
}

TEST(Run, AVariableThatIsNotSetIsSaid) {
  RunPlace place;
  const Ended ended = place.run(
      {"--as", "quiet", "--env", "NOT_SET_HERE", "--env", "SET=", "--", "/bin/sh", "-c", "true"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err,
            "dragoman: warning: --env NOT_SET_HERE: not set here, so the agent has none\n");
}

struct ExitRow {
  std::string script;
  int exit_code;
  std::string verdict;
};

TEST(Run, EndsWithTheVerdictOfACommand) {
  RunPlace place;
  const std::vector<ExitRow> table = {
      {"true", 0, "completed"},
      {"exit 3", 1, "failed"},
      {"kill -9 $$", 137, "failed"},
      {"echo '[BLOCKED] no url'", 5, "blocked"},
      {"echo '[QUESTION] Which?'; echo Options:; echo '1. a'", 4, "question"},
      {"echo '<!-- WXCODE:STATUS:{\"status\":\"paused\",\"message\":\"x\"} -->'", 1, "incomplete"},
      {"echo '[PROGRESS] x'; echo '[CODEX_COMPLETE] Task completed in 2 iterations'", 0,
       "completed"},
  };
  for (const ExitRow& row : table) {
    const Ended ended = place.run({"--as", "json", "--", "/bin/sh", "-c", row.script});
    EXPECT_EQ(ended.exit_code, row.exit_code) << row.script << ended.err;
    EXPECT_EQ(verdict_in(ended.out), row.verdict) << row.script;
  }
}

TEST(Run, SaysWhyAProgramWasNotStarted) {
  RunPlace place;
  write_file(place.work() / "plain", "text");
  EXPECT_EQ(place.run({"--", "no-such-program"}).exit_code, 127);
  EXPECT_EQ(place.run({"--", "./plain"}).exit_code, 126);
  EXPECT_EQ(place.run({"--agent", "claude", "hi"}).exit_code, 127);
  EXPECT_EQ(place.run({}).exit_code, 2);
  EXPECT_EQ(place.run({"--agent", "codex", "--resume", "not-a-uuid", "hi"}).exit_code, 2);
  EXPECT_EQ(place.run({"--sandbox", "read-only", "--", "true"}).exit_code, 2);
}

TEST(Run, SaysWhyItCannotBeRecordedAndWhatToDo) {
  RunPlace place;
  std::filesystem::permissions(place.root(), std::filesystem::perms(0555));
  Start start = place.start({"--", "true"});
  start.as_nobody = true;
  const Ended ended = dragoman(start);
  std::filesystem::permissions(place.root(), std::filesystem::perms::owner_all);
  if (ended.exit_code == 127) GTEST_SKIP() << "nobody may not start the program here";
  EXPECT_EQ(ended.exit_code, 125);
  EXPECT_EQ(ended.err, "dragoman: run: make directory '" + place.state().string() +
                           "': Permission denied\n"
                           "  hint: record it elsewhere: --record DIR, or not at all: "
                           "--no-record\n");
}

TEST(Run, ATimeoutCarriesTheLastWords) {
  RunPlace place;
  const Ended ended = place.run({"--as", "json", "--idle-timeout", "300ms", "--grace", "100ms",
                                 "--", "/bin/sh", "-c", "echo last words; sleep 60"});
  EXPECT_EQ(ended.exit_code, 124) << ended.err;
  const auto finished = of_kind(ended.out, "finished");
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0]["verdict"], "timeout");
  EXPECT_EQ(finished[0]["last_output"], "last words\n");
  std::string kinds;
  for (const auto& event : finished[0]["last_events"])
    kinds += event["kind"].get<std::string>() + " ";
  EXPECT_NE(kinds.find("text "), std::string::npos) << kinds;
}

// Asks twice over two calls, and notes the words it was called with.
constexpr std::string_view kExecutor = R"(#!/bin/sh
printf '%s\n' "$2" >> calls
case "$2" in
  *"Answer: "*"Answer: "*) echo '[CODEX_COMPLETE] Task completed in 3 iterations' ;;
  *"Answer: "*) echo '[BLOCKED] no url'; echo 'ask the owner' ;;
  *) echo '[QUESTION] Where do tokens live?'; echo 'Options:'; echo '1. localStorage - stays'
     echo '2. sessionStorage - goes'; echo ;;
esac
)";

std::string answers_for(const std::string& out) {
  std::string answers;
  for (const nlohmann::json& question : of_kind(out, "question")) {
    if (question["state"] != "open") continue;
    const std::string answer = question["kind"] == "blocked" ? "http://localhost" : "2";
    answers +=
        nlohmann::json{{"type", "answer"}, {"id", question["id"]}, {"answer", answer}}.dump() +
        "\n";
  }
  return answers;
}

TEST(Run, CallsTheExecutorAgainWithEachAnswer) {
  RunPlace place;
  place.script("executor", std::string(kExecutor));
  const std::vector<std::string> words = {"--agent", "executor", "--io",   "jsonl",
                                          "--",      "executor", "task-1", "Do it"};
  // Ids are the same each time, so the first run tells what to answer in the second.
  std::string answers = answers_for(place.run(words).out);
  answers += answers_for(place.run(words, answers).out);
  std::filesystem::remove(place.work() / "calls");
  const Ended ended = place.run(words, answers);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(read_file(place.work() / "calls"),
            "Do it\nDo it Answer: Use option 2 (sessionStorage)\n"
            "Do it Answer: Use option 2 (sessionStorage) Answer: http://localhost\n");
}

TEST(Run, WithoutInputAQuestionIsExitFourAndCanBeAnsweredLater) {
  RunPlace place;
  place.script("executor", std::string(kExecutor));
  const Ended asked =
      place.run({"--agent", "executor", "--no-input", "--record", (place.root() / "first").string(),
                 "--", "executor", "task-1", "Do it"});
  EXPECT_EQ(asked.exit_code, 4) << asked.err;
  const std::size_t at = asked.err.find("dragoman run --resume r-");
  ASSERT_NE(at, std::string::npos) << asked.err;
  const std::string id = asked.err.substr(at + 22, 10);
  const std::vector<std::string> again = {"--resume", id, "--io", "jsonl"};
  EXPECT_EQ(place.run({"--resume", (place.root() / "first").string(), "--io", "jsonl"}).exit_code,
            4);
  const Ended open = place.run(again);
  EXPECT_NE(open.out.substr(0, open.out.find('\n')).find("run_started"), std::string::npos)
      << open.out;
  const Ended answered = place.run(again, answers_for(open.out));
  EXPECT_EQ(answered.exit_code, 5) << answered.out << answered.err;  // blocked now
}

TEST(Run, YesAnswersNoQuestion) {
  RunPlace place;
  place.script("executor", std::string(kExecutor));
  EXPECT_EQ(place.run({"--agent", "executor", "--yes", "--", "executor", "t", "Do it"}).exit_code,
            4);
}

TEST(Run, AnInterruptReachesTheCommandFirst) {
  RunPlace place;
  Running running(
      dragoman_program(),
      place.start(
          {"--as", "json", "--", "/bin/sh", "-c",
           "trap 'echo asked; exit 0' INT TERM; echo ready; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(eventually([&] { return running.out_so_far().find("ready") != std::string::npos; }));
  running.send(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_NE(ended.out.find("asked"), std::string::npos);
  EXPECT_EQ(verdict_in(ended.out), "cancelled");
}

// timeout(1) sends its signal to us and to our group, which was a second request: nothing was given
// the time to end.
TEST(Run, TwoSignalsInOneMomentAreOneRequest) {
  RunPlace place;
  Running running(
      dragoman_program(),
      place.start({"--as", "json", "--", "/bin/sh", "-c",
                   "trap 'sleep 0.3; echo tidied; exit 0' INT TERM; echo ready; while :; do sleep "
                   "0.05; done"}));
  ASSERT_TRUE(eventually([&] { return running.out_so_far().find("ready") != std::string::npos; }));
  running.send(SIGINT);
  running.send(SIGTERM);
  const Ended ended = running.wait();
  EXPECT_NE(ended.out.find("tidied"), std::string::npos) << ended.out;
  EXPECT_EQ(verdict_in(ended.out), "cancelled");
}

// As nohup starts it.
TEST(Run, AHangUpThatIsIgnoredEndsNothing) {
  RunPlace place;
  Start start = place.start({"--as", "json", "--", "/bin/sh", "-c",
                             "echo ready; while [ ! -e go ]; do sleep 0.02; done; echo done"});
  start.arguments.insert(start.arguments.begin(),
                         {"-c", "trap '' HUP; exec \"$@\"", "sh", dragoman_program().string()});
  Running running("/bin/sh", start);
  ASSERT_TRUE(eventually([&] { return running.out_so_far().find("ready") != std::string::npos; }));
  running.send(SIGHUP);
  write_file(place.work() / "go", "");
  const Ended ended = running.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(verdict_in(ended.out), "completed");
}

TEST(Run, ACommandThatIgnoresTheTerminationIsKilled) {
  RunPlace place;
  Running running(dragoman_program(),
                  place.start({"--as", "json", "--grace", "100ms", "--", "/bin/sh", "-c",
                               "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(eventually([&] { return running.out_so_far().find("ready") != std::string::npos; }));
  running.send(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 143);
}

// dragoman run … | head -1, whose reader is gone before the program goes on. `code` is that of run.
struct Unread {
  std::string out;
  std::string err;
  std::string code;
};
Unread unread(const RunPlace& place, const std::vector<std::string>& words,
              const std::string& before = "") {
  constexpr std::string_view kPipe =
      R"(; { "$0" "$@"; echo $? >code; } | { head -1; exec </dev/null; touch unread; })";
  Start start = place.start(words);
  start.arguments.insert(
      start.arguments.begin(),
      {"-c", (before.empty() ? ":" : before) + std::string(kPipe), dragoman_program().string()});
  const Ended ended = Running("/bin/sh", start).wait();
  return {ended.out, ended.err, read_file(place.work() / "code")};
}
constexpr std::string_view kWaitUntilUnread = "while [ ! -e unread ]; do sleep 0.02; done; ";

TEST(Run, GoesOnWhenNobodyReadsItAnyMoreAndSaysSoOnce) {
  constexpr std::string_view kNote = "dragoman: nobody reads our output any more; the run goes on";
  for (const std::string view : {"terminal", "json"}) {
    const RunPlace place;
    const Unread run =
        unread(place, {"--as", view, "--", "/bin/sh", "-c",
                       "echo one; " + std::string(kWaitUntilUnread) +
                           "for i in 1 2 3; do echo $i; sleep 0.3; done; touch done"});
    EXPECT_NE(run.out.find("one"), std::string::npos) << view;
    EXPECT_TRUE(std::filesystem::exists(place.work() / "done")) << view;
    EXPECT_EQ(run.code, "0\n") << view << run.err;
    const std::size_t told = run.err.find(kNote);
    EXPECT_NE(told, std::string::npos) << view << run.err;
    EXPECT_EQ(run.err.find(kNote, told + 1), std::string::npos) << view << run.err;
    EXPECT_NE(run.err.find("completed: "), std::string::npos) << view << run.err;
  }
}

TEST(Run, TellsByItsExitCodeHowItEndedAlsoWhenNobodyReadsIt) {
  const RunPlace place;
  const Unread run = unread(place, {"--as", "json", "--", "/bin/sh", "-c",
                                    "echo one; " + std::string(kWaitUntilUnread) + "exit 3"});
  EXPECT_EQ(run.code, "1\n") << run.err;
}

// Its stdin stays open, but a program that hears no question gives no answer.
TEST(Run, DoesNotWaitForAnswersOfAProgramThatHasGone) {
  RunPlace place;
  const std::filesystem::path executor =
      place.script("executor", "#!/bin/sh\n" + std::string(kWaitUntilUnread) +
                                   std::string(kExecutor.substr(kExecutor.find('\n') + 1)));
  const Unread run = unread(
      place, {"--agent", "executor", "--io", "jsonl", "--", executor.string(), "task-1", "Do it"},
      "mkfifo answers; exec <>answers");
  EXPECT_EQ(run.code, "4\n") << run.err;
}

TEST(Run, AProgramIsToldUnderWhichNameTheRunIsResumed) {
  RunPlace place;
  const Ended ended = place.run({"--io", "jsonl", "--", "/bin/sh", "-c", "exit 3"});
  const auto started = nlohmann::json::parse(ended.out.substr(0, ended.out.find('\n')));
  ASSERT_EQ(started["data"]["rule"], "run_started");
  Start start = place.start({});
  start.arguments = {"verdict", started["data"]["message"]};
  EXPECT_EQ(dragoman(start).exit_code, 1);
}

TEST(Run, ReportsClaimsThatDoNotHold) {
  RunPlace place;
  write_file(place.work() / "there.txt", "x");
  const Ended ended =
      place.run({"--as", "json", "--", "/bin/sh", "-c",
                 "printf '[FILES_MODIFIED]\\n- there.txt (modified)\\n- ../../etc/passwd "
                 "(modified)\\n- no.txt "
                 "(created)\\n\\n[CODEX_COMPLETE] Task completed in 1 iterations\\n'"});
  std::vector<std::string> messages;
  for (const auto& diagnostic : of_kind(ended.out, "diagnostic")) {
    if (diagnostic["rule"] == "claimed_only") messages.push_back(diagnostic["message"]);
  }
  EXPECT_EQ(messages,
            (std::vector<std::string>{"../../etc/passwd: outside_workspace", "no.txt: missing"}));
}

TEST(Run, KnowsWhatGitHasSeenChangeAlsoFromItsRecording) {
  RunPlace place;
  const std::string kept = (place.root() / "kept").string();
  write_file(place.work() / "old.txt", "old\n");
  ASSERT_EQ(place.run({"--no-record", "--", "git", "init", "--quiet"}).exit_code, 0);
  const Ended ended = place.run(
      {"--git-changes", "--record", kept, "--", "/bin/sh", "-c",
       "echo 1 > new.txt; rm old.txt; printf '[FILES_MODIFIED]\\n- new.txt (created)\\n\\n"
       "[CODEX_COMPLETE] Task completed in 1 iterations\\n'"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const std::string listed = "2 files\n  created   new.txt\n  deleted   old.txt\n";
  EXPECT_NE(ended.err.find(listed), std::string::npos) << ended.err;
  EXPECT_EQ(dragoman({.arguments = {"verdict", kept, "--commit-message"}}).out,
            "Change new.txt and 1 more\n\n- new.txt (created)\n- old.txt (deleted)\n");
}

TEST(Run, KeepsSecretsOutOfWhatItShowsAndRecords) {
  RunPlace place;
  place.more_environment = {"SOME_TOKEN=hunter2-hunter2-hunter2"};
  const Ended ended = place.run({"--as", "json", "--env", "SOME_TOKEN", "--record",
                                 (place.root() / "kept").string(), "--", "/bin/sh", "-c",
                                 "echo \"it is $SOME_TOKEN\""});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out.find("hunter2"), std::string::npos) << ended.out;
  EXPECT_EQ(read_file(place.root() / "kept/stdout").find("hunter2"), std::string::npos);
}

TEST(Run, IsJudgedAgainFromItsRecording) {
  const RunPlace place;
  const auto record = (place.root() / "kept").string();
  const Ended ended = place.run({"--record", record, "--as", "quiet", "--", "sh", "-c",
                                 "echo '[CODEX_COMPLETE] Task completed in 1 iterations'; exit 3"});
  EXPECT_EQ(ended.exit_code, 1);
  const Ended judged = dragoman({.arguments = {"verdict", record}});
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  EXPECT_TRUE(judged.out.starts_with("failed: ")) << judged.out;
}

// They were looked for where we were, while the tasks of the same directory had them.
TEST(Run, TheSettingsOfTheProjectAreThoseOfTheAgentsDirectory) {
  const RunPlace place;
  std::filesystem::create_directories(place.root() / "other");
  write_file(place.work() / ".dragoman.toml", "run.hard_timeout = \"never\"\n");
  const Ended here = place.run({"--", "true"});
  EXPECT_EQ(here.exit_code, 2);
  EXPECT_NE(here.err.find("run.hard_timeout: 'never'"), std::string::npos) << here.err;
  EXPECT_EQ(place.run({"--cwd", "../other", "--", "true"}).exit_code, 0);
  write_file(place.work() / ".dragoman.toml", "");
  write_file(place.root() / "other/.dragoman.toml", "run.hard_timeout = \"100ms\"\n");
  EXPECT_EQ(place.run({"--cwd", "../other", "--", "sleep", "60"}).exit_code, 124);
}

TEST(Run, SaysThatItsDirectoryIsGone) {
  const RunPlace place;
  const Running run("/bin/sh",
                    {.arguments = {"-c", "mkdir x && cd x && rmdir ../x && " +
                                             dragoman_program().string() + " run -- true; echo $?"},
                     .directory = place.work(),
                     .environment = place.start({}).environment});
  EXPECT_TRUE(eventually([&] { return run.out_so_far() == "2\n"; })) << run.out_so_far();
  EXPECT_NE(run.err_so_far().find("is not there any more; give --cwd"), std::string::npos)
      << run.err_so_far();
}

TEST(Run, ShowsTheWordsOfAProgramWithoutItsColours) {
  const RunPlace place;
  const std::string print = R"(printf '\033[1;31mred\033[0m \033]0;x\007\r\n')";
  for (const std::string pty : {"", "--pty"}) {
    std::vector<std::string> words = {"--", "sh", "-c", print};
    if (!pty.empty()) words.insert(words.begin(), pty);
    const Ended shown = place.run(words);
    EXPECT_TRUE(shown.out.starts_with("red ␛]0;x␇\n")) << shown.out;
  }
}

TEST(Run, GivesTheProgramATerminalWhereItIsAskedFor) {
  const RunPlace place;
  const std::vector<std::string> look = {"--", "sh", "-c", "test -t 0 && test -t 1 && stty size"};
  std::vector<std::string> words = {"--as", "json", "--pty"};
  words.insert(words.end(), look.begin(), look.end());
  const Ended with = place.run(words);
  EXPECT_EQ(with.exit_code, 0) << with.out << with.err;
  EXPECT_NE(with.out.find("24 80"), std::string::npos) << with.out;
  EXPECT_EQ(place.run(look).exit_code, 1);
  const Ended refused = place.run({"--agent", "claude", "--pty", "go"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--pty: claude speaks JSON"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace dragoman::test
