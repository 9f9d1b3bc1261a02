// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/claude_suggestions.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

constexpr std::string_view kRule =
    R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch made *"}],)"
    R"("behavior":"allow","destination":"localSettings"})";
constexpr std::string_view kRuleForSession =
    R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch made *"}],)"
    R"("behavior":"allow","destination":"session"})";
constexpr std::string_view kDirectory =
    R"({"type":"addDirectories","directories":["/w"],"destination":"session"})";
constexpr std::string_view kMode =
    R"({"type":"setMode","mode":"acceptEdits","destination":"session"})";

std::string suggested(std::initializer_list<std::string_view> items) {
  std::string out = "[";
  for (const std::string_view item : items) out.append(out.size() > 1 ? "," : "").append(item);
  return out + "]";
}

// As it was recorded: a rule, a directory and a mode that would allow all edits.
TEST(ClaudeSuggestions, RulesAreTakenAndAModeThatAllowsMoreIsNot) {
  const std::string offered = suggested({kRule, kDirectory, kMode});
  EXPECT_EQ(permission_updates(offered, Grant::allow_session),
            suggested({kRuleForSession, kDirectory}));
  EXPECT_EQ(permission_updates(offered, Grant::allow_always), suggested({kRule, kDirectory}));
  EXPECT_EQ(permission_updates(offered, Grant::allow_once), "");
  EXPECT_EQ(permission_updates(offered, Grant::deny), "");
  EXPECT_EQ(permission_words(suggested({kRule, kDirectory})),
            "Bash(touch made *), the directory /w");
}

TEST(ClaudeSuggestions, WithoutARuleTheModeIsWhatIsOffered) {
  EXPECT_EQ(permission_updates(suggested({kMode}), Grant::allow_session), suggested({kMode}));
  EXPECT_EQ(permission_updates(suggested({kMode}), Grant::allow_always), "");
  EXPECT_EQ(permission_words(suggested({kMode})), "all edits");
}

TEST(ClaudeSuggestions, AToolAsAWholeHasNoContent) {
  const std::string offered =
      R"([{"type":"addRules","rules":[{"toolName":"mcp__demo__echo"}],"behavior":"allow",)"
      R"("destination":"projectSettings"}])";
  EXPECT_EQ(permission_updates(offered, Grant::allow_always), offered);
  EXPECT_EQ(permission_words(offered), "mcp__demo__echo");
}

TEST(ClaudeSuggestions, WhatWouldGrantSomethingElseIsNeverSentBack) {
  for (
      const std::string_view odd :
      {R"({"type":"setMode","mode":"bypassPermissions","destination":"session"})",
       R"({"type":"setMode","mode":"auto","destination":"session"})",
       R"({"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"session"})",
       R"({"type":"replaceRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"})",
       R"({"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"})",
       R"({"type":"addRules","rules":[],"behavior":"allow","destination":"session"})",
       R"({"type":"addRules","rules":[{"ruleContent":"x"},1],"behavior":"allow"})",
       R"({"type":"addDirectories","directories":[],"destination":"session"})",
       R"({"type":"addDirectories","directories":{},"destination":"session"})", R"({})", "1",
       "[]"}) {
    EXPECT_EQ(permission_updates(suggested({odd}), Grant::allow_session), "") << odd;
    EXPECT_EQ(permission_updates(suggested({odd, kMode}), Grant::allow_session), suggested({kMode}))
        << odd;
  }
  for (const std::string_view broken : {"", "{}", "null", "[", R"([{"type":)"}) {
    EXPECT_EQ(permission_updates(broken, Grant::allow_session), "") << broken;
  }
}

}  // namespace
}  // namespace dragoman
