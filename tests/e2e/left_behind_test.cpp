// SPDX-License-Identifier: Apache-2.0
// Agents that turn on what watches them: whatever they kill or keep stopped, and however their
// descendants hide, nothing of theirs is there when the next command of ours has returned, and
// nothing when the run ends where dragoman lives.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/e2e/run_support.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scale.hpp"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;

// Starts a descendant of each kind, which sleeps for TOKEN and a digit seconds, tells who its
// ancestors are, and does to $target what $attack says.
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
if [ "$attack" = STOP ]; then
  (trap '' TERM HUP; while :; do kill -STOP $whom; done) &
  sleep 0.1
fi
sleep 0.1
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

TEST_F(LeftBehind, NothingWhateverTheAgentDoesToItsGuardians) {
  const std::vector<Cell> cells = {{"guard", "KILL"},    {"guard", "STOP"}, {"dragoman", "KILL"},
                                   {"dragoman", "STOP"}, {"both", "KILL"},  {"both", "STOP"},
                                   {"runner", "KILL"},   {"runner", "STOP"}};
  for (std::size_t round = 0; round < scaled(20); ++round) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const bool as_nobody : {false, true}) {
        if (as_nobody && ::getuid() != 0) continue;
        SCOPED_TRACE(cells[i].target + " " + cells[i].attack + (as_nobody ? " as nobody" : ""));
        // Years: no other process sleeps for that long.
        const std::string token =
            std::to_string(700'000'000'000ULL + static_cast<std::uint64_t>(::getpid()) * 100'000 +
                           round * 100 + i * 2 + (as_nobody ? 1 : 0));
        attack(cells[i], as_nobody, token);
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::test
