// SPDX-License-Identifier: Apache-2.0
// What we know and an agent must not: it looks into every process of ours above it.
#include <unistd.h>

#include <fmt/format.h>

#include "tests/e2e/run_support.hpp"

namespace dragoman::test {
namespace {

namespace fs = std::filesystem;

// Prints what /proc shows of each of our processes above it, backwards, so that no redaction
// recognises a secret; "seen N" is how many there were.
constexpr const char* kLookAround = R"sh(#!/bin/sh
pid=$PPID; seen=0
while grep -qE '^Name:.(dragoman|agent-guard)$' "/proc/$pid/status"; do
  seen=$((seen + 1))
  for file in environ cmdline; do
    [ -r "/proc/$pid/$file" ] && tr '\0' '\n' < "/proc/$pid/$file" 2>/dev/null | rev
  done
  for file in maps mem; do
    [ "$(id -u)" = 0 ] || ! head -c 1 "/proc/$pid/$file" >/dev/null 2>&1 || echo "can read $file"
  done
  pid=$(awk '/^PPid/{print $2}' "/proc/$pid/status")
done
env | rev
echo "seen $seen"
)sh";

class OwnSecrets : public ::testing::TestWithParam<bool> {
 protected:
  OwnSecrets() : script_(place_.script("look", kLookAround)) {
    for (const auto& path : {place_.root(), place_.work(), place_.bin(), script_})
      fs::permissions(path, fs::perms::all);
    // Three kinds: a name that says so, an address with a password, a name that says nothing.
    place_.more_environment = {"DISCORD_TOKEN=canary-one-A1b2C3d4",
                               "DRAGOMAN_NATS=nats://us:canary-two-A1b2C3d4@127.0.0.1:4222",
                               "DC=canary-three-A1b2C3d4"};
  }

  Ended ours(std::vector<std::string> words) {
    Start start = place_.start({});
    start.arguments = std::move(words);
    start.as_nobody = GetParam();
    return dragoman(start);
  }

  static void expect_nothing(const std::string& said, std::size_t processes) {
    EXPECT_NE(said.find("seen " + std::to_string(processes)), std::string::npos) << said;
    EXPECT_EQ(said.find("can read"), std::string::npos) << said;
    for (const std::string_view canary : {"yranac", "canary"}) {
      EXPECT_EQ(said.find(canary), std::string::npos) << canary << "\n" << said;
    }
  }

  RunPlace place_;
  fs::path script_;
};

TEST_P(OwnSecrets, AnAgentCannotReadThemFromItsGuardNorFromTheRun) {
  expect_nothing(ours({"run", "--no-input", "--agent", "command", "--", script_.string()}).out, 2);
}

TEST_P(OwnSecrets, NorFromTheBackgroundRunner) {
  std::string id = ours({"task", "submit", "--agent", "command", "--", script_.string()}).out;
  id.resize(id.find_last_not_of('\n') + 1);
  ASSERT_EQ(ours({"task", "wait", id}).exit_code, 0);
  expect_nothing(ours({"task", "results", id, "--output"}).out, 2);
}

// Both ways: the runner, and the run that it starts, have them all the same.
TEST_P(OwnSecrets, AVariableThatIsMeantForTheAgentArrives) {
  std::string id = ours({"task", "submit", "--agent", "command", "--env", "DISCORD_TOKEN", "--",
                         "sh", "-c", "echo \"$DISCORD_TOKEN\" | tr a-z b-za"})
                       .out;
  id.resize(id.find_last_not_of('\n') + 1);
  ASSERT_EQ(ours({"task", "wait", id}).exit_code, 0);
  const std::string said = ours({"task", "results", id, "--output"}).out;
  EXPECT_NE(said.find("dbobsz-pof-A1c2C3e4"), std::string::npos) << said;
}

TEST_P(OwnSecrets, AProgramThatIsASurfaceCannotReadThemFromUsEither) {
  const fs::path told = place_.root() / "told";
  write_file(told, "");
  const fs::path asker = place_.script(
      "asker", fmt::format("#!/bin/sh\n. {} > {}\necho 1\n", script_.string(), told.string()));
  for (const auto& path : {told, asker}) fs::permissions(path, fs::perms::all);
  write_file(
      place_.root() / "config.toml",
      fmt::format("[surface.script]\nkind = \"command\"\ncommand = [\"{}\"]\n", asker.string()));
  place_.more_environment.push_back("DRAGOMAN_CONFIG=" + (place_.root() / "config.toml").string());
  const Ended ended = ours({"ask", "test", "script", "--timeout", "60s"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  expect_nothing(read_file(told), 2);
}

INSTANTIATE_TEST_SUITE_P(Users, OwnSecrets, ::testing::Values(false, true),
                         [](const ::testing::TestParamInfo<bool>& as_nobody) {
                           return as_nobody.param ? "Nobody" : "Us";
                         });

}  // namespace
}  // namespace dragoman::test
