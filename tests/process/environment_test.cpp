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

TEST(Environment, ALineIsSecretByItsNameOrByAnAddressWithCredentials) {
  for (const char* const line : {"DISCORD_TOKEN=x", "MY_KEY=short", "MYSQL_PWD=x", "DB_PASS=x",
                                 "SLACK_WEBHOOK_URL=https://h/x", "STORE=nats://us:pw@host:4222"}) {
    EXPECT_TRUE(is_secret_line(line)) << line;
  }
  for (const char* const line :
       {"PATH=/usr/bin", "PWD=/home/x@y", "OLDPWD=/x", "EMPTY=", "HTTP_PROXY=http://proxy:3128/a@b",
        "SSH_AUTH_SOCK=/tmp/agent.1"}) {
    EXPECT_FALSE(is_secret_line(line)) << line;
  }
}

TEST(Environment, WhatIsSecretIsHandedOverPastWhatOthersSee) {
  auto handed = hand_over({"PATH=/usr/bin", "MY_TOKEN=abc", "STORE=nats://us:pw@host"});
  ASSERT_TRUE(handed);
  handed->announce(7);
  EXPECT_EQ(handed->shown, (Lines{"PATH=/usr/bin", "DRAGOMAN_ENVIRONMENT=7"}));
  EXPECT_TRUE(handed->secret.is_open());
  auto plain = hand_over({"PATH=/usr/bin"});
  ASSERT_TRUE(plain);
  plain->announce(7);
  EXPECT_EQ(plain->shown, Lines{"PATH=/usr/bin"});
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
