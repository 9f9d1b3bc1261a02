// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/usage.hpp"

#include <gtest/gtest.h>

namespace dragoman::test {
namespace {

Usage message(std::string_view id, std::int64_t input, std::int64_t output) {
  return {.input_tokens = input,
          .output_tokens = output,
          .scope = UsageScope::message,
          .message_id = id};
}
Usage result(std::int64_t input, std::int64_t output, double cost) {
  return {.input_tokens = input,
          .output_tokens = output,
          .cost_usd = cost,
          .scope = UsageScope::turn,
          .final = true};
}
Usage thread_total(std::int64_t input, std::int64_t output) {
  return {
      .input_tokens = input, .output_tokens = output, .scope = UsageScope::thread, .final = true};
}
RunUsage used(std::int64_t input, std::int64_t output, std::optional<double> cost, bool final) {
  return {{.input = input, .total_input = input, .output = output}, cost, final};
}

// Four lines of one message and one of another, as in a run with three parallel tools.
TEST(UsageFold, CountsAMessageOnceAndLetsTheResultReplaceIt) {
  UsageFold fold;
  for (int line = 0; line < 4; ++line) fold.add(message("msg_3w", 42, 1), "s");
  fold.add(message("msg_3y", 42, 1), "s");
  EXPECT_EQ(fold.total(), used(84, 2, std::nullopt, false));
  fold.add(result(84, 130, 0.0040972), "s");
  EXPECT_EQ(fold.total(), used(84, 130, 0.0040972, true));
}

TEST(UsageFold, KeepsTheLastFiguresOfAMessage) {
  UsageFold fold;
  fold.add(message("a", 42, 1), "s");
  fold.add(message("a", 42, 47), "s");
  EXPECT_EQ(fold.total(), used(42, 47, std::nullopt, false));
}

// A background task that ends starts another turn: tokens are per turn, the cost is a total.
TEST(UsageFold, AddsTurnsAndTakesTheLastCost) {
  UsageFold fold;
  fold.add(result(84, 61, 0.0027058), "s");
  fold.add(message("b", 42, 1), "s");
  fold.add(result(42, 15, 0.0038168), "s");
  EXPECT_EQ(fold.total(), used(126, 76, 0.0038168, true));
}

TEST(UsageFold, TakesDifferencesOfAThreadsRunningTotal) {
  UsageFold fold;
  std::vector<std::int64_t> shares;
  for (const std::int64_t total : {6892, 13939, 21068}) {
    fold.add(thread_total(total, 0), "t");
    shares.push_back(fold.last_turn().input);
  }
  EXPECT_EQ(shares, (std::vector<std::int64_t>{6892, 7047, 7129}));
  EXPECT_EQ(fold.total(), used(21068, 0, std::nullopt, true));
}

TEST(UsageFold, AResumedThreadCostsOnlyWhatWasAdded) {
  UsageFold fold;
  fold.know_thread("t", {.input = 6892, .total_input = 6892});
  fold.add(thread_total(13939, 0), "t");
  EXPECT_EQ(fold.total(), used(7047, 0, std::nullopt, true));
}

TEST(UsageFold, AReviewReportsZerosAndARepeatedTotalAddsNothing) {
  UsageFold fold;
  fold.add(thread_total(100, 5), "t");
  fold.add(thread_total(0, 0), "t");
  fold.add(thread_total(100, 5), "t");
  EXPECT_EQ(fold.total(), used(100, 5, std::nullopt, true));
}

TEST(UsageFold, ThreadsAreCountedApart) {
  UsageFold fold;
  fold.add(thread_total(100, 5), "t");
  fold.add(thread_total(30, 1), "u");
  fold.add(thread_total(120, 6), "t");
  EXPECT_EQ(fold.total(), used(150, 7, std::nullopt, true));
}

TEST(UsageFold, AManyMessageTurnIsSummedInBoundedMemory) {
  UsageFold fold;
  for (int i = 0; i < 10'000; ++i) fold.add(message(std::to_string(i), 1, 2), "s");
  EXPECT_EQ(fold.total(), used(10'000, 20'000, std::nullopt, false));
}

// 6 + 68525 + 270116 = 338647, of which 270116 were cached.
TEST(UsageFold, TheTotalInputContainsTheCachedShareHoweverTheAgentCounts) {
  const Usage apart{.input_tokens = 6,
                    .cached_input_tokens = 270116,
                    .cache_write_tokens = 68525,
                    .output_tokens = 9};
  UsageFold fold;
  fold.add(apart, "s", UsageFold::CachedInput::apart);
  EXPECT_EQ(fold.total().tokens, (TokenCount{.input = 6,
                                             .total_input = 338647,
                                             .cached_input = 270116,
                                             .cache_write = 68525,
                                             .output = 9}));
  const Usage included{.input_tokens = 100, .cached_input_tokens = 80};
  UsageFold other;
  other.add(included, "t");
  EXPECT_EQ(other.total().tokens.total_input, 100);
}

TEST(UsageFold, AbsurdFiguresStayAtTheLimit) {
  UsageFold fold;
  fold.add(result(INT64_MAX, 0, 0), "s");
  fold.add(result(INT64_MAX, 0, 0), "s");
  EXPECT_EQ(fold.total().tokens.input, INT64_MAX);
}

}  // namespace
}  // namespace dragoman::test
