// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/result.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace dragoman {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{ErrorCode::validation, "odd"};
  return n / 2;
}

Result<int> quarter(int n) {
  DRAGOMAN_TRY(const int once, half(n));
  DRAGOMAN_TRY(const int twice, half(once));
  return twice;
}

Result<void> must_be_even(int n) {
  if (n % 2 != 0) return Error{ErrorCode::validation, "odd"};
  return {};
}

Result<std::string> label(int n) {
  DRAGOMAN_CHECK(must_be_even(n));
  return std::string("even");
}

TEST(Result, HoldsTheValue) {
  const Result<int> result = half(8);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, 4);
}

TEST(Result, HoldsTheError) {
  const Result<int> result = half(7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), (Error{ErrorCode::validation, "odd"}));
}

TEST(Result, TryPassesTheFirstErrorOn) {
  ASSERT_TRUE(quarter(12));
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(quarter(5).error().message, "odd");
}

TEST(Result, CheckPassesTheErrorOn) {
  EXPECT_EQ(*label(2), "even");
  EXPECT_EQ(label(3).error(), (Error{ErrorCode::validation, "odd"}));
}

TEST(Result, AValueIsMovedOutOfATemporary) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const std::unique_ptr<int> owned = *make();
  EXPECT_EQ(*owned, 5);
}

TEST(Result, AnArrowReachesTheMembers) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
  result->push_back('d');
  EXPECT_EQ(*result, "abcd");
}

TEST(Result, AnErrorCanBeAValueOfVoid) {
  EXPECT_TRUE(must_be_even(2).has_value());
  EXPECT_FALSE(must_be_even(1).has_value());
}

TEST(Error, WhileDoingPutsTheActionInFront) {
  EXPECT_EQ((Error{ErrorCode::not_found, "no such file"}.while_doing("open store")),
            (Error{ErrorCode::not_found, "open store: no such file"}));
}

}  // namespace
}  // namespace dragoman
