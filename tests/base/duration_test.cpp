// SPDX-License-Identifier: Apache-2.0
#include "dragoman/base/duration.hpp"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

using std::chrono::milliseconds;

TEST(Duration, IsReadWithItsUnit) {
  const std::pair<std::string_view, std::int64_t> rows[] = {
      {"0", 0},           {"0s", 0},          {"300s", 300'000},
      {"20m", 1'200'000}, {"2", 2'000},       {"1.5h", 5'400'000},
      {"250ms", 250},     {"1d", 86'400'000}, {"0.0004ms", 0},
  };
  for (const auto& [text, expected] : rows) {
    const auto read = parse_duration(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, milliseconds(expected)) << text;
  }
}

TEST(Duration, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "s", "-1s", "-0", "1 s", "1x", "nan", "inf", "1e99d",
                                      "10s ", "+5", "99999d", "1m30s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_EQ(parse_duration("soon").error().message,
            "'soon' is not a length of time: write a number with ms, s, m, h or d, as in 90s");
}

}  // namespace
}  // namespace dragoman
