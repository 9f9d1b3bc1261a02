// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/surface/support.hpp"

namespace dragoman::surface {
namespace {

constexpr std::int64_t kMidnight = 1'699'920'000'000;  // a Tuesday, UTC
constexpr std::int64_t kHour = 3'600'000;

ask::QuestionRecord asked_at(std::int64_t time) {
  ask::QuestionRecord question = test::a_question("T-local-1");
  question.asked_at = time;
  return question;
}

TEST(Policy, AllSurfacesAtOnceUnlessAnOrderIsWanted) {
  Settings settings;
  settings.surfaces = {test::github_settings(), test::discord_settings(), test::slack_settings()};
  settings.surfaces[1].order = 2;
  settings.surfaces[2].order = 5;
  const auto from = [&](std::size_t i, const std::vector<std::string>& chosen = {}) {
    return offered_from(asked_at(kMidnight), settings.surfaces[i], settings, chosen) - kMidnight;
  };
  EXPECT_EQ(from(2), 0);
  settings.policy.in_order = true;
  settings.policy.escalate_after = std::chrono::minutes(10);
  EXPECT_EQ(from(0), 0);
  EXPECT_EQ(from(1), 600'000);
  EXPECT_EQ(from(2), 1'200'000);
  EXPECT_EQ(from(2, {"team"}), 0) << "those that are not asked are not waited for";
}

TEST(Policy, QuietHoursPutQuestionsOff) {
  Policy policy;
  policy.quiet = {22 * 60, 7 * 60};
  EXPECT_EQ(after_quiet(kMidnight, policy), kMidnight + 7 * kHour);
  EXPECT_EQ(after_quiet(kMidnight + 23 * kHour, policy), kMidnight + 31 * kHour);
  EXPECT_EQ(after_quiet(kMidnight + 7 * kHour, policy), kMidnight + 7 * kHour);
  EXPECT_EQ(after_quiet(kMidnight + 12 * kHour, policy), kMidnight + 12 * kHour);
  policy.quiet = {12 * 60, 13 * 60};
  EXPECT_EQ(after_quiet(kMidnight + 12 * kHour + 1, policy), kMidnight + 13 * kHour);
}

TEST(Policy, ADefaultAnswerIsForQuestionsThatAllowItOnly) {
  Policy policy;
  policy.default_answer = "2";
  policy.default_after = std::chrono::hours(1);
  ask::QuestionRecord question = asked_at(kMidnight);
  EXPECT_EQ(default_answer(question, policy), (DefaultAnswer{kMidnight + kHour, "2"}));
  question.options.pop_back();
  question.free_text = false;
  EXPECT_EQ(default_answer(question, policy), std::nullopt);
  question = asked_at(kMidnight);
  question.kind = QuestionKind::approval;
  EXPECT_EQ(default_answer(question, policy), std::nullopt);
  question.kind = QuestionKind::question;
  question.secret = true;
  EXPECT_EQ(default_answer(question, policy), std::nullopt);
  EXPECT_EQ(default_answer(asked_at(0), Policy{}), std::nullopt);
}

TEST(Policy, ASurfaceTakesWhatItIsConfiguredForAndARunMayChoose) {
  const SurfaceSettings ops = test::github_settings();
  EXPECT_TRUE(takes(ops, Topic::question, {}));
  EXPECT_TRUE(takes(ops, Topic::blocked, {}));
  EXPECT_FALSE(takes(ops, Topic::failure, {}));
  EXPECT_TRUE(takes(ops, Topic::question, {"ops"}));
  EXPECT_FALSE(takes(ops, Topic::question, {"chat"}));
}

}  // namespace
}  // namespace dragoman::surface
