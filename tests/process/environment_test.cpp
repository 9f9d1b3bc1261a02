// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/environment.hpp"

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace dragoman::process {
namespace {

using Lines = std::vector<std::string>;

const Lines kOurs = {"PATH=/usr/bin",
                     "HOME=/home/dev",
                     "DISCORD_TOKEN=abcdefgh12",
                     "LC_ALL=C.UTF-8",
                     "CLAUDECODE=1",
                     "DATABASE_URL=postgres://x",
                     "broken",
                     "EMPTY=",
                     "PATH=/second",
                     "VIRTUAL_ENV=/v",
                     "ANTHROPIC_API_KEY=sk1",
                     "CODEX_SANDBOX=seatbelt"};

TEST(Environment, TheAllowListKeepsWhatProgramsNeed) {
  EXPECT_EQ(make_environment(EnvironmentPolicy::allow_list, kOurs, {}),
            (Lines{"HOME=/home/dev", "LC_ALL=C.UTF-8", "PATH=/usr/bin"}));
}

TEST(Environment, NamesAndValuesAreAdded) {
  EXPECT_EQ(make_environment(EnvironmentPolicy::allow_list, kOurs,
                             {"ANTHROPIC_API_KEY", "HOME=/elsewhere", "ABSENT", "NEW=a=b", "=x"}),
            (Lines{"ANTHROPIC_API_KEY=sk1", "HOME=/elsewhere", "LC_ALL=C.UTF-8", "NEW=a=b",
                   "PATH=/usr/bin"}));
}

TEST(Environment, CleanIsOnlyWhatIsNamed) {
  EXPECT_EQ(make_environment(EnvironmentPolicy::clean, kOurs, {"PATH"}), Lines{"PATH=/usr/bin"});
}

TEST(Environment, InheritedIsAllButTheMarksOfAnotherAgent) {
  EXPECT_EQ(names_of(make_environment(EnvironmentPolicy::inherit, kOurs, {})),
            (Lines{"ANTHROPIC_API_KEY", "DATABASE_URL", "DISCORD_TOKEN", "EMPTY", "HOME", "LC_ALL",
                   "PATH", "VIRTUAL_ENV"}));
}

TEST(Environment, SecretValuesAreThoseWhoseNamesSaySo) {
  EXPECT_EQ(secret_values({"DISCORD_TOKEN=abcdefgh12", "MY_KEY=short", "db_password=longenough",
                           "PATH=/usr/bin:/bin", "SSH_AUTH_SOCK=/tmp/agent.1"}),
            (Lines{"abcdefgh12", "longenough"}));
}

// Base64 begins with a slash as often as with any other sign.
TEST(Environment, APathIsNoSecretWhereItLeadsSomewhere) {
  const test::TempDir dir;
  const std::string file = (dir.path() / "key").string();
  test::write_file(file, "secret");
  EXPECT_EQ(secret_values({"KEY_FILE=" + file, "KEYS=" + dir.path().string(),
                           "AWS_SECRET_ACCESS_KEY=/Zq8kJalrXUtnFEMI/K7MDENG/bPxRfiCY"}),
            Lines{"/Zq8kJalrXUtnFEMI/K7MDENG/bPxRfiCY"});
}

TEST(Environment, PoliciesAreKnownByTheirNames) {
  for (const auto policy :
       {EnvironmentPolicy::clean, EnvironmentPolicy::allow_list, EnvironmentPolicy::inherit}) {
    EXPECT_EQ(environment_policy_named(name(policy)), policy);
  }
  EXPECT_EQ(environment_policy_named("all"), std::nullopt);
}

}  // namespace
}  // namespace dragoman::process
