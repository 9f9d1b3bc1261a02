// SPDX-License-Identifier: Apache-2.0
// Agents that turn on what watches them: whatever they kill or keep stopped, and however their
// descendants hide, nothing of theirs is there when the next command of ours has returned, and
// nothing when the run ends where dragoman lives.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;

// Starts a descendant of each kind, which sleeps for TOKEN and a digit seconds, tells who its
// ancestors are and how many are there, and does to $target what $attack says.
constexpr const char* kAttacker = R"sh(
parent() { awk '/^PPid/{print $2}' "/proc/$1/status"; }
guard=$PPID; us=$(parent $guard)
sleep ${token}0 &
setsid sleep ${token}1 &
( (setsid sleep ${token}2 &) & )
setsid sleep ${token}3 <&- >&- 2>&- &
if [ "$(id -u)" = 0 ]; then unshare --pid --fork sleep ${token}4 &
else unshare --user --pid --fork sleep ${token}4 & fi
if grep -q dragoman-run- /proc/self/cgroup; then env -i /usr/bin/setsid sleep ${token}5 & fi
case $target in
  guard) whom=$guard ;;
  dragoman) whom=$us ;;
  both) whom="$us $guard" ;;
  runner) whom=$us ;;
esac
echo "$whom" > "$file.new"
sleeping() { cat /proc/[0-9]*/cmdline 2>&- | tr '\0' '\n' | grep "^$token[0-5]\$" | sort -u | wc -l; }
for try in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(sleeping)" -ge 5 ] && break
  sleep 0.05
done
sleeping > "$file.count"
if [ "$attack" = STOP ]; then
  (trap '' TERM HUP; while :; do kill -STOP $whom; done) &
  sleep 0.1
fi
mv "$file.new" "$file"
[ "$attack" = STOP ] || kill -9 $whom
sleep ${token}6
)sh";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();  // a process that ends meanwhile is an error that this does not throw
  return text.str();
}

// The command lines of all processes that the attacker started to sleep.
std::vector<std::string> sleepers(const std::string& token) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::string words = text_of(entry.path() / "cmdline");
    std::replace(words.begin(), words.end(), '\0', ' ');
    if (words.find(token) == std::string::npos || words.find("--env") != std::string::npos)
      continue;
    found.push_back(entry.path().filename().string() + ": " + words);
  }
  return found;
}

struct Cell {
  std::string target;  // guard, dragoman, both, runner
  std::string attack;  // KILL, STOP
};

class LeftBehind : public ::testing::Test {
 protected:
  LeftBehind() {
    script_ = place_.script("attacker", std::string("#!/bin/sh\n") + kAttacker);
    for (const auto& path : {place_.root(), place_.work(), place_.bin(), script_})
      fs::permissions(path, fs::perms::all);
  }

  Start start(std::vector<std::string> words, bool as_nobody) {
    Start start = place_.start({});
    start.arguments = std::move(words);
    start.as_nobody = as_nobody;
    // Who is another user has a store of its own.
    start.environment.back() += as_nobody ? "-nobody" : "";
    return start;
  }

  void attack(const Cell& cell, bool as_nobody, const std::string& token) {
    const std::string file = (place_.root() / token).string();
    std::vector<std::string> words = {"--agent", "command", "--grace", "300ms"};
    for (const std::string& variable :
         {"target=" + cell.target, "attack=" + cell.attack, "token=" + token, "file=" + file}) {
      words.insert(words.end(), {"--env", variable});
    }
    words.insert(words.end(), {"--", script_.string()});
    const bool queued = cell.target == "runner";
    const std::vector<std::string> command = queued ? std::vector<std::string>{"task", "submit"}
                                                    : std::vector<std::string>{"run", "--no-input"};
    words.insert(words.begin(), command.begin(), command.end());
    Running run(dragoman_program(), start(words, as_nobody));
    ASSERT_TRUE(eventually([&] { return fs::exists(file); })) << run.err_so_far();
    EXPECT_GE(std::stoi(text_of(file + ".count")), 5);
    if (cell.attack == "STOP") {
      if (cell.target == "guard") {
        run.send(SIGTERM);
      } else if (queued) {
        ::kill(std::stoi(text_of(file)), SIGKILL);
      } else {
        run.send(SIGKILL);
      }
    }
    (void)run.wait();
    if (cell.target != "guard") {
      ASSERT_TRUE(eventually([&] { return is_dead(first_word(file)); }));
      const std::vector<std::string> next =
          cell.attack == "STOP"
              ? std::vector<std::string>{"task", "list"}
              : std::vector<std::string>{"run", "--no-input", "--agent", "command", "--", "true"};
      EXPECT_EQ(dragoman(start(next, as_nobody)).exit_code, 0);
    }
    EXPECT_TRUE(sleepers(token).empty()) << ::testing::PrintToString(sleepers(token));
  }

  // Years: no other process sleeps for that long.
  static std::string token_of(std::size_t number) {
    return std::to_string(700'000'000'000ULL + static_cast<std::uint64_t>(::getpid()) * 100'000 +
                          number);
  }
  static std::string first_word(const std::string& file) {
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
  }
  static bool is_dead(const std::string& pid) {
    const std::string status = text_of("/proc/" + pid + "/status");
    return status.empty() || status.find("State:\tZ") != std::string::npos;
  }

  RunPlace place_;
  fs::path script_;
};

// It waits for nothing, so that it may be faster than the guard's first word.
TEST_F(LeftBehind, NothingByAnAgentThatKillsItsGuardAtOnce) {
  for (std::size_t round = 0; round < scaled(20); ++round) {
    for (const std::string attack : {"kill -9 $PPID", "kill -STOP $PPID; kill -9 $PPID"}) {
      for (const bool as_nobody : {false, true}) {
        if (as_nobody && ::getuid() != 0) continue;
        SCOPED_TRACE(attack + (as_nobody ? " as nobody" : ""));
        const std::string token = token_of(90'000 + round);
        const std::string words = "setsid sleep " + token + " & " + attack + "; sleep 9";
        const Ended ran = dragoman(
            start({"run", "--no-input", "--agent", "command", "--", "sh", "-c", words}, as_nobody));
        EXPECT_EQ(ran.exit_code, 1);
        EXPECT_THAT(ran.err, testing::Not(testing::HasSubstr("start the guard")));
        EXPECT_TRUE(sleepers(token).empty()) << ::testing::PrintToString(sleepers(token));
        const Ended submitted = dragoman(
            start({"task", "submit", "--agent", "command", "--", "sh", "-c", words}, as_nobody));
        const std::string id = submitted.out.substr(0, submitted.out.find('\n'));
        const Ended waited =
            dragoman(start({"task", "wait", id, "--timeout", "60s", "--json"}, as_nobody));
        EXPECT_NE(waited.exit_code, 0);
        EXPECT_THAT(waited.out + waited.err, testing::HasSubstr("\"failed\""));
        EXPECT_THAT(waited.out + waited.err, testing::Not(testing::HasSubstr("start the guard")));
        EXPECT_TRUE(sleepers(token).empty()) << ::testing::PrintToString(sleepers(token));
      }
    }
  }
}

// The next command need not succeed.
TEST_F(LeftBehind, NothingBehindARunThatCannotStart) {
  const std::string token = token_of(99'000);
  const std::string file = (place_.root() / token).string();
  Running run(dragoman_program(),
              start({"run", "--no-input", "--agent", "command", "--env", "target=both", "--env",
                     "attack=KILL", "--env", "token=" + token, "--env", "file=" + file, "--",
                     script_.string()},
                    false));
  ASSERT_TRUE(eventually([&] { return fs::exists(file); })) << run.err_so_far();
  (void)run.wait();
  ASSERT_TRUE(eventually([&] { return is_dead(first_word(file)); }));
  const Ended next =
      dragoman(start({"run", "--no-input", "--agent", "command", "--", "/no/such/agent"}, false));
  EXPECT_EQ(next.exit_code, 127);
  EXPECT_TRUE(sleepers(token).empty()) << ::testing::PrintToString(sleepers(token));
}

// Live and recorded, it ended the same way.
TEST_F(LeftBehind, ARunWhoseGuardWasKilledHasOneVerdict) {
  const Ended ran = dragoman(start({"run", "--no-input", "--as", "json", "--agent", "command", "--",
                                    "sh", "-c", "sleep 0.1; kill -9 $PPID; sleep 9"},
                                   false));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(verdict_in(ran.out), "failed");
  const fs::directory_iterator runs(place_.state() / "runs");
  const std::string id = begin(runs)->path().filename();
  const Ended judged = dragoman(start({"verdict", id}, false));
  EXPECT_EQ(judged.exit_code, ran.exit_code);
  EXPECT_TRUE(judged.out.starts_with("failed")) << judged.out;
}

TEST_F(LeftBehind, NothingWhateverTheAgentDoesToItsGuardians) {
  const std::vector<Cell> cells = {{"guard", "KILL"},    {"guard", "STOP"}, {"dragoman", "KILL"},
                                   {"dragoman", "STOP"}, {"both", "KILL"},  {"both", "STOP"},
                                   {"runner", "KILL"},   {"runner", "STOP"}};
  for (std::size_t round = 0; round < scaled(20); ++round) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const bool as_nobody : {false, true}) {
        if (as_nobody && ::getuid() != 0) continue;
        SCOPED_TRACE(cells[i].target + " " + cells[i].attack + (as_nobody ? " as nobody" : ""));
        attack(cells[i], as_nobody, token_of(round * 100 + i * 2 + (as_nobody ? 1 : 0)));
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::test
