// SPDX-License-Identifier: Apache-2.0
#include "dragoman/agent/claude_requests.hpp"

#include <gtest/gtest.h>

namespace dragoman::agent {
namespace {

ControlRequest with_input(std::string id, std::size_t size) {
  ControlRequest request;
  request.id = std::move(id);
  request.subtype = "can_use_tool";
  request.input = std::string(size, ' ');
  return request;
}

TEST(ClaudeRequests, AreKeptUntilTheyAreTaken) {
  ClaudeRequests open;
  EXPECT_EQ(open.keep(with_input("1", 10)), std::nullopt);
  EXPECT_EQ(open.keep(with_input("2", 20)), std::nullopt);
  EXPECT_EQ(*open.find("2"), with_input("2", 20));
  EXPECT_EQ(open.take("1"), with_input("1", 10));
  EXPECT_EQ(open.take("1"), std::nullopt);
  EXPECT_FALSE(open.refused_some());
}

TEST(ClaudeRequests, BeyondTheirNumberAreGivenBack) {
  ClaudeRequests open;
  for (std::size_t i = 0; i < ClaudeRequests::kMost; ++i) {
    ASSERT_EQ(open.keep(with_input(std::to_string(i), 1)), std::nullopt);
  }
  EXPECT_EQ(open.keep(with_input("new", 1)), with_input("new", 1));
  EXPECT_TRUE(open.refused_some());
  EXPECT_EQ(open.find("new"), nullptr);
  EXPECT_EQ(open.keep(with_input("7", 2)), std::nullopt) << "in the place of the first of that id";
  (void)open.take("0");
  EXPECT_EQ(open.keep(with_input("new", 1)), std::nullopt);
  open.clear();
  EXPECT_EQ(open.find("new"), nullptr);
  EXPECT_FALSE(open.refused_some());
}

TEST(ClaudeRequests, BeyondTheirBytesAreGivenBack) {
  constexpr std::size_t kHalf = ClaudeRequests::kMostBytes / 2 - 100;
  ClaudeRequests open;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(open.keep(with_input("1", kHalf)), std::nullopt);
    EXPECT_EQ(open.keep(with_input("2", kHalf)), std::nullopt);
    EXPECT_TRUE(open.keep(with_input("3", kHalf)).has_value());
    EXPECT_EQ(open.keep(with_input("3", 10)), std::nullopt);
    for (const char* id : {"1", "2", "3"}) EXPECT_TRUE(open.take(id).has_value());
  }
  EXPECT_TRUE(open.keep(with_input(std::string(2000, '1'), 1)).has_value());
}

}  // namespace
}  // namespace dragoman::agent
